package block

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/realiops/realiops/internal/measure/layout"
	"github.com/realiops/realiops/internal/measure/probe"
	"github.com/realiops/realiops/internal/runfile"
	"github.com/realiops/realiops/internal/test/probetest"
)

func sampleOf(t *testing.T, h host, l []layout.Root) probe.Sample {
	t.Helper()
	s, err := h.sampler(l)
	if err != nil {
		t.Fatal(err)
	}
	sample, err := s.Sample(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return sample
}

// deviceSample is a sample without the server's own metrics.
func deviceSample(t *testing.T, h host, path string) probe.Sample {
	t.Helper()
	sample := sampleOf(t, h, rootsOf(h, path))
	sample.Gaps = slices.DeleteFunc(sample.Gaps, func(g runfile.Gap) bool {
		return !strings.HasPrefix(g.Metric, "block/")
	})
	return sample
}

// The archive's figures, in the order of https://docs.kernel.org/block/stat.html. Sectors are
// 512 bytes and ticks milliseconds.
func TestSampleReadsEveryField(t *testing.T) {
	want := probe.Sample{Values: map[string]float64{
		"block/reads": 35742, "block/reads_merged": 6713, "block/read_bytes": 1997570 * 512, "block/read_time": 5.383,
		"block/writes": 6754, "block/writes_merged": 27781, "block/write_bytes": 1318768 * 512,
		"block/write_time": 2.859,
		"block/discards":   3572, "block/discards_merged": 26, "block/discard_bytes": 144712 * 512,
		"block/discard_time": 0.174,
		"block/in_flight":    3, "block/io_time": 3.744, "block/weighted_time": 8.427,
		"block/flushes": 238, "block/flush_time": 0.008,
	}}
	got := deviceSample(t, machine(t, "linux-6.1"), "/var/lib/postgresql/17/main")
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty(), cmpopts.EquateApprox(1e-12, 0)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestSampleOfAVolumeIsOfTheDiskBelowIt(t *testing.T) {
	got := deviceSample(t, machine(t, "linux-6.1"), "/lvm/pg").Values
	if got["block/writes"] != 200 || got["block/flushes"] != 40 {
		t.Errorf("%v, want sda's 200 writes and 40 flushes", got)
	}
}

func TestUncountedByTheKernelIsAGap(t *testing.T) {
	flushes, discards := []string{"flushes", "flush_time"}, []string{"discards", "discards_merged", "discard_bytes",
		"discard_time"}
	check := func(h host, path string, writes float64, want map[string][]string) {
		t.Helper()
		sample := deviceSample(t, h, path)
		got := map[string][]string{}
		for _, gap := range sample.Gaps {
			got[gap.Detail] = append(got[gap.Detail], strings.TrimPrefix(gap.Metric, "block/"))
			if gap.Reason != runfile.Unsupported {
				t.Errorf("%s: %+v", path, gap)
			}
		}
		if diff := cmp.Diff(want, got, cmpopts.SortSlices(strings.Compare)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", path, diff)
		}
		if sample.Values["block/writes"] != writes {
			t.Errorf("%s: %v", path, sample.Values)
		}
	}
	const noFlushes, noDiscards = "this kernel does not count flushes; Linux 5.5 and later do",
		"this kernel does not count discards; Linux 4.18 and later do"
	check(machine(t, "linux-4.9"), "/pg", 23456, map[string][]string{noFlushes: flushes, noDiscards: discards})
	check(machine(t, "linux-4.19"), "/pg", 23456, map[string][]string{noFlushes: flushes})

	// An array whose disks are not visible.
	h := machine(t, "linux-6.1")
	if err := os.RemoveAll(filepath.Join(h.sys, "devices/virtual/block/md0/slaves")); err != nil {
		t.Fatal(err)
	}
	const handsOn = "the kernel does not count flushes of md0, which passes requests on to other devices"
	check(h, "/raid/pg", 500, map[string][]string{handsOn: flushes})
}

// gapsAfter returns the gaps after befall, each with its number of metrics.
func gapsAfter(t *testing.T, befall func(device string) error) map[runfile.Gap]int {
	t.Helper()
	h := machine(t, "linux-6.1")
	s, err := h.sampler(rootsOf(h, "/loop/pg"))
	if err != nil {
		t.Fatal(err)
	}
	if err := befall(filepath.Join(h.sys, "block", "loop0")); err != nil {
		t.Fatal(err)
	}
	sample, err := s.Sample(t.Context())
	if err != nil || len(sample.Values) != 0 {
		t.Errorf("%v, %v", sample.Values, err)
	}
	gaps := map[runfile.Gap]int{}
	for _, gap := range sample.Gaps {
		if strings.HasPrefix(gap.Metric, "block/") {
			gap.Metric = ""
			gaps[gap]++
		}
	}
	return gaps
}

func TestADeviceThatVanishesIsAGap(t *testing.T) {
	want := map[runfile.Gap]int{{Reason: runfile.Failed, Code: "ENODEV", Detail: "the device loop0 is gone"}: len(all)}
	if diff := cmp.Diff(want, gapsAfter(t, os.Remove)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestAStatFileThatMakesNoSenseIsAGap(t *testing.T) {
	got := gapsAfter(t, func(device string) error {
		return os.WriteFile(filepath.Join(device, "stat"), []byte("1 2 three\n"), 0o644)
	})
	want := map[runfile.Gap]int{
		{Reason: runfile.Failed, Detail: "read the counters of loop0: expected integer"}: len(all)}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestMetricsNameEachFieldOnce(t *testing.T) {
	fields := []string{
		"discard_bytes", "discard_time", "discards", "discards_merged", "flush_time", "flushes", "in_flight", "io_time",
		"read_bytes", "read_time", "reads", "reads_merged", "weighted_time", "write_bytes", "write_time", "writes",
		"writes_merged",
	}
	want := map[string][]string{
		"block": fields, "block.data": fields, "block.wal": fields, "block.tablespaces": fields, "block.temp": fields,
		"block.process": {"rchar", "syscr", "syscw", "wchar"},
		"block.cgroup":  {"read_bytes", "reads", "write_bytes", "writes"},
	}
	got := map[string][]string{}
	for _, m := range Metrics() {
		view, field, _ := strings.Cut(m.Name, "/")
		got[view] = append(got[view], field)
	}
	if diff := cmp.Diff(want, got, cmpopts.SortSlices(strings.Compare)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	for _, defect := range probetest.Announcement(Name, Metrics()) {
		t.Error(defect)
	}
}
