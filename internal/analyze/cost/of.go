package cost

import (
	"fmt"
	"slices"
	"strings"

	"github.com/realiops/realiops/internal/analyze/counts"
	"github.com/realiops/realiops/internal/runfile"
)

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
