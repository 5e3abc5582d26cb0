package run

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/realiops/realiops/internal/measure/experiment"
	"github.com/realiops/realiops/internal/runfile"
)

// A load that the plan has is repeated as the plan has it; any other comes from the plan identify.
func TestLoadsToRunOnceMore(t *testing.T) {
	mine := runfile.Load{Name: "copy", Method: "copy", RowsPerTx: 7, Clients: 2}
	p, err := NewProgram(runfile.Plan{Loads: []runfile.Load{mine}}, experiment.Sizes{Clients: 3, RowsPerTx: 10},
		experiment.Limits{Budget: experiment.Budget(""), Pause: experiment.DefaultPause()}, false)
	if err != nil {
		t.Fatal(err)
	}
	loads, err := p.loads()
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]runfile.Load{}
	for _, load := range loads {
		found[load.Name] = load
	}
	if diff := cmp.Diff(mine, found["copy"]); diff != "" || len(loads) != 9 {
		t.Errorf("%d loads\n%s", len(loads), diff)
	}
	if single := found["single"]; single.Clients != 3 || single.RowsPerTx != 1 {
		t.Errorf("%+v", single)
	}
}

func TestSlowest(t *testing.T) {
	metrics := []runfile.Metric{{Name: "a"}, {Name: "b", Period: 60}, {Name: "c", Period: 300}}
	for _, c := range []struct {
		required []string
		want     float64
	}{{nil, 0}, {[]string{"a"}, 0}, {[]string{"a", "b"}, 60}, {[]string{"c", "b"}, 300}} {
		if got := slowest(metrics, c.required); got != c.want {
			t.Errorf("%q: %g, want %g", c.required, got, c.want)
		}
	}
}

func identifyWithin(budget time.Duration, budgeted bool) (*Program, error) {
	return NewProgram(experiment.Identify(), experiment.DefaultSizes(),
		experiment.Limits{Budget: budget, Pause: experiment.DefaultPause()}, budgeted)
}

// A budget that the user set is kept if one repetition fits. If not even one fits, one runs, and the run
// says how much longer it takes.
func TestABudgetThatWasSetIsKept(t *testing.T) {
	for pause, want := range map[time.Duration]string{
		// 8 loads, an idle one and a warm-up: 10 x (1.2 s + 1.8 s)
		1800 * time.Millisecond: "8 loads x 1 repetition x 1.2 s, about 30 s from now; recorded in f",
		5 * time.Second: "8 loads x 1 repetition x 1 s, about 1 min from now, 30 s more than --budget, because 51 s of it " +
			"are pauses between loads; recorded in f",
	} {
		p, err := identifyWithin(30*time.Second, true)
		if err != nil || p.Plan.Repetitions != 2 {
			t.Fatalf("%v, %d repetitions", err, p.Plan.Repetitions)
		}
		if err := p.measured(experiment.Pause{Fixed: pause}, 0); err != nil {
			t.Fatal(err)
		}
		if said := p.announcement("f"); said != want {
			t.Errorf("pauses of %s:\n%s, want\n%s", pause, said, want)
		}
	}
}

// The least budget does not depend on the storage: a run is refused before a server is started or not at all.
func TestTheLeastBudgetIsStable(t *testing.T) {
	identify := func(budget time.Duration) (*Program, error) { return identifyWithin(budget, false) }
	_, err := identify(time.Second)
	if !errors.Is(err, experiment.ErrTooShort) {
		t.Fatal(err)
	}
	_, said, _ := strings.Cut(err.Error(), "at least ")
	said, _, _ = strings.Cut(said, ",")
	least, err := time.ParseDuration(strings.ReplaceAll(said, " ", ""))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := identify(least - 2*time.Second); !errors.Is(err, experiment.ErrTooShort) {
		t.Errorf("less than %v: %v", least, err)
	}
	p, err := identify(least)
	if err != nil {
		t.Fatal(err)
	}
	slow := experiment.Pause{Fixed: 5 * time.Second}
	if err := p.measured(slow, 0); err != nil || p.Plan.Repetitions != 1 || p.Plan.LoadSeconds != 1 {
		t.Errorf("pauses of 5 s: %v, %d repetitions of %g s", err, p.Plan.Repetitions, p.Plan.LoadSeconds)
	}
	if p, err = identify(2 * least); err != nil || p.Plan.Repetitions != 2 {
		t.Fatalf("%v, %d repetitions", err, p.Plan.Repetitions)
	}
	if err := p.measured(slow, 0); err != nil || p.Plan.Repetitions != 2 || p.Plan.LoadSeconds != 1 {
		t.Errorf("pauses of 5 s after two repetitions were announced: %v, %d of %g s", err, p.Plan.Repetitions,
			p.Plan.LoadSeconds)
	}
	// 5 s with each of 18 repetitions, and a warm-up of 6 s
	const why = "more than --budget, because 1 min 36 s of it are pauses between loads"
	if text := p.announcement("f"); !strings.Contains(text, why) {
		t.Error(text)
	}
	once := experiment.Duration(runfile.Plan{Loads: p.Plan.Loads, Repetitions: 1, LoadSeconds: 1}, p.limits)
	for budget, want := range map[time.Duration]bool{once: true, once - time.Second: false} {
		p.limits.Budget = budget
		if text := p.announcement("f"); strings.Contains(text, "; --repetitions 1 stays within it") != want {
			t.Errorf("of %s, where one repetition takes %s: %s", budget, once, text)
		}
	}
}
