# What PostgreSQL documents of its counters (https://www.postgresql.org/docs/current/monitoring-stats.html), against which
# scripts/observe-verdicts and scripts/observe-failover hold the verdicts of a report in JSON: a line for each that is wrong.
# Rows, entries, transactions and WAL records are what the database is asked to do and notes; bytes and writes of files are
# what storage has to do; what was found in memory is no storage I/O.
def logical: test("^pgstat\\.(cluster|database)/(xact_|tup_)|^pgstat\\.tables/(n_tup_|index_entries|toast_tup)|^pgstat\\.wal/wal_records$");
def physical: test("^block|^pgstat\\.lsn/|^pgstat\\.wal/wal_(write|sync|bytes|buffers_full)$|^pgstat\\.io/.*(writes|fsyncs|extends|write_bytes|extend_bytes|writebacks)$|^pgstat\\.(checkpointer/buffers_written|bgwriter/buffers_(clean|backend|backend_fsync)|slru/.*written)$");
def inmemory: test("hit|scan");
def names: [.counts // empty] + .between;
.metrics[] | select(.verdict != "undetermined" and .verdict != "silent")
| select((.metric | logical) and .verdict != "logical"
  or (.metric | physical) and .verdict != "physical"
  or (.metric | inmemory) and .verdict != "logical"
  or (.metric | test("/xact_commit$")) and (names | index("commits") | not))
| "\(.metric): \(.verdict) \(names | join(", "))"
