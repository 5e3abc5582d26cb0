package run

import (
	"context"
	"maps"
	"slices"
	"sync"

	"github.com/jackc/pgx/v5"

	"github.com/realiops/realiops/internal/measure/load"
	"github.com/realiops/realiops/internal/measure/postgres"
	"github.com/realiops/realiops/internal/measure/probe/anatomy"
	"github.com/realiops/realiops/internal/measure/probe/pgstat"
	"github.com/realiops/realiops/internal/runfile"
)

// others finds the work of other sessions during a run: the growth of the server-wide counters minus our clients' own
// work. Every role may read these counters, even one that may not see other sessions.
type others struct {
	mu     sync.Mutex // the probes' clock records, too
	latest runfile.Reading
	before runfile.Reading // the last reading before the load began
	work   runfile.Work    // our clients' since then
	asked  int             // readings of the server since then, each a transaction
	who    []string
	wrote  map[postgres.Backend]int64 // WAL of other sessions until the load began
	wal    int64                      // and since then
	// analyzed is the number of rows of statistics written before the load began; nil: unknown.
	analyzed *int64
}

// Smaller work is ignored: a hundredth of our clients', and what a server and its monitoring do by themselves, such
// as analyzing a table and scraping counters.
const (
	othersShare          = 0.01
	othersRows           = 50.0
	othersRowsASecond    = 1.0
	othersCommits        = 200.0
	othersCommitsASecond = 10.0
	othersWAL            = 100e3 // bytes
	othersWALASecond     = 10e3
)

func (o *others) follow(record runfile.Record) {
	o.mu.Lock()
	defer o.mu.Unlock()
	switch r := record.(type) {
	case runfile.Reading:
		if r.Probe == pgstat.Name {
			o.latest = r
		}
		if r.Probe == pgstat.Name || r.Probe == anatomy.Name {
			o.asked++
		}
	case runfile.LoadEvent:
		if r.Event == runfile.Begin {
			o.before, o.work, o.asked = o.latest, runfile.Work{}, 0
		}
	case runfile.Work:
		o.work.Rows += r.Rows
		o.work.Returned += r.Returned
		o.work.Transactions += r.Transactions
		o.work.Failures += r.Failures
	}
}

// othersDuring returns the work of other sessions during a repetition of the load, nil if it is negligible or
// unknown, and the part of autovacuum's work that the counters do not separate from theirs.
func (m *measurement) othersDuring(ctx context.Context, l runfile.Load) (*runfile.Others, *runfile.Autovacuum) {
	most := mostWAL(l)
	// A load that fills may log whole pages, and Aurora's WAL is different.
	if load.Fills(l.Method) || m.session.Facts.Flavor == postgres.FlavorAurora {
		most = nil
	}
	did, writing := m.others.during(l.RowsPerTx, most), m.writers.during()
	// A pooler keeps our clients' sessions, which report their counts later; these would look like others' work.
	if m.session.Facts.Pooler {
		did = nil
	}
	did, vacuumed := apart(did, m.autovacuumed(ctx), len(writing) > 0)
	if did == nil && len(writing) > 0 {
		did = &runfile.Others{}
	}
	if did != nil {
		did.Writing = writing
	}
	return did, vacuumed
}

type autovacuum struct {
	rows  int64 // statistics rows written
	alone bool  // we started the server, and no other program knows of it
}

// autovacuumed returns zero rows if the server does not answer: the next query reports the error.
func (m *measurement) autovacuumed(ctx context.Context) (found autovacuum) {
	found.alone = m.target.Own() && m.session.Facts.Settings["autovacuum"] == "on"
	now, err := postgres.StatisticsRows(context.WithoutCancel(ctx), m.session.Control)
	if before := m.others.analyzed; err == nil && before != nil {
		found.rows = max(0, now-*before)
	}
	return found
}

// apart moves autovacuum's writes out of did. On a server that we started, all rows and WAL are autovacuum's, unless
// another session was seen or committed.
func apart(did *runfile.Others, found autovacuum, writing bool) (*runfile.Others, *runfile.Autovacuum) {
	if did == nil {
		return nil, nil
	}
	others, seen := *did, did.Commits > 0 || len(did.Who) > 0 || writing
	vacuumed := runfile.Autovacuum{Rows: min(others.Rows, found.rows)}
	if found.alone && !seen {
		vacuumed.Rows = others.Rows
	}
	if vacuumed.Rows > 0 {
		all := float64(others.Rows) / others.RowsShare
		if others.Rows -= vacuumed.Rows; others.Rows <= othersRows {
			others.Rows = 0
		}
		others.RowsShare = float64(others.Rows) / max(1, all-float64(vacuumed.Rows))
	}
	if !seen && others.Rows == 0 && (found.alone || vacuumed.Rows > 0) { // of the tables that it vacuumed
		vacuumed.WALBytes, others.WALBytes, others.WALShare = others.WALBytes, 0, 0
	}
	var rest *runfile.Others
	if others.Rows+others.Commits+others.WALBytes > 0 {
		rest = &others
	}
	if vacuumed.Rows == 0 && vacuumed.WALBytes == 0 {
		return rest, nil
	}
	return rest, &vacuumed
}

