package metric

import (
	"slices"
	"strings"
	"sync"

	"github.com/realiops/realiops/internal/runfile"
)

// Table is rows, in the order in which quantities prefer them.
type Table []Metric

// All returns the whole table. Callers must not modify it.
func All() Table { return table() }

var table = sync.OnceValue(func() Table {
	return slices.Concat(postgres(), postgresIO(), device(), requestsByFile(), walRecords(), fio(), cloud())
})

func (t Table) those(wanted func(*Metric) bool) (rows []Metric) {
	for i := range t {
		if wanted(&t[i]) {
			rows = append(rows, t[i])
		}
	}
	return rows
}

// Of returns the rows of a name in a run file: several where it means something else on each flavor. What is of one
// instance or volume by its own name (cloudwatch.db-2/WriteIOPS) is of the row without it.
func (t Table) Of(name string) (rows []Metric) {
	general, _ := shared(name)
	return t.those(func(m *Metric) bool { return m.Name == name || m.Name == general })
}

// Row returns the first row of a name. A name that the table does not have gives one that says nothing else.
func (t Table) Row(name string) Metric {
	general, _ := shared(name)
	for i := range t {
		if m := &t[i]; m.Name == name || m.Name == general {
			return *m
		}
	}
	return Metric{Name: name}
}

// shared splits the name of a metric of one instance or volume: cloudwatch.db-2/WriteIOPS is cloudwatch/WriteIOPS of
// db-2, and block.tablespaces.16400/writes is block.tablespaces/writes of tablespace 16400.
func shared(name string) (general, whose string) {
	view, column, _ := strings.Cut(name, "/")
	if oid, apart := TablespaceIn(strings.TrimPrefix(view, "block.")); apart {
		return InRole(TablespacesRole, "block/"+column), oid
	}
	service, whose, found := strings.Cut(view, ".")
	if !found || services[service] == "" {
		return name, ""
	}
	return service + "/" + column, whose
}

// First reports whether a first screen shows the metric of that name. All of a cloud's service are shown.
func (t Table) First(name string) bool {
	rows := t.Of(name)
	return ofCloud(name) && len(rows) == 0 || slices.ContainsFunc(rows, func(m Metric) bool { return m.First })
}

// FirstOfReads reports whether a first screen shows the metric of that name where something was read.
func (t Table) FirstOfReads(name string) bool {
	return slices.ContainsFunc(t.Of(name), func(m Metric) bool { return m.Reads })
}

// Matters reports whether whoever runs a load wants to know what the metric of that name counts.
func (t Table) Matters(name string) bool {
	rows := t.Of(name)
	return ofCloud(name) && len(rows) == 0 || slices.ContainsFunc(rows, func(m Metric) bool { return m.Matters })
}

// Documented returns the quantity of which PostgreSQL documents that the metric of that name shows one for each; empty
// for what others count: of what a provider documents it is the question whether it is so.
func (t Table) Documented(name string) Quantity {
	m := t.Row(name)
	if strings.HasPrefix(name, "pgstat.") && m.Makes != "" {
		return m.Makes
	}
	return m.Counts
}

// Making returns the rows that make a quantity, the preferred first.
func (t Table) Making(q Quantity) []Metric {
	return t.those(func(m *Metric) bool { return m.Makes == q })
}

// Adding returns the rows whose sum makes a quantity in versions that have none which makes it alone.
func (t Table) Adding(q Quantity) []Metric {
	return t.those(func(m *Metric) bool { return m.Adds == q })
}

// Said is a document's statement about a metric.
type Said struct {
	Document string // whose it is
	Quantity Quantity
	Some     bool // it counts some of these, not one for each
}

// Says returns what the document of a metric says that it counts, on a flavor of server and in a version of PostgreSQL,
// as server_version_num; false where that is no counted quantity.
func (t Table) Says(name, flavor string, version int) (Said, bool) {
	row, manual := t.Row(name), Said{Document: "PostgreSQL's manual"}
	switch {
	case strings.HasPrefix(name, "pgstat.") && row.Makes != "" && row.MakesIn.Has(version):
		manual.Quantity = row.Makes
	case row.Counts != "":
		manual.Quantity = row.Counts
	case row.Part != "":
		manual.Quantity, manual.Some = row.Part, true
	}
	if manual.Quantity == ReadCalls && version < firstWithCalls { // pg_stat_io counts blocks
		manual.Quantity = PagesMissed
	}
	if manual.Quantity != "" {
		return manual, true
	}
	for _, m := range t.Of(name) {
		if m.On == flavor && m.says != "" {
			return Said{Document: "AWS's document", Quantity: m.says}, true
		}
	}
	return Said{}, false
}

// firstWithCalls is the first version whose pg_stat_io counts operations, which may be of several blocks.
const firstWithCalls = 180000

// Rank returns the place of a metric of that name in the order in which people want to know of metrics: what is sold as
// IOPS comes first, and what tells least of I/O last.
func Rank(name string) int {
	views := []string{
		CloudWatch, Insights, "block", "pgstat.io", "pgstat.wal", "pgstat.checkpointer", "pgstat.bgwriter",
		"pgstat.lsn", "pgstat.database",
	}
	view, _, _ := strings.Cut(name, "/")
	if i := slices.Index(views, view); i >= 0 {
		return i
	}
	return len(views)
}

// View returns the rows that are read of one view, by the part of their names before the slash.
func (t Table) View(name string) Table {
	return t.those(func(m *Metric) bool { return m.Derived == nil && strings.HasPrefix(m.Name, name+"/") })
}

// Announced returns what a probe announces of the rows.
func (t Table) Announced() []runfile.Metric {
	var all []runfile.Metric
	for _, m := range t {
		all = append(all, m.Announced())
	}
	return all
}
