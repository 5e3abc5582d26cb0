package run

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/realiops/realiops/internal/measure/experiment"
	"github.com/realiops/realiops/internal/runfile"
)

// A load that the plan has is run once more as the plan has it; one that it lacks comes from the plan identify.
func TestLoadsToRunOnceMore(t *testing.T) {
	mine := runfile.Arm{Name: "copy", Method: "copy", RowsPerTx: 7, Clients: 2}
	p, err := NewProgram(runfile.Plan{Arms: []runfile.Arm{mine}}, experiment.Sizes{Clients: 3, RowsPerTx: 10},
		experiment.Limits{Budget: experiment.DefaultBudget, Pause: experiment.DefaultPause()}, false)
	if err != nil {
		t.Fatal(err)
	}
	loads, err := p.loads()
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]runfile.Arm{}
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
