package metric

import (
	"slices"
	"strconv"
	"strings"

	"github.com/realiops/realiops/internal/runfile"
)

// Printed returns the usual name of the metric with that name in a run file: pg_stat_wal.wal_sync, /proc/diskstats
// writes, CloudWatch WriteIOPS. The version is server_version_num, 0 if unknown. An unknown name is returned unchanged.
func Printed(name string, version int) string { return All().Printed(name, version) }

// Printed is like the function Printed, for one table.
func (t Table) Printed(name string, version int) string {
	rows, _, whose := t.ofOne(name)
	if len(rows) == 0 {
		return name
	}
	if whose != "" {
		return rows[0].Printed(version) + " (" + whose + ")"
	}
	return rows[0].Printed(version)
}

// ofOne returns the rows for a name, and for a metric of one tablespace, service or table (pgstat.tables.orders/n_tup_ins,
// in published totals) the name without it, and which one it is.
func (t Table) ofOne(name string) (rows []Metric, general, whose string) {
	view, column, _ := strings.Cut(name, "/")
	if table, is := strings.CutPrefix(view, "pgstat.tables."); is {
		general = "pgstat.tables/" + column
		return t.Of(general), general, table
	}
	general, whose = shared(name)
	return t.Of(name), general, whose
}

// views maps the part of a metric's name before the slash to the usual name of its source. It omits those that only
// have pg_stat_ in place of pgstat.
var views = map[string]string{
	"pgstat.lsn": "positions in the WAL", "pgstat.cluster": "pg_stat_database (all)",
	"pgstat.server": "pg_postmaster_start_time()",
	"pgstat.tables": "pg_stat_user_tables", "pgstat.tables_io": "pg_statio_user_tables",
	"pgstat.indexes": "pg_stat_user_indexes", "pgstat.indexes_io": "pg_statio_user_indexes",
	"pgstat.progress": "pg_stat_progress_*", "pgstat.waits": "pg_stat_activity",
	"pgstat.aurora": "aurora_stat_*", "pgstat.aurora_cache": "aurora_stat_*", "pgstat.aurora_waits": "aurora_stat_*",
	"pgstat.aurora_wal_cache": "aurora_stat_*",
	"block":                   "/proc/diskstats", "block.data": "/proc/diskstats (data directory)",
	"block.wal":         "/proc/diskstats (pg_wal)",
	"block.tablespaces": "/proc/diskstats (tablespaces)", "block.temp": "/proc/diskstats (temp_tablespaces)",
	"request": "requests by file (all)", "request.server": "requests for this server",
	"request.wal":    "requests for the WAL",
	"request.tables": "requests for tables", "request.indexes": "requests for indexes",
	"request.toast": "requests for TOAST",
	"request.maps":  "requests for maps", "request.relations": "requests for other databases",
	"request.temp": "requests for temporary files",
	"request.log":  "requests for the server log", "request.other": "requests for other files",
	"request.journal":        "requests for the journal",
	"request.other_programs": "requests of other programs",
	"block.process":          "/proc/PID/io", "block.cgroup": "cgroup io.stat", "anatomy": "pg_walinspect",
}

// PrintedView returns the usual name of a source of metrics: pg_stat_wal for pgstat.wal.
func PrintedView(view string) string {
	if known := views[view]; known != "" {
		return known
	}
	return strings.Replace(view, "pgstat.", "pg_stat_", 1)
}

// VersionNum converts a version to server_version_num, from its major number; 0 if it has none.
func VersionNum(version string) int {
	major, _, _ := strings.Cut(version, ".")
	n, err := strconv.Atoi(major)
	if err != nil {
		return 0
	}
	return n * 10000
}

// Spellings returns all names of the metric with that name in a run file, which comes first.
func (t Table) Spellings(name string) []string {
	rows, general, whose := t.ofOne(name)
	all := []string{name}
	for _, m := range rows {
		for _, text := range m.Spellings() {
			if whose != "" && text != general {
				text += " (" + whose + ")"
			}
			if text != general && !slices.Contains(all, text) {
				all = append(all, text)
			}
		}
	}
	return all
}

// Named returns the names in a run file that match what people typed, each once: a printed name of any version, a name
// in a run file, or the part of either after its last slash, dot or space (wal_sync, WriteIOPS), in any case. Full
// matches come first, and exporters' and consoles' forms of a name last: aws_rds_write_iops_average, AWS/RDS WriteIOPS.
func (t Table) Named(typed string) []string {
	for _, candidate := range undressed(typed) {
		if found := t.named(candidate); len(found) > 0 {
			return found
		}
	}
	for _, candidate := range undressed(typed) {
		if found := t.alike(candidate); len(found) > 0 {
			return found
		}
	}
	return nil
}

