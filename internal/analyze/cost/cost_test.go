package cost_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/realiops/realiops/internal/analyze/cost"
)

func TestParseBudgets(t *testing.T) {
	got, err := cost.ParseBudgets(
		"own_wal_bytes=24KiB, wal_fsyncs=3,rows=1.5k/tx,commits=base,wal_bytes=base+3%,rows=base + 2Ki")
	if err != nil {
		t.Fatal(err)
	}
	want := []cost.Budget{
		{Name: "own_wal_bytes", Max: 24 * 1024, Per: cost.PerRun, Text: "own_wal_bytes=24KiB"},
		{Name: "wal_fsyncs", Max: 3, Per: cost.PerRun, Text: "wal_fsyncs=3"},
		{Name: "rows", Max: 1500, Per: cost.PerTransaction, Text: "rows=1.5k/tx"},
		{Name: "commits", Per: cost.PerRun, Text: "commits=base", OverBase: &cost.Allowance{}},
		{Name: "wal_bytes", Per: cost.PerRun, Text: "wal_bytes=base+3%", OverBase: &cost.Allowance{Percent: 3}},
		{Name: "rows", Per: cost.PerRun, Text: "rows=base + 2Ki", OverBase: &cost.Allowance{Amount: 2048}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	for text, why := range map[string]string{
		"wal_fsyncs": "invalid budget", "fsyncs=3": `no count is named "fsyncs"`,
		"rows=": "invalid amount", "rows=-1": "invalid amount",
		"rows=1e999": "invalid amount", "rows=NaN": "invalid amount", "rows=3 MiBs": "invalid amount",
		"":            "invalid budget",
		"rows=base-1": `invalid "-1" after base`, "rows=base+": "invalid amount", "rows=base+3%%": "invalid amount",
		"rows=base+-1": "invalid amount", "rows=base+3k%": "invalid amount",
		"rows=5MB": "invalid amount", "wal_records=1KiB": "invalid amount", "rows=base+5B/tx": "invalid amount",
	} {
		if _, err := cost.ParseBudgets(text); err == nil || !strings.Contains(err.Error(), why) {
			t.Errorf("%q: %v, want %q", text, err, why)
		}
	}
}

// TestBudgetsAreNeverPassedByDefault: others can only have added to a count, and unreported work can only lack, so one
// side is always certain.
func TestBudgetsAreNeverPassedByDefault(t *testing.T) {
	counted := []cost.Count{{Name: "wal_fsyncs", Runs: []float64{4}, Median: 4, Low: 4, High: 4},
		{Name: "own_wal_bytes", Missing: "the WAL was not read"}}
	others, open := []string{"psql of joe in shop"}, true
	for _, c := range []struct {
		name   string
		others []string
		open   bool
		text   string
		want   cost.Verdict
	}{
		{"alone", nil, false, "wal_fsyncs=4", cost.Within},
		{"alone", nil, false, "wal_fsyncs=3", cost.Over},
		{"beside others", others, false, "wal_fsyncs=4", cost.Within},
		{"beside others", others, false, "wal_fsyncs=3", cost.CannotTell},
		{"with open sessions", nil, open, "wal_fsyncs=4", cost.CannotTell},
		{"with open sessions", nil, open, "wal_fsyncs=3", cost.Over},
		{"not counted", nil, false, "own_wal_bytes=1M", cost.CannotTell},
		{"two transactions", nil, false, "wal_fsyncs=2/tx", cost.Within},
		{"two transactions", nil, false, "wal_fsyncs=1/tx", cost.Over},
	} {
		of := cost.Cost{Repetitions: 1, Transactions: 2, Counts: counted, Others: c.others, Incomplete: c.open}
		budgets, err := cost.ParseBudgets(c.text)
		if err != nil {
			t.Fatal(err)
		}
		if got := of.Judge(budgets[0]); got.Verdict != c.want {
			t.Errorf("%s, %s: %s (%s), want %s", c.name, c.text, got.Verdict, got.Why, c.want)
		}
	}
	unknown := cost.Cost{Repetitions: 1, Counts: counted}
	budgets, _ := cost.ParseBudgets("wal_fsyncs=9/tx")
	if got := unknown.Judge(budgets[0]); got.Verdict != cost.CannotTell {
		t.Errorf("of transactions that nobody counted: %s", got.Verdict)
	}
}

// TestAllWALInsteadSaysWhy: a test that fails only because the WAL was not read says what to do about it.
func TestAllWALInsteadSaysWhy(t *testing.T) {
	of := cost.Cost{Repetitions: 1, Counts: []cost.Count{{Name: cost.OwnBytes, Missing: "no pg_walinspect: create it"},
		{Name: "wal_bytes", Runs: []float64{300}, Median: 300, Low: 300, High: 300}}}
	const want = "own_wal_bytes: whether it is at most 200 a run is unknown: the WAL was not read, and wal_bytes counts " +
		"all of it (no pg_walinspect: create it)"
	budgets, err := cost.ParseBudgets("own_wal_bytes=200")
	if err != nil {
		t.Fatal(err)
	}
	if got := of.Judge(budgets[0]).Sentence(); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestClearChanges(t *testing.T) {
	base := cost.Compared{File: "base.jsonl",
		Cost: cost.Cost{Counts: []cost.Count{{Name: "rows", Runs: []float64{3, 4, 5}, Median: 4, Low: 3, High: 5}}}}
	for _, c := range []struct {
		now  cost.Count
		want string
	}{
		{cost.Count{Name: "rows", Runs: []float64{6, 6, 7}, Median: 6, Low: 6, High: 7}, "+2 (+50.0%)"},
		{cost.Count{Name: "rows", Runs: []float64{4, 6, 7}, Median: 6, Low: 4, High: 7}, "~"},
		{cost.Count{Name: "rows", Runs: []float64{2, 2, 2}, Median: 2, Low: 2, High: 2}, "-2 (-50.0%)"},
		{cost.Count{Name: "rows", Runs: []float64{4, 4, 4}, Median: 4, Low: 4, High: 4}, "same"},
	} {
		if got := base.Of(c.now).Text(); got != c.want {
			t.Errorf("%v: %s, want %s", c.now, got, c.want)
		}
	}
	if got := base.Of(cost.Count{Name: "commits"}); got.Why == "" {
		t.Error("what the base has not counted is compared")
	}
}

func TestFormats(t *testing.T) {
	r := cost.Result{Cost: cost.Cost{
		Operation: cost.Cost{}.Operation, Repetitions: 2,
		Counts: []cost.Count{{Name: "rows", Runs: []float64{3, 4}, Median: 3.5, Low: 3, High: 4},
			{Name: "wal_bytes", Missing: "no"}},
	}}
	r.Operation.Text = "insert into t: 100% <new>"
	for _, text := range []string{"rows=3", "rows=4"} {
		budgets, err := cost.ParseBudgets(text)
		if err != nil {
			t.Fatal(err)
		}
		r.Budgets = append(r.Budgets, r.Judge(budgets[0]))
	}
	for name, c := range map[string]struct {
		write func(*strings.Builder) error
		want  string
	}{
		"go": {func(b *strings.Builder) error {
			return cost.GoBench(b, r)
		}, "BenchmarkInsertIntoT100New 1 3 rows/op\nBenchmarkInsertIntoT100New 1 4 rows/op\n"},
		"junit": {func(b *strings.Builder) error {
			return cost.JUnit(b, r)
		}, `tests="4" failures="1" errors="0" skipped="1"`},
		"github": {func(b *strings.Builder) error {
			return cost.GitHub(b, r)
		}, "::error title=realiops measure::rows: 3.5 a run; the budget is 3\n"},
		"bencher": {func(b *strings.Builder) error { return cost.Bencher(b, r) },
			`"rows": {` + "\n      \"value\": 3.5,\n      \"lower_value\": 3,\n      \"upper_value\": 4\n    }"},
	} {
		var b strings.Builder
		if err := c.write(&b); err != nil || !strings.Contains(b.String(), c.want) {
			t.Errorf("%s: %v\n%s\nwant %s", name, err, &b, c.want)
		}
	}
}

func FuzzParseBudgets(f *testing.F) {
	for _, seed := range []string{"rows=1", "own_wal_bytes=24KiB,wal_fsyncs=3/tx", "rows=1e3", "rows=,", "=1"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		budgets, err := cost.ParseBudgets(text)
		for _, b := range budgets {
			if err == nil && !(b.Max >= 0) {
				t.Errorf("%q is a budget of %v", text, b.Max)
			}
		}
	})
}

func TestNamesOfOthersAreMadeSafe(t *testing.T) {
	of := cost.Cost{Repetitions: 1, Counts: []cost.Count{{Name: "rows", Runs: []float64{4}, Median: 4}},
		Others: []string{"\x1b[31mpsql\n::error::"}}
	budgets, err := cost.ParseBudgets("rows=3")
	if err != nil {
		t.Fatal(err)
	}
	if said := of.Judge(budgets[0]).Sentence(); strings.ContainsAny(said, "\x1b\n") || !strings.Contains(said, "psql") {
		t.Errorf("%q", said)
	}
}
