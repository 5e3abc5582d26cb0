package sizing_test

import (
	"maps"
	"math"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/realiops/realiops/internal/analyze/counts"
	"github.com/realiops/realiops/internal/analyze/sizing"
	"github.com/realiops/realiops/internal/analyze/sizing/needs"
	"github.com/realiops/realiops/internal/analyze/tally"
	"github.com/realiops/realiops/internal/metric"
	"github.com/realiops/realiops/internal/runfile"
	"github.com/realiops/realiops/internal/test/runfiletest"
)

// phase is a time in which a disk reads and writes pages of 8,192 bytes, and a server writes WAL records of a size.
type phase struct {
	seconds                int
	reads, writes, records float64 // a second
	recordBytes            float64
}

// watched returns an observation of these phases, read each second.
func watched(t *testing.T, phases ...phase) *counts.Run {
	t.Helper()
	return watchedWithout(t, []string{metric.SessionsWrote, metric.BgwriterBuffersClean,
		metric.CheckpointerBuffersWritten}, phases...)
}

// watchedWithout is the same from a source that lacks some metrics.
func watchedWithout(t *testing.T, lacking []string, phases ...phase) *counts.Run {
	t.Helper()
	start := time.Date(2026, 11, 18, 0, 0, 0, 0, time.UTC)
	records := []runfile.Record{runfile.Run{Schema: runfile.Schema, ID: "20261118-000000-abcd", Start: start,
		Observed: true, Target: runfile.Target{Kind: "history", Flavor: "postgres"}}}
	disk := needs.OfDisk()
	values := map[string]float64{}
	for _, name := range append(disk.Names(), metric.BlockFlushes, metric.CommitsOfAll, metric.StatWALRecords,
		metric.StatWALBytes, metric.StatWALWrite, metric.StatWALSync, metric.SessionsWrote,
		metric.BgwriterBuffersClean, metric.CheckpointerBuffersWritten) {
		if !slices.Contains(lacking, name) {
			values[name] = 0
		}
	}
	for name := range values {
		records = append(records, metric.All().Row(name).Announced())
	}
	at := start
	for _, p := range phases {
		for range p.seconds {
			at = at.Add(time.Second)
			for name, more := range map[string]float64{metric.CommitsOfAll: 10, disk.Reads: p.reads,
				disk.ReadBytes: 8192 * p.reads, disk.Writes: p.writes, disk.WriteBytes: 8192 * p.writes,
				metric.StatWALRecords: p.records, metric.StatWALBytes: p.records * p.recordBytes,
				metric.StatWALWrite: 10, metric.StatWALSync: 10, metric.SessionsWrote: 10, metric.BgwriterBuffersClean: 10,
				metric.CheckpointerBuffersWritten: 10} {
				if _, has := values[name]; has {
					values[name] += more
				}
			}
			records = append(records, runfile.Reading{At: at.Add(-time.Millisecond), Probe: "x", Values: maps.Clone(values)})
		}
	}
	run, err := tally.FromRun(runfiletest.Sequence(records))
	if err != nil {
		t.Fatal(err)
	}
	return run
}

// TestReadsNobodySaw: a model of the WAL and the pages knows no reads, which the first lines say.
func TestReadsNobodySaw(t *testing.T) {
	const said = "Reads of the disk were not recorded and count as 0: this order may be too small"
	disk := needs.OfDisk()
	both := []string{disk.Reads, disk.ReadBytes}
	for _, c := range []struct {
		lacking []string
		writes  float64 // of the disk; many more than the server's own make the need a model
		want    bool
	}{{nil, 100, false}, {both, 100, true}, {nil, 100_000, false}, {both, 100_000, true},
		{append(disk.Names(), metric.BlockFlushes), 0, true}} {
		run := watchedWithout(t, c.lacking, phase{seconds: 300, reads: 50, writes: c.writes, records: 500, recordBytes: 1000})
		s, err := sizing.Size(sizing.Ask{GiB: 500}, run)
		if text := strings.Join(s.Cautions, "; "); err != nil || strings.Contains(text, said) != c.want {
			t.Errorf("without %v, %v writes a second, model %v: %q, %v", c.lacking, c.writes, needs.Of(run)[0].Model, text, err)
		}
	}
}