// mostWAL returns an upper bound on the WAL of one repetition, in bytes: rows, index entries and the halves of the
// pages they split, commits, and catalog pages. It holds only without a checkpoint in between, after which every page
// is logged whole again. New pages of the table are not logged whole.
func mostWAL(load runfile.Load) func(rows, transactions float64) float64 {
	const perRow, perEntry, perCommit, besides = 150, 200, 500, 1e6
	return func(rows, transactions float64) float64 {
		return besides + rows*float64(perRow+load.Width+perEntry*load.Indexes) + perCommit*transactions
	}
}

// during returns the work of other sessions since the load began, nil if it is negligible or the counters do not show
// it. Each of our failed transactions left rowsOfFailed rows that the server counts.
func (o *others) during(rowsOfFailed int, mostWAL func(rows, transactions float64) float64) *runfile.Others {
	o.mu.Lock()
	defer o.mu.Unlock()
	seconds := o.latest.At.Sub(o.before.At).Seconds()
	beyond := func(all float64, known bool, ours, least float64) (theirs, share float64) {
		theirs = max(all-ours, 0)
		if !known || theirs <= least+othersShare*ours {
			return 0, 0
		}
		return theirs, theirs / all
	}
	rows, known := o.grew(".cluster/tup_inserted", ".cluster/tup_updated", ".cluster/tup_deleted")
	ours := float64(o.work.Rows + o.work.Failures*int64(rowsOfFailed))
	lookedAt := othersShare * float64(o.work.Returned) // a few writes of others hide behind our reads
	rows, rowsShare := beyond(rows, known, ours, othersRows+othersRowsASecond*seconds+lookedAt)
	commits, known := o.grew(".cluster/xact_commit")
	commits, commitsShare := beyond(commits, known, float64(o.work.Transactions)+float64(o.asked),
		othersCommits+othersCommitsASecond*seconds)
	wal, known := o.grew(".wal/wal_bytes")
	theirWAL := float64(o.wal)
	if checkpoints, counted := o.grew(".checkpointer/checkpoints_timed", ".checkpointer/checkpoints_req"); mostWAL !=
		nil && counted && checkpoints <= 1 {
		theirWAL = max(theirWAL, wal-mostWAL(ours, float64(o.work.Transactions+o.work.Failures)))
	}
	wal, walShare := beyond(wal, known, wal-theirWAL, othersWAL+othersWALASecond*seconds)
	if rows == 0 && commits == 0 && wal == 0 {
		return nil
	}
	return &runfile.Others{
		Rows: int64(rows), Commits: int64(commits), WALBytes: int64(wal),
		RowsShare: rowsShare, CommitsShare: commitsShare, WALShare: walShare, Who: o.who,
	}
}

// grew returns the summed growth of the counters since the load began. known is false if one
// of them is missing or was reset.
func (o *others) grew(names ...string) (sum float64, known bool) {
	for _, name := range names {
		before, begun := o.before.Values[pgstat.Name+name]
		now, read := o.latest.Values[pgstat.Name+name]
		if !begun || !read || now < before {
			return 0, false
		}
		sum += now - before
	}
	return sum, true
}

// lookForOthers records which sessions are at work as a load begins or ends, and how much WAL they have written.
// Behind a pooler, or without the privilege, it may find none; the counters still show their work.
func (m *measurement) lookForOthers(ctx context.Context, event runfile.Event) error {
	who, err := m.session.Facts.AtWork(ctx, m.session.Control)
	if err != nil {
		return err
	}
	wrote, err := m.session.Facts.WALOfOthers(ctx, m.session.Control)
	if err != nil {
		return err
	}
	m.others.see(event, who, wrote)
	if event == runfile.Begin {
		rows, err := postgres.StatisticsRows(ctx, m.session.Control)
		m.others.analyzed = &rows
		return err
	}
	return nil
}

// see adds what a look found. All WAL of a session that connected since the load began counts.
func (o *others) see(event runfile.Event, who []string, wrote map[postgres.Backend]int64) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if event == runfile.Begin {
		o.who, o.wrote, o.wal = nil, wrote, 0
	}
	for _, name := range who {
		if !slices.Contains(o.who, name) {
			o.who = append(o.who, name)
		}
	}
	for backend, bytes := range wrote {
		o.wal += bytes - o.wrote[backend]
	}
}

// writers finds transactions of other sessions that write for long, such as a COPY. No counter
// shows their work before they end.
type writers struct {
	mu   sync.Mutex
	last map[string]string // by transaction, at the last look
	long map[string]string // by transaction, at two looks in a row since the load began
}

// look asks which sessions are writing now.
func (w *writers) look(ctx context.Context, conn *pgx.Conn) error {
	now, err := postgres.Writing(ctx, conn)
	if err == nil {
		w.see(now)
	}
	return err
}

func (w *writers) see(now map[string]string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for transaction, who := range now {
		if _, goesOn := w.last[transaction]; goesOn {
			w.long[transaction] = who
		}
	}
	w.last = now
}

func (w *writers) begin() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.long = map[string]string{}
}

// during names up to five of them.
func (w *writers) during() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	const mostNamed = 5
	who := slices.Compact(slices.Sorted(maps.Values(w.long)))
	return who[:min(len(who), mostNamed)]
}
