// Package cost computes what an operation cost a server, from a file that package operation has written: every count
// per execution, and whether it is within a budget.
package cost

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/realiops/realiops/internal/analyze/counts"
	"github.com/realiops/realiops/internal/runfile"
)

// Cost holds the counted cost of an operation.
type Cost struct {
	Operation    runfile.Operation `json:"operation"`
	Server       string            `json:"server"`
	Repetitions  int               `json:"repetitions"` // number counted
	Transactions int64             `json:"transactions,omitempty"`
	Counts       []Count           `json:"counts"`
	Statements   Causes            `json:"statements"`
	Tables       Causes            `json:"tables"`
	Relations    Relations         `json:"relations"`
	Indexes      Causes            `json:"indexes"`
	Settings     map[string]string `json:"settings"` // of the server, that affect the cost
	Remedies     []string          `json:"remedies"` // what would surely make it cheaper
	Warnings     []string          `json:"warnings"`
	// Others worked on the server in all repetitions, or may have: no count is certainly the operation's.
	Others []string `json:"others"`
	// Autovacuum worked on these tables in all repetitions: some counts may be the server's own.
	Autovacuum []string `json:"autovacuum"`
	// Incomplete: sessions of the operation may not have reported everything.
	Incomplete bool   `json:"incomplete,omitempty"`
	Lacks      string `json:"-"` // why, if it is not that sessions stayed open
}

// Count is one count, with a value for each repetition.
type Count struct {
	Name   string    `json:"name"` // as in a budget
	Unit   string    `json:"unit"`
	Help   string    `json:"help"`
	Runs   []float64 `json:"runs"` // one value per repetition
	Median float64   `json:"median"`
	Low    float64   `json:"low"`
	High   float64   `json:"high"`
	// Own is the part of each value that is certainly the operation's, and Rest names who may have caused the
	// remainder; nil: all is its own.
	Own     []float64 `json:"own,omitempty"`
	Rest    string    `json:"rest,omitempty"`
	Missing string    `json:"missing,omitempty"` // why there is no value
	// Background is the server's own activity in the time of a repetition. It is rounded to a whole number and
	// subtracted.
	Background float64 `json:"background"`
	// Ended reports that nothing was subtracted, because the server's own activity did not go on.
	Ended bool `json:"-"`
	// Irregular says who made some repetitions differ, if known.
	Irregular string `json:"irregular,omitempty"`
	// Everybody is the median of the device's count for all programs, if others use the device and the count is for the
	// server's files; otherwise nil.
	Everybody *float64 `json:"everybody,omitempty"`
}

// ErrNone is the error for a file without a repetition of an operation.
var ErrNone = errors.New("it has no repetitions of an operation; see realiops measure")

// Is reports whether a file is about an operation.
func Is(run *counts.Run) bool { return run.Header.Operation != nil }

// Find returns the count with the given name.
func (c Cost) Find(name string) (Count, bool) {
	i := slices.IndexFunc(c.Counts, func(count Count) bool { return count.Name == name })
	if i < 0 {
		return Count{}, false
	}
	return c.Counts[i], true
}

// Causes are the statements, tables or indexes that an operation wrote with, the largest first.
type Causes struct {
	Items   []Cause `json:"items"`
	Missing string  `json:"missing,omitempty"` // why there are none
	// Others worked on the server in all repetitions, or may have: the items include their writes.
	Others bool `json:"others,omitempty"`
}

// Cause is one statement, table or index.
type Cause struct {
	Name string `json:"name"`           // with its schema; for a statement, its queryid
	Text string `json:"text,omitempty"` // of a statement, without its values
	// per execution; uncounted columns are absent
	Each    map[string]float64 `json:"each"`
	AtLeast bool               `json:"at_least,omitempty"`
}

// Relations are the tables, indexes and sequences that an operation wrote WAL for, those with most bytes first.
type Relations struct {
	Items   []Relation `json:"items"`
	Missing string     `json:"missing,omitempty"` // why there are none
}

// Relation is one table, index or sequence, or WAL without one; see [runfile.WALItem].
type Relation struct {
	Name       string `json:"name"`
	Is         string `json:"is"` // as in run files: table, index, …
	Table      string `json:"table,omitempty"`
	Dropped    bool   `json:"dropped,omitempty"`
	Constraint string `json:"constraint,omitempty"`
	// Own are the records of rows, entries and commits, without page images, which budgets for own WAL count.
	OwnRecords Each `json:"own_records"`
	OwnBytes   Each `json:"own_bytes"`
	Records    Each `json:"records,omitzero"` // not in a base, like the next two
	Bytes      Each `json:"bytes,omitzero"`   // with images
	Images     Each `json:"images,omitzero"`
	ImageBytes Each `json:"image_bytes"`

	last runfile.WALItem // as last read
}

// Each is an amount in each repetition.
type Each struct {
	Runs   []float64 `json:"runs"`
	Median float64   `json:"median"`
	Low    float64   `json:"low"`
	High   float64   `json:"high"`
}

// Result is a cost, its base and budgets, and the verdicts.
type Result struct {
	Cost
	Budgets []Judged  `json:"budgets"`
	Base    *Compared `json:"base"`             // nil: no comparison
	Failed  string    `json:"failed,omitempty"` // why the operation did not finish
}

// Compared is a cost to compare with.
type Compared struct {
	File string `json:"file"`
	Cost Cost   `json:"cost"`
}

// Judged is a budget with its verdict.
type Judged struct {
	Budget
	Verdict Verdict  `json:"verdict"`
	Value   float64  `json:"value"` // the median
	Base    *float64 `json:"base"`  // the base's median; nil: the budget does not use a base, or it is unknown
	Why     string   `json:"why,omitempty"`
	Grew    []Growth `json:"grew"` // what did more than in the base, if over it; the largest first
}

