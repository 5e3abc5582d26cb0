package report

import (
	"strings"
	"testing"

	"github.com/realiops/realiops/internal/analyze/attribution"
	"github.com/realiops/realiops/internal/analyze/tally"
	"github.com/realiops/realiops/internal/metric"
)

// TestHeadlineOfWALShowsDevice if that is known, even without a ratio.
func TestHeadlineOfWALShowsDevice(t *testing.T) {
	figure := func(v float64) Figure { return Figure{Value: v, Lowest: v, Highest: v, N: 3} }
	h := &Headline{Load: "load A", Loud: Counted{metric.WALRecords, figure(3461)},
		Quiet: Counted{metric.WALWrites, figure(441)}}
	load := Load{Name: "load A"}
	if got := h.sentence([]Load{load}); !strings.Contains(got,
		"wrote its WAL 441 times a second; its device was not visible.") {
		t.Error(got)
	}
	load.Work = []Work{{Quantity: metric.DeviceRequests, PerSecond: figure(438)}}
	if got := h.sentence([]Load{load}); !strings.Contains(got,
		"wrote its WAL 441 times a second, and the device did 438 requests.") {
		t.Error(got)
	}
}

// TestSecondWithoutTheDevice leaves no gap for it.
func TestSecondWithoutTheDevice(t *testing.T) {
	var load Load
	load.Name = "bulk"
	value := 1000.
	for _, quantity := range []metric.Quantity{metric.RowsWritten, metric.WALRecords, metric.WALWrites, metric.WALSyncs} {
		load.Work = append(load.Work, Work{Quantity: quantity, PerSecond: Figure{Value: value, N: 1}})
		value /= 2
	}
	p := Loads{}.second(load)
	if want := "One second of bulk: 1,000 rows, 500 WAL records, 250 WAL writes, 125 WAL fsyncs."; p.Text != want ||
		len(p.Y.Names) != 4 {
		t.Errorf("%q, with places for %q; want %q", p.Text, p.Y.Names, want)
	}
}

// TestSecondTellsZeroFromUnknown: with fsync off there are no WAL fsyncs, and before version 14 nobody counts them.
func TestSecondTellsZeroFromUnknown(t *testing.T) {
	figure := func(v float64) Figure { return Figure{Value: v, N: 1} }
	load := Load{Name: "bulk", Work: []Work{{Quantity: metric.RowsWritten, PerSecond: figure(3000)},
		{Quantity: metric.WALRecords, PerSecond: figure(2000)}, {Quantity: metric.DeviceRequests, PerSecond: figure(28)}}}
	for want, work := range map[string][]Work{
		"0": append(load.Work, Work{Quantity: metric.WALSyncs, PerSecond: figure(0)}), "not known": load.Work} {
		load.Work = work
		p := Loads{}.second(load)
		if bar := p.Bars[2]; p.Y.Names[bar.Place] != "WAL fsyncs" || bar.Label != want || bar.Value != 0 {
			t.Errorf("%q: %+v, want the label %s", p.Y.Names[bar.Place], bar, want)
		}
	}
}

// TestHeadlineNamesLoadsWithoutFactor: the requests of async vary by 3.7 times between repetitions of the shipped run.
func TestHeadlineNamesLoadsWithoutFactor(t *testing.T) {
	run, err := tally.FromFile("../../../testdata/runs/local-pg15.jsonl.zst")
	if err != nil {
		t.Fatal(err)
	}
	h := New(run, attribution.Verdicts{}).Headline
	if len(h.NoFactor) != 1 || h.NoFactor[0] != "async" || !strings.Contains(h.Text, "It varies under async (") {
		t.Errorf("%q: %s", h.NoFactor, h.Text)
	}
}
