package cli

import (
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/realiops/realiops/internal/analyze/attribution"
	"github.com/realiops/realiops/internal/measure/experiment"
	"github.com/realiops/realiops/internal/runfile"
)

// open is an undetermined verdict that an arm would settle; "" is none.
func open(metric, arm string) attribution.Verdict {
	v := attribution.Verdict{Metric: runfile.Metric{Name: metric}, Kind: attribution.Undetermined}
	if arm != "" {
		v.SettleWith = &attribution.Settle{Arm: arm, Between: []string{"rows", "wal_records"}}
	}
	return v
}

func TestTheArmThatSettlesMostIsChosen(t *testing.T) {
	check := func(added map[string]int, wantArm, wantWhy string, verdicts ...attribution.Verdict) {
		t.Helper()
		arm, why := (&chooser{added: added}).choose(attribution.Verdicts{Metrics: verdicts})
		if arm != wantArm || why != wantWhy {
			t.Errorf("%q, because %q, want %q, because %q", arm, why, wantArm, wantWhy)
		}
	}
	settled := open("block/writes", "single")
	settled.Kind = attribution.Logical
	check(nil, "", "")
	check(nil, "", "", open("pgstat.io/writes", ""), settled)
	check(nil, "copy", "it would tell rows from wal_records for pgstat.io/writes", open("pgstat.io/writes", "copy"), open("pgstat.io/extends", "multi"), settled)
	check(nil, "multi", "it would tell rows from wal_records for pgstat.io/extends and 1 more",
		open("pgstat.io/writes", "copy"), open("pgstat.io/extends", "multi"), open("pgstat.io/fsyncs", "multi"))
	three := open("pgstat.io/writes", "copy")
	three.SettleWith.Between = []string{"rows", "entries", "wal_records"}
	check(nil, "copy", "it would tell 3 drivers apart for pgstat.io/writes", three)
	check(nil, "", "", open("pgstat.io/reads", "copy")) // not on the first screen
	check(map[string]int{"multi": mostAdded}, "copy", "it would tell rows from wal_records for pgstat.io/writes",
		open("pgstat.io/writes", "copy"), open("pgstat.io/extends", "multi"), open("pgstat.io/fsyncs", "multi"))
	asked := &chooser{required: []string{"pgstat.io/reads"}}
	if arm, _ := asked.choose(attribution.Verdicts{Metrics: []attribution.Verdict{open("pgstat.io/reads", "copy")}}); arm != "copy" {
		t.Errorf("%q settles what is required", arm)
	}
}

// An arm that the plan has is run as the plan has it; one that it lacks comes from the plan identify.
func TestArmsToChooseFrom(t *testing.T) {
	mine := runfile.Arm{Name: "copy", Method: "copy", RowsPerTx: 7, Clients: 2}
	c, err := newChooser(Env{}, nil, nil, runfile.Plan{Arms: []runfile.Arm{mine}}, experiment.Sizes{Clients: 3, RowsPerTx: 10})
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]runfile.Arm{}
	for _, arm := range c.arms {
		found[arm.Name] = arm
	}
	if diff := cmp.Diff(mine, found["copy"]); diff != "" || len(c.arms) != 9 {
		t.Errorf("%d arms\n%s", len(c.arms), diff)
	}
	if single := found["single"]; single.Clients != 3 || single.RowsPerTx != 1 {
		t.Errorf("%+v", single)
	}
}

// A file that cannot be judged ends the additions and nothing else.
func TestNothingIsChosenFromAFileThatTellsNothing(t *testing.T) {
	file, err := runfile.Create(filepath.Join(t.TempDir(), "run.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	c, err := newChooser(Env{}, file, nil, experiment.Published(), experiment.DefaultSizes())
	if err != nil {
		t.Fatal(err)
	}
	if next, ok := c.next(); ok {
		t.Errorf("an empty file asks for %v", next)
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	if next, ok := c.next(); ok {
		t.Errorf("a closed file asks for %v", next)
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