// Verdict is the result of checking a budget.
type Verdict string

// The verdicts. CannotTell never counts as a pass.
const (
	Over       Verdict = "over"
	Within     Verdict = "within"
	CannotTell Verdict = "cannot tell"
	NotJudged  Verdict = "not judged" // the operation failed
)

// Growth is a statement, a table or an index that did more than in the base.
type Growth struct {
	Of   string  `json:"of"` // statement, table, index, or another kind of WAL item
	Name string  `json:"name"`
	What string  `json:"what"` // what it did more of
	Base float64 `json:"base"`
	Now  float64 `json:"now"`
	New  bool    `json:"new,omitempty"` // not in the base
	// Bytes is the size of the additional records, if the WAL shows it.
	Bytes float64 `json:"bytes,omitempty"`
}

// Of returns the cost of a file's operation.
func Of(run *counts.Run) (Cost, error) {
	load, known := run.Load(runfile.OperationLoad)
	if !Is(run) || !known || len(load.Repetitions) == 0 {
		if len(load.LeftOut) > 0 {
			return Cost{}, fmt.Errorf("no repetition is usable: %s", load.LeftOut[0].Why)
		}
		return Cost{}, ErrNone
	}
	target := run.Header.Target
	c := Cost{Operation: *run.Header.Operation, Server: "PostgreSQL " + target.Version,
		Settings: changing(target.Settings), Others: []string{}, Autovacuum: []string{}, Warnings: []string{}}
	if text := unfinished(run.Ended); text != "" {
		c.Warnings = append(c.Warnings, text)
	}
	for _, left := range load.LeftOut {
		c.Warnings = append(c.Warnings, fmt.Sprintf("Repetition %d is left out: %s", left.Repetition, left.Why))
	}
	counted := kinds(run)
	load.Repetitions = c.withBackground(run, c.alike(run, c.unvacuumed(c.alone(run, load))))
	load.Repetitions = c.whole(load, counted)
	c.warnOfOpen(run, load)
	c.warnOfSwitches(load.Repetitions)
	c.Repetitions = len(load.Repetitions)
	for _, r := range load.Repetitions {
		c.Transactions += r.Work.Transactions
	}
	for _, k := range counted {
		count := k.count(load)
		count.Irregular = irregular(count, load.Repetitions)
		count.Missing = withRemedy(target.Flavor, count.Missing)
		c.Counts = append(c.Counts, count)
	}
	c.Relations = relations(load)
	c.Relations.Missing = withRemedy(target.Flavor, c.Relations.Missing)
	for of, those := range c.sorts() {
		*those = causes(run.Tops, load.Repetitions, of)
		those.Others = len(c.Others) > 0
	}
	if c.Statements.Missing == "" && len(c.Statements.Items) == 0 && c.wroteTables() {
		c.Statements.Missing = "pg_stat_statements was reset meanwhile, or does not track these sessions"
	}
	if slices.ContainsFunc(run.Tops, func(t runfile.Top) bool {
		return t.Load == runfile.OperationLoad && t.Total[runfile.Evictions] > 0
	}) {
		c.Warnings = append(c.Warnings, "pg_stat_statements dropped statements to make room, so statements that wrote "+
			"may be missing here: raise pg_stat_statements.max")
	}
	c.Remedies = c.remedies(run)
	return c, nil
}

// whole leaves out repetitions that lack a count that others have, for example because the machine was too busy to
// answer.
func (c *Cost) whole(load counts.Load, counted []kind) (whole []counts.Repetition) {
	missing := map[string]int{}
	why := make([]map[string]error, len(load.Repetitions))
	for i, r := range load.Repetitions {
		why[i] = map[string]error{}
		for _, k := range counted {
			if _, _, err := k.of(load, r); err != nil {
				why[i][k.name] = err
				missing[k.name]++
			}
		}
	}
	var left []string
	for i, r := range load.Repetitions {
		lacks := func(k kind) bool {
			return !k.mayLack && why[i][k.name] != nil && missing[k.name] < len(load.Repetitions)
		}
		if n := slices.IndexFunc(counted, lacks); n >= 0 {
			left = append(left, fmt.Sprintf("Repetition %d is left out: %s was not read: %s", r.Number, counted[n].name,
				reason(why[i][counted[n].name])))
			continue
		}
		whole = append(whole, r)
	}
	if len(whole) == 0 {
		return load.Repetitions
	}
	c.Warnings = append(c.Warnings, left...)
	return whole
}

// unfinished explains the end of a measurement with fewer repetitions than requested.
func unfinished(end *runfile.Ended) string {
	const fewer = ": it is what was measured until then"
	switch {
	case end == nil:
		return "The run was cut off" + fewer
	case end.Status == runfile.Interrupted:
		return "The run was interrupted" + fewer
	case end.Status != runfile.Complete:
		return "The run failed" + fewer
	}
	return ""
}

// withRemedy adds a remedy to the reason why the WAL was not read. A measurement changes nothing on the server, so it
// does not create the extension itself.
func withRemedy(flavor, why string) string {
	const absent, make = "pg_walinspect is not in this database", ": create extension pg_walinspect"
	why = counts.WhyNoWAL(flavor, why)
	switch after, ok := strings.CutPrefix(why, absent); {
	case !ok, flavor == "rds":
		return why
	case strings.Contains(after, "superuser"), strings.Contains(after, "may not"):
		return absent + "; a superuser may" + make + "; grant pg_read_server_files to the role that measures"
	default:
		return absent + make
	}
}
