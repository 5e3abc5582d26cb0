package block

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/realiops/realiops/internal/measure/probe"
	"github.com/realiops/realiops/internal/runfile"
)

func sampleOf(t *testing.T, h host, path string) probe.Sample {
	t.Helper()
	s, err := h.forDirectory(path)
	if err != nil {
		t.Fatal(err)
	}
	sample, err := s.Sample(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return sample
}

// The figures are those of the archives, in the order of https://docs.kernel.org/block/stat.html; sectors have 512
// bytes and ticks are milliseconds.
func TestSampleReadsEveryField(t *testing.T) {
	want := probe.Sample{Values: map[string]float64{
		"block/reads": 35742, "block/reads_merged": 6713, "block/read_bytes": 1997570 * 512, "block/read_time": 5.383,
		"block/writes": 6754, "block/writes_merged": 27781, "block/write_bytes": 1318768 * 512, "block/write_time": 2.859,
		"block/in_flight": 3, "block/io_time": 3.744, "block/weighted_time": 8.427,
		"block/flushes": 238, "block/flush_time": 0.008,
	}}
	if diff := cmp.Diff(want, sampleOf(t, machine(t, "linux-6.1"), "/var/lib/postgresql/17/main")); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestSampleOfAVolumeIsOfTheDiskBelowIt(t *testing.T) {
	got := sampleOf(t, machine(t, "linux-6.1"), "/lvm/pg").Values
	if got["block/writes"] != 200 || got["block/flushes"] != 40 {
		t.Errorf("%v, want sda's 200 writes and 40 flushes", got)
	}
}

func TestFlushesThatTheKernelDoesNotCountAreGaps(t *testing.T) {
	check := func(archive, path string, writes float64, why string) {
		t.Helper()
		want := []runfile.Gap{
			{Metric: "block/flushes", Reason: runfile.Unsupported, Detail: why},
			{Metric: "block/flush_time", Reason: runfile.Unsupported, Detail: why},
		}
		got := sampleOf(t, machine(t, archive), path)
		if diff := cmp.Diff(want, got.Gaps); diff != "" {
			t.Errorf("%s %s (-want +got):\n%s", archive, path, diff)
		}
		if len(got.Values) != len(Metrics())-2 || got.Values["block/writes"] != writes {
			t.Errorf("%s %s: %v", archive, path, got.Values)
		}
	}
	check("linux-4.9", "/pg", 23456, "this kernel does not count flushes: 5.5 and later do")
	check("linux-4.19", "/pg", 23456, "this kernel does not count flushes: 5.5 and later do")
	check("linux-6.1", "/raid/pg", 500, "the kernel does not count flushes of md0, which hands requests on to other devices")
}

func TestADeviceThatVanishesIsAnError(t *testing.T) {
	h := machine(t, "linux-6.1")
	s, err := h.forDirectory("/loop/pg")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(h.sys, "block", "loop0")); err != nil {
		t.Fatal(err)
	}
	_, err = s.Sample(t.Context())
	want := runfile.Gap{Reason: runfile.Failed, Code: "ENODEV", Detail: "the device loop0 is gone"}
	if err == nil {
		t.Fatal("no error")
	}
	if diff := cmp.Diff(want, probe.GapOf(err)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestAStatFileThatMakesNoSenseIsAnError(t *testing.T) {
	h := machine(t, "linux-6.1")
	s, err := h.forDirectory("/loop/pg")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(h.sys, "block", "loop0", "stat"), []byte("1 2 three\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if sample, err := s.Sample(t.Context()); err == nil || errors.Is(err, os.ErrNotExist) {
		t.Errorf("%v, %v", sample, err)
	}
}

func TestMetricsNameEachFieldOnce(t *testing.T) {
	var names []string
	for _, m := range Metrics() {
		names = append(names, m.Name)
	}
	slices.Sort(names)
	want := []string{
		"block/flush_time", "block/flushes", "block/in_flight", "block/io_time", "block/read_bytes", "block/read_time",
		"block/reads", "block/reads_merged", "block/weighted_time", "block/write_bytes", "block/write_time",
		"block/writes", "block/writes_merged",
	}
	if diff := cmp.Diff(want, names); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}
