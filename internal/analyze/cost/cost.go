// Package cost says what an operation cost a server, from a file that package operation has written: how much of
// everything that is counted for each time that it was done, and whether that is within a budget.
package cost

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/realiops/realiops/internal/analyze/counts"
	"github.com/realiops/realiops/internal/analyze/stats"
	"github.com/realiops/realiops/internal/runfile"
	"github.com/realiops/realiops/internal/series"
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

// Of returns the cost of a file's operation.
func Of(run *counts.Run) (Cost, error) {
	load, known := run.Load(runfile.OperationLoad)
	if !Is(run) || !known || len(load.Repetitions) == 0 {
		if len(load.LeftOut) > 0 {
			return Cost{}, fmt.Errorf("no repetition can be used: %s", load.LeftOut[0].Why)
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
	c.Remedies = c.remedies(run)
	return c, nil
}

// whole leaves out repetitions of which something was not read that was read of others, as where a machine was too busy
// to answer.
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

func reason(err error) string {
	missing, ok := errors.AsType[*series.Missing](err)
	switch {
	case ok && missing.Reason == series.Reset:
		return "its statistics were reset meanwhile" // which shows as a lower value, or by what its view says
	case ok:
		return cmp.Or(missing.Detail, err.Error())
	default:
		return err.Error()
	}
}

// withRemedy adds to the reason why the WAL was not read what to do about it. A measurement changes nothing on the
// server, so that it makes no extension itself.
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

// kind is one thing that is counted of each repetition.
type kind struct {
	name, unit, help string
	// of gives what was counted, and how much of that the server does by itself in the time.
	of counting
	// everybody returns the device's count for all programs; nil: of returns all there is.
	everybody func(counts.Load, counts.Repetition) (float64, error)
	// needed returns the least count that the operation needs, as far as that is known; subtracting the background
	// goes no lower. Nil: 0.
	needed func(counts.Load, counts.Repetition) float64
	// own returns the part that is certainly the operation's own, and rest says who else may have done more; nil:
	// all is its own.
	own  func(counts.Load, counts.Repetition) float64
	rest string
	// mayLack: it may be unknown in a repetition that was read whole.
	mayLack bool
}

// less takes off what the server does by itself.
func (k kind) less(counted, background float64, load counts.Load, r counts.Repetition) float64 {
	var needed float64
	if k.needed != nil {
		needed = min(counted, k.needed(load, r))
	}
	return max(needed, counted-math.Round(background))
}

// missingCount returns a count of which nothing is known so far.
func missingCount(k kind) Count {
	return Count{Name: k.name, Unit: k.unit, Help: k.help, Median: math.NaN(), Low: math.NaN(), High: math.NaN()}
}

func (k kind) count(load counts.Load) Count {
	c := missingCount(k)
	for _, r := range load.Repetitions {
		counted, background, err := k.of(load, r)
		if err != nil {
			c.Missing, c.Runs, c.Own, c.Rest, c.Background = reason(err), nil, nil, "", 0
			return c
		}
		c.Background = max(c.Background, background)
		is := k.less(counted, background, load, r)
		c.Runs = append(c.Runs, is)
		own, rest := k.surely(r)
		if own != nil {
			c.Own, c.Rest = append(c.Own, min(is, own(load, r))), rest
		}
	}
	c.Low, c.Median, c.High = slices.Min(c.Runs), stats.Median(c.Runs), slices.Max(c.Runs)
	c.Everybody = k.forEverybody(load)
	return c
}

func (k kind) forEverybody(load counts.Load) *float64 {
	if k.everybody == nil {
		return nil
	}
	var did []float64
	for _, r := range load.Repetitions {
		all, err := k.everybody(load, r.AsRead())
		if err != nil {
			return nil
		}
		did = append(did, all)
	}
	return new(stats.Median(did))
}

// Find returns the count of that name.
func (c Cost) Find(name string) (Count, bool) {
	i := slices.IndexFunc(c.Counts, func(count Count) bool { return count.Name == name })
	if i < 0 {
		return Count{}, false
	}
	return c.Counts[i], true
}
