package experiment

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"

	"github.com/realiops/realiops/internal/input"
	"github.com/realiops/realiops/internal/measure/load"
	"github.com/realiops/realiops/internal/runfile"
)

// Sizes holds the parameters that a plan leaves open and flags set.
type Sizes struct {
	Clients, RowsPerTx int
	// TableBytes is the size of the table for the loads that read; 0: it follows the server's buffers and disk.
	TableBytes int64
}

// DefaultSizes returns the sizes used in docs/reference/benchmarks.md.
func DefaultSizes() Sizes { return Sizes{Clients: 8, RowsPerTx: 1000} }

// Repetitions show how far a load's figures vary; LeastRepetitions hint at it.
const (
	usualRepetitions = 3
	LeastRepetitions = 2
)

// Published returns the loads of the published runs, bulk insert without and with two indexes, and two that help to
// tell metrics apart: COPY, which writes few WAL records, and idle, which shows the background.
func Published() runfile.Plan {
	return runfile.Plan{
		Name: "published",
		Loads: []runfile.Load{
			{Name: "idle"},
			{Name: "bulk", Method: load.InsertSelect},
			{Name: "bulk-indexed", Method: load.InsertSelect, Indexes: 2},
			{Name: "copy", Method: load.Copy},
		},
	}
}

// Default has the loads of [Identify] and the fewest reads and updates that show both extremes: answered from memory
// and from the device, one row at a time and in order. Reads and updates run at most twice, to save time.
func Default() runfile.Plan {
	plan := Identify()
	plan.Name = "default"
	few := []string{load.PointWarm, load.PointCold, load.ScanCold, load.UpdateIndexed}
	for _, l := range slices.Concat(load.ReadLoads(), load.ChangeLoads()) {
		if slices.Contains(few, l.Name) {
			l.MostRepetitions = LeastRepetitions
			plan.Loads = append(plan.Loads, l)
		}
	}
	return plan
}

// Identify has idle and every insert-only load that tells two counted quantities apart. It leaves
// their length and repetitions open.
func Identify() runfile.Plan { return besideIdle("identify", load.Loads()) }

// Reads has the loads that read. Updates has the loads that change existing rows, and two that only
// insert. Everything has all loads.
func Reads() runfile.Plan { return besideIdle("reads", load.ReadLoads()) }

func Updates() runfile.Plan {
	return besideIdle("updates", append(load.ChangeLoads(), plainLoads()...))
}

func Everything() runfile.Plan {
	return besideIdle("everything", slices.Concat(load.Loads(), load.ReadLoads(), load.ChangeLoads()))
}

func besideIdle(name string, loads []runfile.Load) runfile.Plan {
	return runfile.Plan{Name: name, Loads: append([]runfile.Load{{Name: "idle"}}, loads...)}
}

// plainLoads insert rows, in bulk and one by one.
func plainLoads() []runfile.Load {
	return slices.DeleteFunc(load.Loads(), func(a runfile.Load) bool { return a.Name != "bulk" && a.Name != "single" })
}

// Cloud has the loads that tell most if each must last minutes, because a source reports periods. They are the
// published loads and COPY, and loads that separate statements, commits and bytes from rows. async separates commits
// from flushes, and settles more than any other addition. Single-row inserts are left out, since multi and those tell
// nearly as much. The five reads miss memory; loads that need a cached table are left out, since caching it would
// show in the load's first period.
func Cloud() runfile.Plan {
	plan := Identify()
	plan.Name = "cloud"
	plan.Loads = slices.DeleteFunc(plan.Loads, func(a runfile.Load) bool { return a.Name == "single" })
	miss := []string{load.PointCold, load.RangeCold, load.BitmapCold, load.JoinCold, load.ScanCold}
	plan.Loads = append(plan.Loads, slices.DeleteFunc(load.ReadLoads(), func(a runfile.Load) bool {
		return !slices.Contains(miss, a.Name)
	})...)
	return plan
}

// Named returns the built-in plan of that name, or reads the plan from the file of that name.
func Named(ctx context.Context, name string) (runfile.Plan, error) {
	for _, plan := range plans() {
		if plan.Name == name {
			return plan, nil
		}
	}
	return ReadPlan(ctx, name)
}

func plans() []runfile.Plan {
	return []runfile.Plan{Default(), Identify(), Published(), Cloud(), Reads(), Updates(), Everything()}
}

// Names returns the names of the built-in plans.
func Names() (names []string) {
	for _, plan := range plans() {
		names = append(names, plan.Name)
	}
	return names
}

// ReadPlan reads a plan from a JSON file, in the form that a run file has.
func ReadPlan(ctx context.Context, path string) (plan runfile.Plan, err error) {
	text, err := input.Read(ctx, path)
	if errors.Is(err, fs.ErrNotExist) {
		return plan, fmt.Errorf("%s is neither a file nor a plan; plans are %s", path, strings.Join(Names(), ", "))
	}
	if err != nil {
		return plan, fmt.Errorf("read the plan: %w", err)
	}
	if plan, err = parsePlan(text); err != nil {
		return plan, fmt.Errorf("read the plan %s: %w", path, err)
	}
	return plan, nil
}

