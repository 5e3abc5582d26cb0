package sizing_test

import (
	"strings"
	"testing"

	"github.com/realiops/realiops/internal/analyze/catalog"
	"github.com/realiops/realiops/internal/analyze/counts"
	"github.com/realiops/realiops/internal/analyze/sizing"
	"github.com/realiops/realiops/internal/analyze/sizing/needs"
	"github.com/realiops/realiops/internal/analyze/tally"
	"github.com/realiops/realiops/internal/test/runfiletest"
)

// beside adds the work of another program on the device under a load, per second.
func beside(run *counts.Run, load string, perSecond map[string]float64) *counts.Run {
	for i := range run.Loads {
		if run.Loads[i].Name != load {
			continue
		}
		for _, r := range run.Loads[i].Repetitions {
			for name, rate := range perSecond {
				c := r.Counts[name]
				c.Amount, c.Raw = c.Amount+rate*r.Seconds, c.Raw+rate*r.Seconds
				r.Counts[name] = c
			}
		}
	}
	return run
}

func needOf(t *testing.T, run *counts.Run, load string) needs.Need {
	t.Helper()
	for _, n := range needs.Of(run) {
		if n.Load == load {
			return n
		}
	}
	t.Fatalf("no %s", load)
	return needs.Need{}
}

// TestOtherProgramsAreNotInTheNeed: device work beyond the server's counters is in no need, be it bytes, writes,
// flushes or reads. The server's own work is measured. This load writes 20 MB/s of WAL and pages.
func TestOtherProgramsAreNotInTheNeed(t *testing.T) {
	const load, file = "multi", "local-pg17.jsonl.zst"
	shared := func() *counts.Run {
		run := shipped(t, file)
		run.Header.Target.Storage.Own = false
		return run
	}
	alone := needOf(t, shared(), load)
	if alone.Model != nil {
		t.Fatalf("alone, it was not measured: %v", alone.Model)
	}
	for name, other := range map[string]map[string]float64{
		"bytes":   {"block/write_bytes": 200e6, "block/writes": 800},
		"writes":  {"block/writes": 20_000, "block/write_bytes": 1e6},
		"flushes": {"block/flushes": 5000, "block/writes": 5000},
		"reads":   {"block/reads": 1000, "block/read_bytes": 100e6},
	} {
		n := needOf(t, beside(shared(), load, other), load)
		if n.Model == nil || n.Model.Reason != needs.Others || n.Missing != nil || n.Peaks != nil {
			t.Errorf("%s: model %v, missing %v", name, n.Model, n.Missing)
		}
		for what, pair := range map[string][2]float64{
			"bytes": {n.Highest.Bytes(), alone.Mean.Bytes()}, "requests": {n.Highest.Requests(), alone.Mean.Requests()},
			"flushes": {n.Highest.Flushes, alone.Mean.Flushes},
		} {
			if pair[0] < 0.9*pair[1] || pair[0] > 2.1*pair[1] {
				t.Errorf("%s: %.0f %s, of which the server's are %.0f", name, pair[0], what, pair[1])
			}
		}
		own := beside(shared(), load, other)
		own.Header.Target.Storage.Own = true
		if n := needOf(t, own, load); n.Model != nil {
			t.Errorf("%s: on a device of its own there is nobody else: %v", name, n.Model)
		}
	}
}

// TestJournalIsReported: a need from traced requests excludes the file system's journal, and says so if it is large,
// in the first lines if the order depends on it. On the server's own device the need includes it.
func TestJournalIsReported(t *testing.T) {
	const load = "single"
	sized := func(journal float64, own bool, gib float64, on string) sizing.Sizing {
		t.Helper()
		run, err := tally.FromRun(runfiletest.Sequence(runfiletest.BesideOtherProgram(runfiletest.Records(t,
			"../../../testdata/runs/local-pg17.jsonl.zst"), 0)))
		if err != nil {
			t.Fatal(err)
		}
		run.Header.Target.Storage.Own = own
		beside(run, load, map[string]float64{"request.journal/writes": journal,
			"request.journal/write_bytes": 4096 * journal, "block/writes": journal,
			"block/write_bytes": 4096 * journal})
		s, err := sizing.Size(sizing.Ask{Load: load, GiB: gib, Tariff: tariff(t, "us-east-1"),
			Volumes: []catalog.Volume{volume(t, on)}}, run)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	said := func(s sizing.Sizing) bool {
		return strings.Contains(strings.Join(s.Warnings, "\n"), "Under single, the file system's journal added 5,000 writes/s and 20 MB/s")
	}
	quiet, busy, own := sized(0, false, 100, "gp3"), sized(5000, false, 100, "gp3"), sized(5000, true, 100, "gp3")
	if said(quiet) || !said(busy) || said(own) {
		t.Errorf("the journal is told of: %t quiet, %t busy, %t on a device of its own: %q", said(quiet), said(busy),
			said(own), busy.Warnings)
	}
	const decides = "The file system's journal (5,000 writes/s under single) is left out"
	for name, s := range map[string]sizing.Sizing{"quiet": quiet, "busy": busy, "own": own} {
		// more than the 3,000 IOPS that gp3 includes are bought
		if got := strings.Contains(strings.Join(s.Cautions, "\n"), decides); got != (name == "busy") {
			t.Errorf("%s: told first that the journal decides: %t: %q", name, got, s.Cautions)
		}
	}
	// 5,000 GiB of gp2 come with 15,000 IOPS
	if large := sized(5000, false, 5000, "gp2"); !said(large) || strings.Contains(strings.Join(large.Cautions, "\n"), "journal") {
		t.Errorf("with or without the journal, gp2 is the same: %q %q", large.Warnings, large.Cautions)
	}
	if a, b, c := quiet.Need.Mean.Writes, busy.Need.Mean.Writes, own.Need.Mean.Writes; a != b ||
		c < a+4900 || c > a+5100 {
		t.Errorf("%.0f writes without a journal, %.0f with 5,000, and %.0f on a device of its own", a, b, c)
	}
}
