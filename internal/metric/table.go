package metric

import (
	"cmp"
	"slices"
	"strings"
	"sync"

	"github.com/realiops/realiops/internal/runfile"
)

// Table is a list of rows, in order of preference for quantities.
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

// Of returns the rows of a name in a run file: several if it means something else on each flavor. A name with an
// instance or volume (cloudwatch.db-2/WriteIOPS) has the rows of the name without it.
func (t Table) Of(name string) (rows []Metric) {
	general, _ := shared(name)
	return t.those(func(m *Metric) bool { return m.Name == name || m.Name == general })
}

// Row returns the first row of a name. An unknown name gives a row with just the name.
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

// First reports whether the metric of that name is on the first screen. All metrics of a cloud's service are.
func (t Table) First(name string) bool {
	rows := t.Of(name)
	return isCloud(name) && len(rows) == 0 || slices.ContainsFunc(rows, func(m Metric) bool { return m.First })
}

// FirstOfReads reports whether the metric of that name is on the first screen if something was read.
func (t Table) FirstOfReads(name string) bool {
	return slices.ContainsFunc(t.Of(name), func(m Metric) bool { return m.Reads })
}

// Matters reports whether the user of a load wants to know what the metric of that name counts.
func (t Table) Matters(name string) bool {
	rows := t.Of(name)
	return isCloud(name) && len(rows) == 0 || slices.ContainsFunc(rows, func(m Metric) bool { return m.Matters })
}

// Documented returns the quantity that PostgreSQL documents to be equal to the metric of that name; empty for metrics
// of others, whose documentation is under test.
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

// Adding returns the rows whose sum makes a quantity in versions without a row that makes it alone.
func (t Table) Adding(q Quantity) []Metric {
	return t.those(func(m *Metric) bool { return m.Adds == q })
}

// Said is a document's statement about a metric.
type Said struct {
	Document string // whose document
	Quantity Quantity
	Some     bool // it counts some of these, not each
}

// Says returns the quantity that a metric counts according to its document, on a flavor of server and in a version of
// PostgreSQL, as server_version_num; false if it names none.
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
	if manual.Quantity = manual.Quantity.in(version); manual.Quantity != "" {
		return manual, true
	}
	for _, m := range t.Of(name) {
		if m.On == flavor && m.says != "" {
			return Said{Document: "AWS's document", Quantity: m.says}, true
		}
	}
	return Said{}, false
}

// Part returns the quantity of which PostgreSQL's manual says that the metric counts some, or all, in a version. It may
// exceed the work of our clients, as with rows that they updated.
func (t Table) Part(name string, version int) Quantity {
	row := t.Row(name)
	if row.Part != "" && row.Makes != "" && row.MakesIn.Has(version) { // it counts each
		return row.Makes
	}
	return cmp.Or(row.Part, row.Adds, row.Counts).in(version)
}

// in returns the quantity that a version counts in place of q: pg_stat_io counts blocks before 18, and then operations,
// which may have several.
func (q Quantity) in(version int) Quantity {
	if q == ReadCalls && version < 180000 {
		return PagesMissed
	}
	return q
}

// Rank returns the position of the metric of that name by interest: what is sold as IOPS comes first, and what says
// least about I/O last.
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

// View returns the rows that are read from one view, by the part of their names before the slash.
func (t Table) View(name string) Table {
	return t.those(func(m *Metric) bool { return m.Derived == nil && strings.HasPrefix(m.Name, name+"/") })
}

// Announced returns the announcements of the rows.
func (t Table) Announced() (all []runfile.Metric) {
	for _, m := range t {
		all = append(all, m.Announced())
	}
	return all
}
