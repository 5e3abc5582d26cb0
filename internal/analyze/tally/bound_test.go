package tally

import (
	"errors"
	"fmt"
	"iter"
	"strings"
	"testing"
	"time"

	"github.com/realiops/realiops/internal/runfile"
)

// TestBounds exceeds each bound of a run file by one; files at the bound are analyzed.
func TestBounds(t *testing.T) {
	noon := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	metric := func(i int) runfile.Record {
		return runfile.Metric{Name: fmt.Sprintf("pgstat.wal/m%d", i), Unit: "records", Type: runfile.Counter}
	}
	event := func(i int) runfile.Record {
		return runfile.LoadEvent{At: noon, Load: fmt.Sprint("a", i), Repetition: 1, Event: runfile.Begin}
	}
	check := func(what string, most int, head runfile.Run, record func(int) runfile.Record) {
		t.Helper()
		for _, n := range []int{most, most + 1} {
			_, err := FromRun(boundless(head, n, record))
			tooMuch, refused := errors.AsType[*TooMuchError](err)
			if refused != (n > most) || refused && !strings.Contains(tooMuch.Error(), what) {
				t.Errorf("%d %s: %v", n, what, err)
			}
		}
	}
	check("metrics", mostMetrics, runfile.Run{}, metric)
	check("loads", mostLoads, runfile.Run{}, event)
	check("probes", mostProbes, runfile.Run{}, func(i int) runfile.Record {
		return runfile.Reading{At: noon, Probe: fmt.Sprint("p", i), Values: map[string]float64{"x": 1}}
	})
	check("MiB", 1_000, runfile.Run{}, func(i int) runfile.Record {
		if i < 1_000 {
			return runfile.Gap{At: noon.Add(time.Duration(i) * time.Second), Probe: "p", Detail: "short"}
		}
		return runfile.Gap{At: noon, Probe: "p", Detail: strings.Repeat("x", mostHeld+1<<20)}
	})
	check("MiB", 1_000, runfile.Run{Observed: true}, func(i int) runfile.Record {
		if i < 1_000 {
			return runfile.Reading{At: noon.Add(time.Duration(i) * time.Second), Probe: "p",
				Values: map[string]float64{"x": 1}}
		}
		return runfile.Top{From: noon, At: noon, Of: "tables", Items: []runfile.TopItem{
			{Text: strings.Repeat("x", mostHeld+1<<20)}}}
	})
}

func boundless(head runfile.Run, n int, record func(int) runfile.Record) iter.Seq2[runfile.Record, error] {
	return func(yield func(runfile.Record, error) bool) {
		head.Schema = runfile.Schema
		if !yield(head, nil) {
			return
		}
		for i := range n {
			if !yield(record(i), nil) {
				return
			}
		}
	}
}
