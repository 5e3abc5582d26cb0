package pgstat

import (
	"fmt"
	"slices"
	"strings"

	"github.com/realiops/realiops/internal/metric"
	"github.com/realiops/realiops/internal/runfile"
)

// Name is the sampler's name. A metric's name adds a dot, the view, a slash and the column: pgstat.wal/wal_records.
const Name = "pgstat"

// view is a statistics view or function of the server, and the part of it that is read.
type view struct {
	name      string   // prefix of its metrics' names, up to the slash
	extension string   // that has it; empty: the server itself
	relations []string // in all versions, newest first; the first that the server has is read. Empty: functions only
	call      string   // arguments of the relation's function, to be read in its place
	from      string   // its FROM clause, if more than a relation
	rows      string   // the condition for the rows to read; empty: all
	arguments []any    // of the condition
	sign      string   // an expression that changes whenever the values may; empty: they are read each time
	constant  bool     // its values change only when the server restarts
	only      bool     // its relation is a function of some engines, not missed elsewhere
	remedy    string   // a replacement for the view where an engine has none
	fields    []field
}

// selecting returns the query for some values of the view.
func (v view) selecting(values []string, relation string) string {
	sql := mark + "select " + strings.Join(values, ", ")
	switch {
	case v.from != "":
		sql += " from " + v.from
	case relation != "":
		sql += " from " + relation + v.call
	}
	if v.rows != "" {
		sql += " where " + v.rows
	}
	if v.sign != "" { // if it has not changed, the server returns no row and reads nothing
		sql += fmt.Sprintf(" having %s is distinct from $%d::pg_catalog.text", v.sign, len(v.arguments)+1)
	}
	return sql
}

// metric returns the field's row of the table of metrics.
func (v view) metric(f field) metric.Metric { return metric.All().Row(v.name + "/" + f.name) }

// setting returns the setting that a metric needs. If it is off, the counter stands still at zero or an old value.
func setting(m metric.Metric) string {
	for _, name := range m.Needs {
		if slices.Contains(settings(), name) {
			return name
		}
	}
	return ""
}

type statement struct {
	sql       string
	arguments []any
	answers   []answer // in order
	signed    bool     // the sign is the last argument and the last value of the answer
	constant  bool     // the first answer holds for the whole session
}

// answer is a metric, the setting that it needs, and the gap for a NULL.
type answer struct {
	metric, setting string
	null            runfile.Gap
}

// gap returns the reason for a missing value. A counter that is off counts as missing.
func (a answer) gap(value *float64, off []string) (runfile.Gap, bool) {
	gap := a.null
	if slices.Contains(off, a.setting) {
		gap = runfile.Gap{Reason: runfile.Disabled, Detail: "the setting " + a.setting + " is off"}
	}
	gap.Metric = a.metric
	return gap, value == nil || gap.Reason == runfile.Disabled
}

// catalog holds a server's version and its relations of interest.
type catalog struct {
	version    string // 17.11
	number     int    // 170011
	database   string
	extensions []string // installed in the database
	relations  map[string]relation
}

type relation struct {
	path    string // with its schema, as SQL
	columns []string
}

// missed reports whether the server lacks a view that is not expected there.
func (v view) missed(server catalog) bool {
	_, found := v.relationOn(server)
	return v.only && !found
}

// ask returns the statement for the fields that this server has, and gaps for the others.
func (v view) ask(server catalog) (statement, []runfile.Gap) {
	var gaps []runfile.Gap
	name, found := v.relationOn(server)
	if v.missed(server) {
		return statement{}, nil
	}
	if !found {
		why := v.lacking(server, v.relations[0])
		for _, f := range v.fields {
			why.Metric = v.metric(f).Name
			gaps = append(gaps, why)
		}
		return statement{}, gaps
	}
	s := statement{arguments: v.arguments, signed: v.sign != "", constant: v.constant}
	var values []string
	for _, f := range v.fields {
		m := v.metric(f)
		if _, there := server.relations[f.relation]; f.relation != "" && !there {
			why := v.lacking(server, f.relation)
			why.Metric = m.Name
			gaps = append(gaps, why)
			continue
		}
		w, ok := f.wayFor(server.relations[name].columns)
		if !ok {
			gaps = append(gaps, runfile.Gap{
				Metric: m.Name, Reason: runfile.Unsupported, Code: undefinedColumn,
				Detail: fmt.Sprintf("%s of PostgreSQL %s does not have it", name, server.version),
			})
			continue
		}
		values = append(values, "("+w.sql+")::pg_catalog.float8")
		s.answers = append(s.answers, answer{m.Name, setting(m), f.unanswered()})
	}
	if s.signed {
		values = append(values, v.sign)
	}
	s.sql = v.selecting(values, server.relations[name].path)
	return s, gaps
}

// relationOn returns the relation to read the view from; functions need none.
func (v view) relationOn(server catalog) (string, bool) {
	for _, name := range v.relations {
		if _, there := server.relations[name]; there {
			return name, true
		}
	}
	return "", len(v.relations) == 0
}

func (v view) lacking(server catalog, relation string) runfile.Gap {
	if v.extension != "" && !slices.Contains(server.extensions, v.extension) {
		why := fmt.Sprintf("extension %s is not in the database %s", v.extension, server.database)
		return runfile.Gap{Reason: runfile.Absent, Detail: why}
	}
	why := fmt.Sprintf("PostgreSQL %s has no %s", server.version, relation)
	if v.extension != "" {
		why = fmt.Sprintf("extension %s in the database %s has no %s", v.extension, server.database, relation)
	}
	return runfile.Gap{Reason: runfile.Unsupported, Code: undefinedTable, Detail: why}
}
