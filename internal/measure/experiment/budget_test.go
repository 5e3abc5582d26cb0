package experiment

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/realiops/realiops/internal/measure/load"
	"github.com/realiops/realiops/internal/runfile"
)

// A tenth of the load's length and half a second lie between loads.
var pause = Pause{Fixed: 500 * time.Millisecond, Share: 0.1}

func fit(loadSeconds float64, repetitions, loads int, budget time.Duration, period float64) (runfile.Plan, error) {
	plan := runfile.Plan{Loads: slices.Repeat([]runfile.Load{{Method: "copy"}}, loads), LoadSeconds: loadSeconds, Repetitions: repetitions}
	return Fit(plan, Limits{Budget: budget, Period: period, Pause: pause})
}

func TestFit(t *testing.T) {
	check := func(loadSeconds float64, repetitions, loads int, budget time.Duration, period, wantSeconds float64,
		wantRepetitions int) {
		t.Helper()
		got, err := fit(loadSeconds, repetitions, loads, budget, period)
		if err != nil || got.LoadSeconds != wantSeconds || got.Repetitions != wantRepetitions {
			t.Errorf("%d x %g s, %v, want %d x %g s", got.Repetitions, got.LoadSeconds, err,
				wantRepetitions, wantSeconds)
		}
	}
	// The warm-up counts as a repetition: (120 s / 28 - 0.5 s) / 1.1 = 3.44 s
	check(0, 0, 9, 2*time.Minute, 0, 3.4, 3)
	check(0, 0, 9, 2*time.Minute, 1, 3.4, 3)
	check(0, 0, 9, time.Hour, 0, 5, 3)        // longer tells no more
	check(0, 0, 4, 2*time.Minute, 0, 5, 3)    // 13 x 6 s = 78 s
	check(0, 0, 9, 61*time.Second, 0, 1.5, 3) // 28 x 2.15 s = 60.2 s
	check(0, 0, 9, 60*time.Second, 0, 2.4, 2) // (60 s / 19 - 0.5 s) / 1.1 = 2.42 s
	check(0, 0, 9, 31*time.Second, 0, 1, 2)   // 19 x 1.6 s = 30.4 s
	check(10, 0, 9, 5*time.Minute, 0, 10, 2)  // 27 x 11.5 s + 6 s are 316.5 s
	check(10, 0, 9, 6*time.Minute, 0, 10, 3)
	check(10, 0, 9, time.Second, 0, 10, 2) // what the user sets stays
	check(0, 10, 9, 2*time.Minute, 0, 1, 10)
	check(0, 1, 9, 2*time.Minute, 0, 5, 1)
	check(0, 5, 4, 126*time.Second, 0, 5, 5) // (126 s / 21 - 0.5 s) / 1.1 = 5 s
	check(0.5, 1, 9, time.Second, 0, 0.5, 1)
	// Two whole minutes and five seconds on both sides: 130 s. The next load begins with the third
	// minute: 6 x 180 s + 6 s = 1086 s.
	check(0, 0, 2, 19*time.Minute, 60, 130, 3)
	check(0, 0, 2, 18*time.Minute, 60, 130, 2)
	check(0, 0, 2, 0, 60, 130, 2) // no budget: as long as the periods need
	check(0, 1, 2, 0, 300, 650, 1)
	check(30, 0, 2, time.Hour, 60, 30, 3) // what the user sets stays
}

// The budget covers making the tables of loads that read and change. The reading ones share one of 40 MB x
// 10 s. Each repetition of the updating one makes a new table: rows of 144 bytes in pages filled to 60 %, and
// two index entries of 23 bytes.
func TestFitLeavesTimeForTables(t *testing.T) {
	const rows = 677_966 // 400 MB of rows of 500 + 40 + 4 bytes, and of two entries
	reads := runfile.Load{Method: load.Scan, Indexes: 2, Width: 500, TableRows: rows}
	updates := runfile.Load{Method: load.Update, Indexes: 2, Width: 100, TableRows: 200_000}
	const each = 200_000 * (144/0.6 + 46) / 40e6 // 1.43 s
	plan, err := Fit(runfile.Plan{Loads: []runfile.Load{reads, reads, updates}, Repetitions: 2},
		Limits{Budget: 50 * time.Second, Pause: pause})
	if want := math.Floor(10*((50-10-2*each)/7-0.5)/1.1) / 10; err != nil || plan.LoadSeconds != min(want, 5) {
		t.Errorf("loads of %g s, %v, want %g s", plan.LoadSeconds, err, want)
	}
	plan.LoadSeconds = 3
	want := 7*3.8 + 10 + 2*each
	if took := Duration(plan, Limits{Pause: pause}).Seconds(); math.Abs(took-want) > 0.02 {
		t.Errorf("it is to take %g s, want %g s", took, want)
	}
}

func TestShort(t *testing.T) {
	minute := Limits{Period: 60}
	if !minute.Short(119) || minute.Short(120) || (Limits{}).Short(1) {
		t.Error("a load of less than two minutes is short for a source of minutes, and no other")
	}
}

func TestFitKeepsToTheBudget(t *testing.T) {
	for seconds := 31; seconds < 600; seconds++ {
		budget := time.Duration(seconds) * time.Second
		plan, err := fit(0, 0, 9, budget, 0)
		if took := Duration(plan, Limits{Pause: pause}); err != nil || took > budget {
			t.Errorf("%d s: %d x %g s take %v, %v", seconds, plan.Repetitions, plan.LoadSeconds, took, err)
		}
	}
}

func TestFitRefuses(t *testing.T) {
	check := func(loadSeconds float64, repetitions int, budget time.Duration, want string) {
		t.Helper()
		_, err := fit(loadSeconds, repetitions, 9, budget, 0)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want something about %q", err, want)
		}
	}
	check(0, 0, 14*time.Second, "--budget 14 s is too short for 9 loads; use at least 17 s") // 10 x 1.6 s
	check(0, 0, 0, "at least 17 s")
	check(0, 0, -time.Second, "at least 17 s")
	check(0, -3, time.Hour, "has -3 repetitions")
	if _, err := fit(0, -1, 1, time.Hour, 0); err == nil {
		t.Error("-1 repetitions of one load")
	}
	check(-1, 0, time.Hour, "loads of -1 s")
	check(0.1, 2, time.Hour, "loads of 0.1 s")
	check(1e9, 2, time.Hour, "loads of 1e+09 s")
	check(math.Inf(1), 2, time.Hour, "loads of +Inf s")
	check(math.NaN(), 0, time.Hour, "loads of NaN s")
}
