package experiment

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/realiops/realiops/internal/runfile"
)

func TestEachBlockHoldsEveryLoadOnce(t *testing.T) {
	plan := Published()
	plan.Repetitions, plan.Seed = 20, 7
	firsts := map[string]bool{}
	all := blocks(plan)
	for i, block := range all {
		seen := map[string]bool{}
		for _, s := range block {
			seen[s.load.Name] = true
			if s.repetition != i+1 {
				t.Errorf("repetition %d stands in block %d", s.repetition, i+1)
			}
		}
		if len(seen) != 4 || len(block) != 4 {
			t.Errorf("block %d holds %v", i+1, block)
		}
		firsts[block[0].load.Name] = true
	}
	if len(all) != 20 || len(firsts) != 4 {
		t.Errorf("%d blocks; only %v ever come first: the order is not random", len(all), firsts)
	}
}

// The default plan runs insert-only loads three times, and its few reads and updates twice.
func TestTheDefaultHasFewReads(t *testing.T) {
	plan := Default()
	plan.Repetitions = 3
	times := map[string]int{}
	for _, block := range blocks(plan) {
		for _, s := range block {
			times[s.load.Name]++
		}
	}
	want := map[string]int{
		"idle": 3, "bulk": 3, "bulk-indexed": 3, "copy": 3, "copy-indexed": 3, "single": 3, "async": 3,
		"multi": 3, "wide": 3,
		"point-warm": 2, "point-cold": 2, "scan-cold": 2, "update-indexed": 2,
	}
	if diff := cmp.Diff(want, times); diff != "" || plan.Steps() != 35 {
		t.Errorf("%d repetitions\n%s", plan.Steps(), diff)
	}
}

func TestOrderIsDecidedByTheSeedAlone(t *testing.T) {
	plan := Published()
	plan.Repetitions, plan.Seed = 5, 42
	again, other := plan, plan
	other.Seed = 43
	allow := cmp.AllowUnexported(step{})
	if diff := cmp.Diff(blocks(plan), blocks(again), allow); diff != "" {
		t.Errorf("the same seed gave another order:\n%s", diff)
	}
	if cmp.Equal(blocks(plan), blocks(other), allow) {
		t.Error("another seed gave the same order")
	}
}

func TestCompleteFillsInDefaults(t *testing.T) {
	plan := runfile.Plan{Repetitions: 1, LoadSeconds: 1, Loads: []runfile.Load{
		{Name: "idle"},
		{Name: "mine", Method: "copy", RowsPerTx: 7},
		{Name: "yours", Method: "insert-select", Clients: 3, Indexes: 1},
	}}
	got, err := Complete(plan, Sizes{Clients: 8, RowsPerTx: 1000})
	if err != nil {
		t.Fatal(err)
	}
	want := []runfile.Load{
		{Name: "idle"},
		{Name: "mine", Method: "copy", RowsPerTx: 7, Clients: 8},
		{Name: "yours", Method: "insert-select", RowsPerTx: 1000, Clients: 3, Indexes: 1},
	}
	if diff := cmp.Diff(want, got.Loads); diff != "" {
		t.Error(diff)
	}
	if plan.Loads[1].Clients != 0 {
		t.Error("the caller's plan was changed")
	}
}

func TestCompleteRefuses(t *testing.T) {
	check := func(change func(*runfile.Plan), want string) {
		t.Helper()
		plan := Published()
		change(&plan)
		_, err := Complete(plan, DefaultSizes())
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want something about %q", err, want)
		}
	}
	check(func(p *runfile.Plan) { p.Loads = nil }, "no loads")
	check(func(p *runfile.Plan) { p.Loads[1].Name = "Bulk; drop" }, "load name")
	check(func(p *runfile.Plan) { p.Loads[1].Name = "idle" }, "two loads")
	check(func(p *runfile.Plan) { p.Loads[1].Method = "upsert" }, `unknown method "upsert"`)
	check(func(p *runfile.Plan) { p.Loads[1].Indexes = 9 }, "invalid indexes 9")
	check(func(p *runfile.Plan) { p.Loads[1].RowsPerTx = -1 }, "invalid rows_per_tx -1")
	check(func(p *runfile.Plan) { p.Loads[1].Clients = -1 }, "invalid clients -1")
	check(func(p *runfile.Plan) { p.Loads[1].Clients = 1e9 }, "invalid clients 1,000,000,000: must be at most 10,000")
	check(func(p *runfile.Plan) { p.Loads[1].MostRepetitions = -1 }, "most_repetitions of the load bulk is -1")
	check(func(p *runfile.Plan) { p.Repetitions = 1e18 }, "has 1000000000000000000 repetitions; use at most 1000")
	check(func(p *runfile.Plan) {
		for i := range 97 {
			p.Loads = append(p.Loads, runfile.Load{Name: fmt.Sprint("more", i)})
		}
	}, "has 101 loads; use at most 100")
}

func TestReadPlan(t *testing.T) {
	read := func(text string) (runfile.Plan, error) {
		path := filepath.Join(t.TempDir(), "plan.json")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return ReadPlan(t.Context(), path)
	}
	recorded, err := json.Marshal(Published())
	if err != nil {
		t.Fatal(err)
	}
	got, err := read(string(recorded))
	if diff := cmp.Diff(Published(), got); diff != "" || err != nil {
		t.Errorf("a plan from a run file: %v\n%s", err, diff)
	}
	for text, want := range map[string]string{
		`{"loads": [], "replicas": 3}`:                     "replicas", // a misspelt field must not be ignored
		`{"arms": []}`:                                     `"arms" was renamed to "loads"`,
		`{"loads": [{"name": "a", "most_replicates": 1}]}`: `"most_replicates" was renamed to "most_repetitions"`,
		`{"loads": []} {}`:                                 "unexpected data",
		`bulk`:                                             "invalid character",
		``:                                                 "EOF",
	} {
		if _, err := read(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("plan %q: %v, want something about %q", text, err, want)
		}
	}
}

func TestEveryNamedPlanIsComplete(t *testing.T) {
	for _, name := range []string{"default", "published", "identify", "reads", "updates", "everything"} {
		plan, err := Named(t.Context(), name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Complete(plan, DefaultSizes()); err != nil || plan.Name != name || plan.Loads[0].Name != "idle" {
			t.Errorf("%s: %v, %+v", name, err, plan)
		}
	}
	if _, err := Named(t.Context(), "nowhere.json"); err == nil {
		t.Error("a plan that is neither named nor a file")
	}
}

func TestFirstRoundBeginsWithTheSoonestAnswers(t *testing.T) {
	plan, err := Fit(Default(), Limits{Budget: Budget("default"), Pause: DefaultPause()})
	if err != nil {
		t.Fatal(err)
	}
	for plan.Seed = range uint64(20) {
		var names []string
		for _, s := range blocks(plan)[0] {
			names = append(names, s.load.Name)
		}
		if diff := cmp.Diff([]string{"bulk", "single", "scan-cold", "bulk-indexed"}, names[:4]); diff != "" ||
			len(names) != len(plan.Loads) {
			t.Fatalf("with seed %d: %v\n%s", plan.Seed, names, diff)
		}
	}
	if two := blocks(runfile.Plan{Loads: []runfile.Load{{Name: "idle"}, {Name: "single"}},
		Repetitions: 1})[0]; two[0].load.Name != "single" {
		t.Errorf("of a plan without the other three: %v", two)
	}
}
