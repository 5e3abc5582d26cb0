package metric

import "strings"

// WriteIOPSOnAurora is the claim about WriteIOPS on Aurora, with its grounds.
const WriteIOPSOnAurora = "WriteIOPS on Aurora counts WAL records: AWS documents it, and published loads confirm " +
	"it (docs/evidence.md). realiops itself was never run there."

// there describes the values of PostgreSQL views on Aurora, which sends only WAL to its storage.
type there struct {
	views []string // prefixes of names
	shows string
}

func onAurora() []there {
	return []there{
		{[]string{"pgstat.wal/"}, "not available on Aurora: the function behind the view raises an error"}, {
			[]string{"pgstat.io/writes", "pgstat.io/write_bytes", "pgstat.io/writebacks", "pgstat.io/fsyncs",
				"pgstat.io/checkpointer_", "pgstat.io/bgwriter_"},
			"next to nothing on Aurora, whose server writes no pages: one bulk write and no fsyncs in eleven " +
				"published loads",
		}, {
			[]string{"pgstat.io/extends", "pgstat.io/extend_bytes", "pgstat.io/extend_time", "pgstat.io/client_extend"},
			"allocation on Aurora: growth of tables and indexes in pages, none of them written",
		}, {
			[]string{"pgstat.io/reads", "pgstat.io/read_bytes"},
			"less than was read, on Aurora: 0.83 to 0.88 of pg_stat_database.blks_read in published loads, and of a " +
				"longer time; go by blks_read",
		}, {
			[]string{"pgstat.checkpointer/", "pgstat.bgwriter/checkpoint"},
			"meaningless on Aurora, which makes no checkpoints: it is said to count about sixty timed ones an " +
				"hour, whatever happens",
		}, {
			[]string{"pgstat.database/blk_write_time"},
			"the time spent growing files on Aurora: within 1% of pg_stat_io.extend_time in published loads, while no " +
				"page was written",
		}, {
			[]string{"pgstat.database/blks_read"},
			"pages from the cluster's volume on Aurora: ReadIOPS times its seconds, within 2% in published loads",
		}, {
			[]string{"pgstat.database/tup_inserted", "pgstat.cluster/tup_inserted"},
			"includes TOAST chunks, as on PostgreSQL: 11.5 of 103.7 million in " +
				"a published load; pg_stat_user_tables excludes them",
		}, {
			[]string{"pgstat.statements/shared_blks_written"},
			"allocation on Aurora: pages that a relation grew by because of the statement",
		}, {
			[]string{"pgstat.statements/wal_", "pgstat.statements/shared_blks_dirtied"},
			"0 for every statement on Aurora, inserts included",
		},
	}
}

// OnAurora returns what the metric shows on Aurora in published loads, if it differs from elsewhere; empty if it does
// not, or nothing was published.
func (m Metric) OnAurora() string {
	for _, t := range onAurora() {
		for _, view := range t.views {
			if strings.HasPrefix(m.Name, view) {
				return t.shows
			}
		}
	}
	return ""
}

// AuroraViews says what PostgreSQL's own views show on Aurora, one sentence each.
func AuroraViews() []string {
	return []string{
		"pg_stat_wal is refused, and pg_stat_statements shows neither WAL bytes nor dirtied blocks",
		"pg_stat_io's writes, writebacks and fsyncs are empty; its extends, and the blocks that statements wrote, " +
			"count growth of files, not writes",
		"pg_stat_database.blks_read counts the pages read; pg_stat_io shows 0.83 to 0.88 of them",
		"counts of checkpoints mean nothing",
		"CommitThroughput includes read-only transactions, and StorageNetworkTransmitThroughput all six copies",
	}
}