// TestReadsOfAnUnseenDisk: of a load that only reads, a model of writes says nothing, so nothing is ordered for it.
func TestReadsOfAnUnseenDisk(t *testing.T) {
	file, err := os.Open("../../../testdata/runs/default-pg17.jsonl.zst")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var records []runfile.Record
	for r, err := range runfile.Read(file) {
		if err != nil {
			t.Fatal(err)
		}
		if read, is := r.(runfile.Reading); !is || read.Probe != "block" && read.Probe != "request" {
			records = append(records, r)
		}
	}
	run := runOf(t, records...)
	for _, load := range []string{"point-warm", "point-cold", "scan-cold"} {
		const unknown = " needed from storage is unknown: "
		if _, err := sizing.Size(sizing.Ask{Load: load, GiB: 500}, run); err == nil ||
			!strings.Contains(err.Error(), "what "+load+unknown) {
			t.Errorf("%s: %v", load, err)
		}
	}
	s, err := sizing.Size(sizing.Ask{GiB: 500}, run)
	if err != nil || s.Need.Load != "wide" || len(s.LeftOut()) > 0 {
		t.Errorf("sized for %q, beside %d that only read: %v", s.Need.Load, len(s.LeftOut()), err)
	}
	for pages, want := range map[float64]string{99: "", 100: "Reads"} {
		n := s.Need
		n.PagesAsked = &pages
		if got := n.ReadsUnread(run); got != want {
			t.Errorf("with %v pages a second asked for: %q is missing", pages, got)
		}
	}
}

// TestKindsKeepApart: a kind of load is sized by its own windows, not by others between them.
func TestKindsKeepApart(t *testing.T) {
	low, high := phase{seconds: 60, writes: 100, records: 500, recordBytes: 1000},
		phase{seconds: 60, writes: 1000, records: 20_000, recordBytes: 100}
	want := []float64{100, 1000}
	for _, n := range needs.Of(watched(t, low, high, low, high)) {
		if got := n.Peaks.PeakSecond.Requests(); len(want) == 0 || math.Abs(got-n.Mean.Requests()) > 1e-6 ||
			!slices.Contains(want, math.Round(got)) {
			t.Errorf("%s: a mean of %v requests a second, and at most %v; want both from %v", n.Load, n.Mean.Requests(), got,
				want)
		}
		want = slices.DeleteFunc(want, func(w float64) bool { return w == math.Round(n.Mean.Requests()) })
	}
	if len(want) > 0 {
		t.Errorf("no load has %v requests a second", want)
	}
}

// TestTimeWithoutWritesCounts: in its first part a server writes, and in its second it only reads, which is no load of
// an observation. Its disk must carry both.
func TestTimeWithoutWritesCounts(t *testing.T) {
	writing, reading := phase{seconds: 300, writes: 100, records: 500, recordBytes: 1000},
		phase{seconds: 300, reads: 5000}
	const noKind = "stretches of 5 seconds the disk did more than under any kind of load shown here, up to 5,000 requests/s " +
		"and 41 MB/s: nothing was written then"
	for _, c := range []struct {
		run  *counts.Run
		says bool
	}{{watched(t, writing, reading), true}, {watched(t, writing), false}, {watched(t, reading), false}} {
		if text := sizing.NoKind(c.run); strings.Contains(text, noKind) != c.says || !c.says && text != "" {
			t.Errorf("the report says %q", text)
		}
	}
	for _, c := range []struct {
		phases []phase
		says   string // 5,000 reads of 8,192 bytes: 41 MB/s
	}{
		{[]phase{writing, reading}, "of 119 stretches of 5 seconds the disk did more than this order carries, up to " +
			"5,000 requests/s and 41 MB/s"},
		{[]phase{writing}, ""},
	} {
		s, err := sizing.Size(sizing.Ask{GiB: 500}, watched(t, c.phases...))
		text := strings.Join(s.Cautions, "; ")
		if err != nil || strings.Contains(text, "than this order carries") != (c.says != "") ||
			!strings.Contains(text, c.says) {
			t.Errorf("%+v: %q, %v; want %q", c.phases, text, err, c.says)
		}
	}
	const why = "the server wrote almost nothing, so its loads cannot be told apart"
	for _, c := range []struct {
		phase phase
		want  string
	}{
		{reading, why + "; its disk did up to 5,000 requests/s and 41 MB/s: realiops size --need " +
			"'iops=5000,mbps=40.960' sizes for it"},
		{phase{seconds: 300}, why},
	} {
		if _, err := sizing.Size(sizing.Ask{GiB: 500}, watched(t, c.phase)); err == nil || err.Error() != c.want {
			t.Errorf("%+v: %v, want %s", c.phase, err, c.want)
		}
	}
}
