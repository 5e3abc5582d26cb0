package report

import (
	"fmt"
	"slices"
	"strings"
)

// roomFor is how many metrics the first screen has room for, whatever they are.
const roomFor = 20

// firstScreen is the report with the metrics that the first screen has room for, and how many it leaves out: none, if
// they are few, or else those that people do not take for I/O.
func (r Report) firstScreen() (short Report, hidden int) {
	if len(r.judged()) <= roomFor && len(r.Metrics) <= 2*roomFor {
		return r, 0
	}
	all := r.Metrics
	r.Metrics = slices.DeleteFunc(slices.Clone(all), func(m Metric) bool { return !Prominent(m.Metric) })
	if len(r.judged()) == 0 {
		r.Metrics = all[:min(len(all), roomFor)]
	}
	return r, len(all) - len(r.Metrics)
}

// hiddenText says how many metrics are not shown, and where they are.
func hiddenText(hidden int, where string) string {
	if hidden == 0 {
		return ""
	}
	return fmt.Sprintf("%d more metrics, most of them parts of these: %s.", hidden, where)
}

// Prominent tells whether people take the metric by that name for I/O, or need it to understand the others.
func Prominent(metric string) bool {
	if strings.HasPrefix(metric, "cloudwatch/") || strings.HasPrefix(metric, "insights/") {
		return true
	}
	return slices.Contains([]string{
		"block/requests", "block/flushes", "block/write_bytes", "block/writes",
		"pgstat.io/writes", "pgstat.io/extends", "pgstat.io/fsyncs", "pgstat.io/wal_writes", "pgstat.io/wal_fsyncs",
		"pgstat.wal/wal_records", "pgstat.wal/wal_write", "pgstat.wal/wal_sync", "pgstat.lsn/insert",
		"pgstat.checkpointer/buffers_written", "pgstat.bgwriter/buffers_clean", "pgstat.bgwriter/buffers_backend",
		"pgstat.database/tup_inserted", "pgstat.database/xact_commit",
	}, metric)
}