func parsePlan(text []byte) (plan runfile.Plan, err error) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&plan); err != nil {
		return plan, renamed(err)
	}
	if decoder.More() {
		return plan, errors.New("unexpected data after the plan")
	}
	return plan, nil
}

// renamed explains an unknown key that has a new name.
func renamed(err error) error {
	for old, now := range map[string]string{
		"arms": "loads", "replicates": "repetitions", "arm_seconds": "load_seconds",
		"most_replicates": "most_repetitions",
	} {
		if strings.HasSuffix(err.Error(), fmt.Sprintf("unknown field %q", old)) {
			return fmt.Errorf("%q was renamed to %q", old, now)
		}
	}
	return err
}

// Complete fills in the loads' parameters that a plan leaves open, and checks the plan. [Fit] fills in its lengths.
func Complete(plan runfile.Plan, sizes Sizes) (runfile.Plan, error) {
	plan.Loads = slices.Clone(plan.Loads)
	for i := range plan.Loads {
		if load := &plan.Loads[i]; !load.Idle() {
			load.Clients = cmp.Or(load.Clients, sizes.Clients)
			load.RowsPerTx = cmp.Or(load.RowsPerTx, sizes.RowsPerTx)
		}
	}
	plan.Workers = cmp.Or(plan.Workers, defaultWorkers)
	return plan, validate(plan)
}

// defaultWorkers leaves most processors to the server, which often shares the machine.
const defaultWorkers = 1

// mostWorkers is more than anyone needs: one worker for each processor is enough.
const mostWorkers = 1024

// loadName keeps names fit for a table, a report column and a file name.
var loadName = regexp.MustCompile(`^[a-z][a-z0-9_-]{0,30}$`)

// Bounds of a load in seconds: a shorter load is not steady, a longer one is surely a mistake.
const (
	shortestLoad = 0.5
	longestLoad  = 24 * 60 * 60
)

// Bounds that keep a plan's memory small.
const (
	mostLoads       = 100
	mostRepetitions = 1_000
)

func validateLengths(plan runfile.Plan) error {
	switch {
	case plan.Repetitions < 1:
		return fmt.Errorf("the plan has %d repetitions; use at least 1", plan.Repetitions)
	case !(plan.LoadSeconds >= shortestLoad && plan.LoadSeconds <= longestLoad): // also NaN
		return fmt.Errorf("the plan has loads of %g s; use %g s to a day", plan.LoadSeconds, shortestLoad)
	}
	return nil
}

func validate(plan runfile.Plan) error {
	if len(plan.Loads) == 0 {
		return errors.New("the plan has no loads")
	}
	if len(plan.Loads) > mostLoads {
		return fmt.Errorf("the plan has %d loads; use at most %d", len(plan.Loads), mostLoads)
	}
	if plan.Repetitions > mostRepetitions {
		return fmt.Errorf("the plan has %d repetitions; use at most %d", plan.Repetitions, mostRepetitions)
	}
	if plan.Workers < 1 || plan.Workers > mostWorkers {
		return fmt.Errorf("invalid workers %d: must be 1 to %d", plan.Workers, mostWorkers)
	}
	if !(plan.RestSeconds >= 0 && plan.RestSeconds <= longestLoad) {
		return fmt.Errorf("the plan has %g s of rest; use 0 to a day", plan.RestSeconds)
	}
	seen := map[string]bool{}
	for _, l := range plan.Loads {
		if !loadName.MatchString(l.Name) {
			return fmt.Errorf("invalid load name %q: use at most 31 lower-case letters, digits, - and _", l.Name)
		}
		if seen[l.Name] {
			return fmt.Errorf("two loads are named %s", l.Name)
		}
		seen[l.Name] = true
		if l.Idle() {
			continue
		}
		if l.MostRepetitions < 0 {
			return fmt.Errorf("most_repetitions of the load %s is %d; use at least 1, or leave it out", l.Name,
				l.MostRepetitions)
		}
		if _, err := load.NewWorkload(l, ""); err != nil {
			return err
		}
	}
	return nil
}

type step struct {
	load       runfile.Load
	repetition int
	added      string // the reason to run it beyond the plan
}

// blocks interleaves the loads, so that a drift of the machine affects all of them. Each block holds every load
// once, in its own random order from the seed; a load with fewer repetitions is in fewer blocks. The first block begins
// with the loads that tell most early in a run: the highest rate apart from the disk's, the smallest factor, a read,
// and index entries apart from rows.
func blocks(plan runfile.Plan) [][]step {
	all := make([][]step, plan.Repetitions)
	for repetition := range all {
		order := rand.New(rand.NewPCG(plan.Seed, uint64(repetition))) //nolint:gosec // an order, not a secret
		for _, i := range order.Perm(len(plan.Loads)) {
			if load := plan.Loads[i]; repetition < plan.Times(load) {
				all[repetition] = append(all[repetition], step{load: load, repetition: repetition + 1})
			}
		}
		if repetition == 0 {
			first := []string{"bulk", "single", load.ScanCold, "bulk-indexed"}
			rank := func(s step) int { return (slices.Index(first, s.load.Name) + len(first) + 1) % (len(first) + 1) }
			slices.SortStableFunc(all[0], func(a, b step) int { return cmp.Compare(rank(a), rank(b)) })
		}
	}
	return all
}