// Scraped returns the names in a run file of what an exporter shows under a name: realiops (realiops_block_writes_total),
// or another that joins view and column (pg_stat_wal_wal_bytes, pg_stat_wal_wal_bytes_total).
func (t Table) Scraped(typed string) (names []string) {
	for _, candidate := range undressed(typed) {
		candidate = folded(candidate)
		for _, m := range t {
			shown := func(form string) bool {
				column, _, _ := strings.Cut(form, " (")
				return folded(column) == candidate
			}
			if slices.ContainsFunc(append(m.Spellings(), m.Exported()), shown) && !slices.Contains(names, m.Name) {
				names = append(names, m.Name)
			}
		}
	}
	return names
}

// alike returns names of cloud services that differ from typed only in case, blanks and marks.
func (t Table) alike(typed string) (names []string) {
	typed = folded(typed)
	for _, m := range t {
		if _, column, _ := strings.Cut(m.Name, "/"); isCloud(m.Name) && typed != "" && folded(column) == typed &&
			!slices.Contains(names, m.Name) {
			names = append(names, m.Name)
		}
	}
	return names
}

func (t Table) named(typed string) (once []string) {
	typed = plain(typed)
	var whole, ending []string
	for _, m := range t {
		for _, s := range m.Spellings() {
			switch s = plain(s); {
			case s == typed:
				whole = append(whole, m.Name)
			case ends(s, typed):
				ending = append(ending, m.Name)
			}
		}
	}
	if len(whole) == 0 {
		whole = ending
	}
	for _, name := range whole {
		if !slices.Contains(once, name) {
			once = append(once, name)
		}
	}
	return once
}

// plain normalizes case and spaces of a name, to compare it with what people type.
func plain(name string) string { return strings.ToLower(strings.Join(strings.Fields(name), " ")) }

// ends reports whether a name ends with what was typed, from a slash, a dot or a space on, with or without a suffix in
// brackets: wal_sync of pg_stat_wal.wal_sync, pg_stat_io.writes of pg_stat_io.writes (relation).
func ends(name, typed string) bool {
	head, _, _ := strings.Cut(name, " (")
	for _, n := range []string{name, head} {
		before, found := strings.CutSuffix(n, typed)
		calculated := strings.HasSuffix(before, "- ") || strings.HasSuffix(before, "* ")
		if found && typed != "" && !calculated && (before == "" || strings.ContainsAny(before[len(before)-1:], "/. ")) {
			return true
		}
	}
	return false
}

// spelling is the usual name of a metric in some versions of the server.
type spelling struct {
	text  string
	shown Span
}

// As sets the usual name of the metric in versions without another one.
func (m Metric) As(text string) Metric {
	m.spelled = append(slices.Clone(m.spelled), spelling{text: text})
	return m
}

// asUpTo sets the usual name up to a version.
func (m Metric) asUpTo(last int, text string) Metric {
	m.spelled = append([]spelling{{text, Span{Last: last}}}, m.spelled...)
	return m
}

// Printed returns the usual name of the metric in a version of the server, as server_version_num; 0 if unknown.
func (m Metric) Printed(version int) string {
	for _, s := range m.spelled {
		if s.shown == (Span{}) || version > 0 && s.shown.Has(version) {
			return s.text
		}
	}
	return m.Name
}

// Spellings returns all names of the metric: in the run file, and the usual one of each version.
func (m Metric) Spellings() []string {
	all := []string{m.Name}
	for _, s := range m.spelled {
		if !slices.Contains(all, s.text) {
			all = append(all, s.text)
		}
	}
	return all
}

// Exported returns the metric's name in Prometheus when realiops is scraped: its name in a run file with the unit at
// its end, by https://prometheus.io/docs/practices/naming/. A gauge in seconds is a point in time.
func (m Metric) Exported() string {
	name := "realiops_" + strings.NewReplacer(".", "_", "/", "_").Replace(m.Name)
	unit := ""
	switch {
	case m.Unit == "bytes":
		unit = "_bytes"
	case m.Unit == "seconds" && m.Kind == runfile.Gauge:
		unit = "_timestamp_seconds"
	case m.Unit == "seconds":
		unit = "_seconds"
	}
	name = strings.TrimSuffix(name, unit) + unit
	if m.Kind == runfile.Counter {
		name += "_total"
	}
	return name
}
