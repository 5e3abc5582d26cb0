// Package cost says what an operation cost a server, from a file that package operation has written: how much of
// everything that is counted for each time that it was done, and whether that is within a budget.
package cost

import (
	"errors"
	"slices"

	"github.com/realiops/realiops/internal/analyze/counts"
	"github.com/realiops/realiops/internal/runfile"
)

// Cost holds the counted cost of an operation.
type Cost struct {
	Operation    runfile.Operation `json:"operation"`
	Server       string            `json:"server"`
	Repetitions  int               `json:"repetitions"` // that were counted
	Transactions int64             `json:"transactions,omitempty"`
	Counts       []Count           `json:"counts"`
	Statements   Causes            `json:"statements"`
	Tables       Causes            `json:"tables"`
	Relations    Relations         `json:"relations"`
	Indexes      Causes            `json:"indexes"`
	Settings     map[string]string `json:"settings"` // of the server, that change what the same operation costs
	Remedies     []string          `json:"remedies"` // what would make it cheaper, where that is sure
	Warnings     []string          `json:"warnings"`
	// Others were at work in all repetitions, or may have been: nothing of the server's counts is the operation's for
	// sure.
	Others []string `json:"others"`
	// Autovacuum worked on these tables in all repetitions: some of what was counted may be the server's own.
	Autovacuum []string `json:"autovacuum"`
	// Incomplete: sessions of the operation may not have reported all that they did.
	Incomplete bool `json:"incomplete,omitempty"`
}

// Count is one thing that was counted, once for each repetition.
type Count struct {
	Name   string    `json:"name"` // as in a budget
	Unit   string    `json:"unit"`
	Help   string    `json:"help"`
	Runs   []float64 `json:"runs"` // in each repetition
	Median float64   `json:"median"`
	Low    float64   `json:"low"`
	High   float64   `json:"high"`
	// Own is the certain part of each repetition's count that belongs to the operation, and Rest names who else may
	// have caused the remainder; nil: all is its own.
	Own     []float64 `json:"own,omitempty"`
	Rest    string    `json:"rest,omitempty"`
	Missing string    `json:"missing,omitempty"` // why there is nothing
	// Background is the server's own activity in the time of a repetition. It is rounded to a whole number and
	// subtracted.
	Background float64 `json:"background"`
	// Irregular says who made it differ in some repetitions, where that is known.
	Irregular string `json:"irregular,omitempty"`
	// Everybody is the median of the device's count for all programs, if others use the device and the count is for
	// the server's files; otherwise nil.
	Everybody *float64 `json:"everybody,omitempty"`
}

// ErrNone is a file that holds no repetition of an operation.
var ErrNone = errors.New("it holds no repetition of an operation: see realiops measure")

// Is reports whether a file is about an operation.
func Is(run *counts.Run) bool { return run.Header.Operation != nil }

// Find returns the count of that name.
func (c Cost) Find(name string) (Count, bool) {
	i := slices.IndexFunc(c.Counts, func(count Count) bool { return count.Name == name })
	if i < 0 {
		return Count{}, false
	}
	return c.Counts[i], true
}

// Causes are the statements, tables or indexes that an operation wrote by, those that wrote most first.
type Causes struct {
	Items   []Cause `json:"items"`
	Missing string  `json:"missing,omitempty"` // why there are none
	// Others were at work in all repetitions, or may have been: what they wrote by is among the items.
	Others bool `json:"others,omitempty"`
}

// Cause is one statement, table or index.
type Cause struct {
	Name string `json:"name"`           // with its schema; of a statement, its queryid
	Text string `json:"text,omitempty"` // of a statement, without its values
	// each time that the operation was done; what is not there was not counted
	Each    map[string]float64 `json:"each"`
	AtLeast bool               `json:"at_least,omitempty"`
}

// Relations are the tables, indexes and sequences that an operation wrote WAL for, those with most bytes first.
type Relations struct {
	Items   []Relation `json:"items"`
	Missing string     `json:"missing,omitempty"` // why there are none
}

// Relation is one table, index or sequence, or what names none; see [runfile.WALItem].
type Relation struct {
	Name       string `json:"name"`
	Is         string `json:"is"` // as in run files: table, index, …
	Table      string `json:"table,omitempty"`
	Dropped    bool   `json:"dropped,omitempty"`
	Constraint string `json:"constraint,omitempty"`
	// Own are records of rows, entries and commits, without images of pages: what budgets for own WAL are about.
	OwnRecords Each `json:"own_records"`
	OwnBytes   Each `json:"own_bytes"`
	Records    Each `json:"records,omitzero"` // not in a base, as the next two
	Bytes      Each `json:"bytes,omitzero"`   // with images
	Images     Each `json:"images,omitzero"`
	ImageBytes Each `json:"image_bytes"`

	last runfile.WALItem // as it was told last
}

// Each is an amount in each repetition.
type Each struct {
	Runs   []float64 `json:"runs"`
	Median float64   `json:"median"`
	Low    float64   `json:"low"`
	High   float64   `json:"high"`
}

// Result is a cost, what it was held against, and what came of that.
type Result struct {
	Cost
	Budgets []Judged  `json:"budgets"`
	Base    *Compared `json:"base"`             // nil: it was compared with nothing
	Failed  string    `json:"failed,omitempty"` // why the operation was not done to the end
}

// Compared is a cost to compare with.
type Compared struct {
	File string `json:"file"`
	Cost Cost   `json:"cost"`
}

// Judged is a budget and what became of it.
type Judged struct {
	Budget
	Verdict Verdict  `json:"verdict"`
	Value   float64  `json:"value"` // the median
	Base    *float64 `json:"base"`  // the median of the base; nil: the budget does not refer to one, or it is not known
	Why     string   `json:"why,omitempty"`
	Grew    []Growth `json:"grew"` // what did more than in the base, where it is over that; what did most comes first
}

// Verdict is the result of checking a budget.
type Verdict string

// The verdicts. That something cannot be told is never taken for a pass.
const (
	Over       Verdict = "over"
	Within     Verdict = "within"
	CannotTell Verdict = "cannot tell"
	NotJudged  Verdict = "not judged" // the operation failed
)

// Growth is a statement, a table or an index that did more than in the base.
type Growth struct {
	Of   string  `json:"of"` // statement, table, index, or another thing that WAL is of
	Name string  `json:"name"`
	What string  `json:"what"` // that it did more of
	Base float64 `json:"base"`
	Now  float64 `json:"now"`
	New  bool    `json:"new,omitempty"` // the base does not have it
	// Bytes is the size of the additional records, if the WAL shows it.
	Bytes float64 `json:"bytes,omitempty"`
}
