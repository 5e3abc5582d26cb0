package pgstat

import (
	"fmt"
	"slices"
	"strings"

	"github.com/realiops/realiops/internal/runfile"
)

// view is one of the server's statistics views, or one function, and what is read of it.
type view struct {
	name      string   // of its metrics, up to the slash
	relations []string // that have held it, newest first; the first that the server has is read. Empty: functions only
	rows      string   // the condition for the rows that count; empty: all
	arguments []any    // of the condition
	chapter   string   // of the documentation
	fields    []field
}

// field is a metric and the ways in which versions have shown it, newest first.
type field struct {
	name string
	unit string
	kind runfile.MetricType
	help string
	ways []way
}

// way is an expression and the columns that it takes for this to be the way.
type way struct {
	sql     string
	columns []string
}

// counter is a field read from the column of its own name, unless other ways are given.
func counter(name, unit, help string, ways ...way) field {
	if len(ways) == 0 {
		ways = []way{column(name)}
	}
	return field{name, unit, runfile.Counter, help, ways}
}

// column reads a column as it is.
func column(name string) way { return way{name, []string{name}} }

// milliseconds reads a column as seconds.
func milliseconds(name string) way { return way{name + " / 1000.0", []string{name}} }

// statsReset is when somebody last set a view's counters to zero. Some versions show NULL for never, which is no gap.
func statsReset() field { return statsResetOf("stats_reset") }

func statsResetOf(rows string) field {
	return field{"stats_reset", "seconds", runfile.Gauge, "when the counters were last reset, since 1970; 0 is never",
		[]way{{"coalesce(extract(epoch from " + rows + "), 0)", []string{"stats_reset"}}}}
}

func (v view) metric(f field) runfile.Metric {
	return runfile.Metric{Name: v.name + "/" + f.name, Unit: f.unit, Type: f.kind, Source: v.chapter, Help: f.help}
}

// statement is what a server is asked for a view.
type statement struct {
	sql       string
	arguments []any
	metrics   []string // of the values that it gives, in order
}

// catalog is what a server has: its version, and the columns of each relation.
type catalog struct {
	version string // 17.11
	number  int    // 170011
	columns map[string][]string
}

// ask makes the statement for what this server has of the view, and gaps for what it lacks.
func (v view) ask(server catalog) (statement, []runfile.Gap) {
	relation, found := v.relationOn(server)
	if !found {
		why := fmt.Sprintf("PostgreSQL %s has no %s", server.version, v.relations[0])
		return statement{}, v.gaps(runfile.Gap{Reason: runfile.Unsupported, Code: undefinedTable, Detail: why})
	}
	s := statement{arguments: v.arguments}
	var values []string
	var gaps []runfile.Gap
	for _, f := range v.fields {
		w, ok := f.wayFor(server.columns[relation])
		if !ok {
			gaps = append(gaps, runfile.Gap{
				Metric: v.metric(f).Name, Reason: runfile.Unsupported, Code: undefinedColumn,
				Detail: fmt.Sprintf("%s of PostgreSQL %s does not show it", relation, server.version),
			})
			continue
		}
		values = append(values, "("+w.sql+")::float8")
		s.metrics = append(s.metrics, v.metric(f).Name)
	}
	s.sql = v.selecting(values, relation)
	return s, gaps
}

// relationOn is the relation that the view is read from; none is needed for functions.
func (v view) relationOn(server catalog) (string, bool) {
	for _, relation := range v.relations {
		if _, there := server.columns[relation]; there {
			return relation, true
		}
	}
	return "", len(v.relations) == 0
}

func (f field) wayFor(columns []string) (way, bool) {
	for _, w := range f.ways {
		missing := func(c string) bool { return !slices.Contains(columns, c) }
		if !slices.ContainsFunc(w.columns, missing) {
			return w, true
		}
	}
	return way{}, false
}

func (v view) selecting(values []string, relation string) string {
	sql := mark + "select " + strings.Join(values, ", ")
	if relation != "" {
		sql += " from pg_catalog." + relation
	}
	if v.rows != "" {
		sql += " where " + v.rows
	}
	return sql
}

// gaps is one gap for every metric of the view.
func (v view) gaps(why runfile.Gap) []runfile.Gap {
	var gaps []runfile.Gap
	for _, f := range v.fields {
		why.Metric = v.metric(f).Name
		gaps = append(gaps, why)
	}
	return gaps
}
