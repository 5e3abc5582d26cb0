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

// Sizes holds the parameters that a plan leaves open and flags fill in.
type Sizes struct {
	Clients   int
	RowsPerTx int
	// TableBytes is the size of the table for the loads that read; 0: chosen by the server's buffers and disk.
	TableBytes int64
}

// DefaultSizes returns those of the measurements in docs/reference/benchmarks.md.
func DefaultSizes() Sizes { return Sizes{Clients: 8, RowsPerTx: 1000} }

// Repetitions: three show how far a load's figures vary, LeastRepetitions hint at it.
const (
	usualRepetitions = 3
	LeastRepetitions = 2
)

// Published returns the pair of loads of the published runs, bulk insert without and with two indexes, with the two
// that make it tell something: COPY, whose rows leave few WAL records, and idle, for what happens without us.
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

// Default has the loads of [Identify], and of those that read and change what is there the few that show both sides of
// a read and of an update: answered by memory and by the device, one row at a time and all in order. They are run no
// more than twice, for the sake of time.
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

// Identify has every load that only inserts and tells two counted quantities apart, and idle. It leaves open how long
// and how often.
func Identify() runfile.Plan {
	return besideIdle("identify", load.Loads())
}

// Reads has the loads that read, Updates those that change rows that are there beside two that only insert, and
// Everything all.
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

// Cloud has the loads that tell most where each takes minutes or a quarter of an hour, because a source tells of
// periods: those of the published runs and COPY, and what parts statements, commits and bytes from rows. async parts
// what commits from what flushes: of all loads it settles most of what is open without it. Left out is a load of single
// rows, which tells little that these two and multi do not. Of those that read there are the five that miss pages. None
// of them is to find its table in memory, since what puts it there would show in the period in which the load begins.
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

// Named gives a plan by its name, or else reads it from the file by that name.
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

// Names returns those of the plans that realiops has.
func Names() (names []string) {
	for _, plan := range plans() {
		names = append(names, plan.Name)
	}
	return names
}

// ReadPlan reads a plan from a JSON file, in the form in which a run file records it.
func ReadPlan(ctx context.Context, path string) (runfile.Plan, error) {
	var plan runfile.Plan
	text, err := input.Read(ctx, path)
	if errors.Is(err, fs.ErrNotExist) {
		return plan, fmt.Errorf("there is no plan %s: it is %s, or a file", path, strings.Join(Names(), ", "))
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
		return plan, errors.New("something follows the plan")
	}
	return plan, nil
}

// renamed names the new word for a key of before the first release.
func renamed(err error) error {
	for old, now := range map[string]string{
		"arms": "loads", "replicates": "repetitions", "arm_seconds": "load_seconds",
		"most_replicates": "most_repetitions",
	} {
		if strings.HasSuffix(err.Error(), fmt.Sprintf("unknown field %q", old)) {
			return fmt.Errorf("%q is now %q", old, now)
		}
	}
	return err
}

// Complete fills in the factors that a plan leaves open, and checks it. [Fit] does the same for its lengths.
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

// defaultWorkers leaves most of the processors to the server, which is often on the same machine.
const defaultWorkers = 1

// mostWorkers are more than there is a use for: one for each processor is enough.
const mostWorkers = 1024

// loadName keeps names fit for a table, a column of a report and a file name.
var loadName = regexp.MustCompile(`^[a-z][a-z0-9_-]{0,30}$`)

// Bounds of a load in seconds: shorter is no steady load, longer is surely a mistake.
const (
	shortestLoad = 0.5
	longestLoad  = 24 * 60 * 60
)

// Bounds of a plan that keep what is made of it in memory small.
const (
	mostLoads       = 100
	mostRepetitions = 1_000
)

func validateLengths(plan runfile.Plan) error {
	switch {
	case plan.Repetitions < 1:
		return fmt.Errorf("the plan asks for %d repetitions: at least 1", plan.Repetitions)
	case !(plan.LoadSeconds >= shortestLoad && plan.LoadSeconds <= longestLoad): // also NaN
		return fmt.Errorf("the plan asks for loads of %g s: from %g s to a day", plan.LoadSeconds, shortestLoad)
	}
	return nil
}

func validate(plan runfile.Plan) error {
	if len(plan.Loads) == 0 {
		return errors.New("the plan has no loads")
	}
	if len(plan.Loads) > mostLoads {
		return fmt.Errorf("the plan has %d loads: at most %d", len(plan.Loads), mostLoads)
	}
	if plan.Repetitions > mostRepetitions {
		return fmt.Errorf("the plan asks for %d repetitions: at most %d", plan.Repetitions, mostRepetitions)
	}
	if plan.Workers < 1 || plan.Workers > mostWorkers {
		return fmt.Errorf("workers is %d and must be 1 to %d", plan.Workers, mostWorkers)
	}
	if !(plan.RestSeconds >= 0 && plan.RestSeconds <= longestLoad) {
		return fmt.Errorf("the plan asks for %g s of rest: from 0 to a day", plan.RestSeconds)
	}
	seen := map[string]bool{}
	for _, l := range plan.Loads {
		if !loadName.MatchString(l.Name) {
			return fmt.Errorf("load name %q: lower-case letters, digits, - and _, at most 31", l.Name)
		}
		if seen[l.Name] {
			return fmt.Errorf("two loads are named %s", l.Name)
		}
		seen[l.Name] = true
		if l.Idle() {
			continue
		}
		if l.MostRepetitions < 0 {
			return fmt.Errorf("most_repetitions of the load %s is %d: at least 1, or left out", l.Name,
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
	added      string // why it is run beyond the plan
}

// soonest returns the loads that answer most when little has been run: the largest number beside the disk's, the
// smallest factor, a read, and entries beside rows.
func soonest() []string { return []string{"bulk", "single", load.ScanCold, "bulk-indexed"} }

// blocks interleaves the loads: each block holds every load that is run so often once, in a random order of its own, so
// that no drift of the machine falls on one load alone. The seed alone decides it, but for the first block: the loads
// that answer soonest begin it.
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
			first := soonest()
			rank := func(s step) int { return (slices.Index(first, s.load.Name) + len(first) + 1) % (len(first) + 1) }
			slices.SortStableFunc(all[0], func(a, b step) int { return cmp.Compare(rank(a), rank(b)) })
		}
	}
	return all
}
