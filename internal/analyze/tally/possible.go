package tally

import (
	"fmt"

	"github.com/realiops/realiops/internal/analyze/counts"
	"github.com/realiops/realiops/internal/metric"
	"github.com/realiops/realiops/internal/printable"
	"github.com/realiops/realiops/internal/series"
)

// countedTooFew is the share by which a count may fall short of the possible minimum, since readings differ in time.
const countedTooFew = 0.02

// leastRecordBytes is the size of a WAL record's header: XLogRecord in PostgreSQL's xlogrecord.h.
const leastRecordBytes = 24

// bound is the least possible amount of a quantity, and why.
type bound struct {
	of    metric.Quantity
	least float64
	why   string
}

// bounds returns the least that PostgreSQL needs for a repetition's work. Aurora's counters of the same names count
// something else.
func (b *builder) bounds(a counts.Load, r counts.Repetition) (all []bound) {
	target := b.run.Header.Target
	if a.Idle() || !a.Inserts() || target.Flavor == "aurora" {
		return nil
	}
	rows, commits := float64(r.Work.Rows), float64(r.Work.Transactions)
	records := rows*float64(max(0, a.Indexes)) + commits
	why := "each index entry and each commit makes at least one"
	if a.Method != counts.Copy { // COPY puts many rows into one
		records += rows
		why = "each row, each index entry and each commit makes at least one"
	}
	all = append(all, bound{metric.WALRecords, records, why}, bound{metric.WALBytes, leastRecordBytes * records,
		"a WAL record has at least 24 bytes"})
	settings := target.Settings
	waits := settings["fsync"] == "on" && settings["synchronous_commit"] == "on" && a.SynchronousCommit == ""
	// the other methods fsync as they write
	counted := settings["wal_sync_method"] == "fdatasync" || settings["wal_sync_method"] == "fsync"
	if waits && counted && a.Clients > 0 && commits > 0 {
		all = append(all, bound{metric.WALSyncs, commits / float64(a.Clients),
			"one serves at most the commits of all " + printable.Counted(a.Clients, "client")})
	}
	return all
}

// dropImpossible replaces counts that are too low to be true by a reason.
func (b *builder) dropImpossible(a counts.Load, r counts.Repetition) {
	for _, possible := range b.bounds(a, r) {
		least := possible.least * (1 - countedTooFew)
		for _, m := range metric.All().Making(possible.of) {
			count, known := r.Counts[m.Name]
			if !known || count.Missing != nil || count.Raw >= least || m.Derived != nil {
				continue
			}
			text := fmt.Sprintf("%s %s for %s rows in %s transactions is impossible, because %s (%s): the "+
				"counter lost some, or the rows are not this server's", printable.Count(count.Raw), possible.of.Many(),
				printable.Count(r.Work.Rows), printable.Count(r.Work.Transactions), possible.why,
				printable.Count(possible.least))
			r.Counts[m.Name] = counts.Count{Missing: &series.Missing{Reason: counts.Impossible, Detail: text}}
			b.notes.add("impossible", fmt.Sprintf("%s of %s %d is left out: %s", m.Name, a.Name, r.Number, text))
		}
	}
}
