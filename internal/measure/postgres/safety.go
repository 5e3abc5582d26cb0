package postgres

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/realiops/realiops/internal/printable"
)

// Permissions holds what the user explicitly allows.
type Permissions struct {
	Shared bool // other sessions are at work
	Pooler bool // behind a pooler
}

// Refuse returns the first of [Facts.Refusals], or nil.
func (f Facts) Refuse(allowed Permissions) error { return cmp.Or(f.Refusals(allowed)...) }

// Refusals returns all reasons why this server may not be put under load.
func (f Facts) Refusals(allowed Permissions) (all []error) {
	if f.VersionNum < Oldest { // nothing else was asked
		return []error{fmt.Errorf("the server is PostgreSQL %s, but realiops needs 13 or later", f.Version)}
	}
	if err := f.refuseRole(); err != nil {
		all = append(all, err)
	}
	refuse := func(applies bool, why string) {
		if applies {
			all = append(all, errors.New(why))
		}
	}
	refuse(f.Standby, "the server is a standby, which does not accept writes; connect to its primary")
	refuse(f.ReadOnly && !f.Standby,
		"the session is read-only (default_transaction_read_only); connect where writes are allowed")
	refuse(f.Unconfirmed && !f.Standby, "every commit would wait for a standby that is not connected "+
		"(synchronous_standby_names); start it, or connect elsewhere")
	refuse(f.Pooler && !allowed.Pooler, "a connection pooler keeps our sessions open, so their counters arrive late; "+
		"connect to the server itself, or accept that with --allow-pooler")
	refuse(f.BusySessions > 0 && !allowed.Shared, f.OthersAtWork()+" on the server: their writes would be counted as "+
		"ours, and our load would slow them down; wait, or accept that with --shared")
	refuse(f.Settings["data_checksums"] == "inprogress-on" && !allowed.Shared, "the server is enabling checksums "+
		"(data_checksums is inprogress-on), and its writes would be counted as ours; wait until it is on, or accept "+
		"that with --shared")
	return all
}

func (f *Facts) askStandbys(ctx context.Context, conn *pgx.Conn) (err error) {
	f.Unconfirmed, err = Unconfirmed(ctx, conn)
	return err
}

// Unconfirmed reports whether a commit would wait for a synchronous standby that is missing. A plain user cannot see
// which standbys are synchronous, so any connected one counts.
func Unconfirmed(ctx context.Context, conn *pgx.Conn) (unconfirmed bool, err error) {
	err = QueryRow(ctx, conn, `/* realiops */
		select pg_catalog.current_setting('synchronous_standby_names') <> ''
		       and pg_catalog.current_setting('synchronous_commit') not in ('off', 'local')
		       and not exists (select from pg_catalog.pg_stat_replication
		                       where sync_state is null or sync_state in ('sync', 'quorum'))`).Scan(&unconfirmed)
	return unconfirmed, wrap(err, "list synchronous standbys")
}

// Commit identifies a waiting commit of one of our sessions.
type Commit struct {
	PID   int32
	State time.Time // when the session's state last changed
}

const waitingForStandby = `/* realiops */
		select pid, state_change from pg_catalog.pg_stat_activity
		where wait_event = 'SyncRep' and state_change is not null and application_name in ('` + applicationName + "', '" + clientName + "')"

// WaitingForStandby returns the commits of our sessions that wait for a standby to confirm them.
func WaitingForStandby(ctx context.Context, conn *pgx.Conn) (all []Commit, err error) {
	var c Commit
	err = ForEachRow(ctx, conn, []any{&c.PID, &c.State}, func() { all = append(all, c) }, waitingForStandby)
	return all, wrap(err, "list commits that wait for a standby")
}

// WALKeepers names what makes the server keep WAL until its disk is full: replication slots that are
// not read, and a failing archiver.
func WALKeepers(ctx context.Context, conn *pgx.Conn) (all []string, err error) {
	var keeper, of string
	err = ForEachRow(ctx, conn, []any{&keeper, (*Name)(&of)}, func() {
		if of != "" {
			keeper += " " + Quoted(of)
		}
		all = append(all, keeper)
	}, `/* realiops */
		select keeper, `+Named("of")+` from (
			select 'the failing archiver' as keeper, '' as of from pg_catalog.pg_stat_archiver
			where pg_catalog.current_setting('archive_mode') <> 'off' and last_failed_time > coalesce(last_archived_time, '-infinity')
			union all select 'the unused replication slot', slot_name::pg_catalog.text from pg_catalog.pg_replication_slots
			where not active and restart_lsn is not null and safe_wal_size is null
		) as keepers order by keeper, of limit $1`, mostNamed)
	return all, wrap(err, "list what retains WAL")
}

// KeepsWAL returns a sentence about what [WALKeepers] mean for a run, or "".
func KeepsWAL(keepers []string) string {
	if len(keepers) == 0 {
		return ""
	}
	return "The server retains all WAL of a run, which may fill its disk, because of " +
		strings.Join(keepers, ", ") + "."
}

// Follower reads a server's WAL with a delay, and must be created again if the server removes WAL that it has not read:
// a replication slot with a limit, or a standby without a slot.
type Follower struct {
	Name   string
	Limit  string // the setting that decides: max_slot_wal_keep_size of a slot, wal_keep_size of a standby
	Unused bool   // a slot that nobody reads now
	Left   *int64 // bytes of WAL that can be written before that happens; nil: this user is not told
}

// The share of max_wal_size that a server keeps at least: under load the WAL since its last checkpoint, and nothing
// after a requested checkpoint.
const (
	UnderLoad    = 0.5
	AtCheckpoint = 0
)

var followers = `/* realiops */
		select ` + Named("called") + `, limited, unused, safe from (
			select 'the replication slot ' || pg_catalog.quote_ident(slot_name::pg_catalog.text) as called,
				'max_slot_wal_keep_size' as limited, not active as unused, safe_wal_size as safe
			from pg_catalog.pg_replication_slots where safe_wal_size is not null
			union all
			select 'the standby ' || pg_catalog.quote_ident(coalesce(application_name, '')), 'wal_keep_size', false,
				case when state is not null then ((
					select pg_catalog.sum(setting::pg_catalog.int8 * 1048576 * case name when 'max_wal_size' then $1::pg_catalog.float8 else 1 end)
					from pg_catalog.pg_settings where name in ('max_wal_size', 'wal_keep_size'))
					- pg_catalog.pg_wal_lsn_diff(pg_catalog.pg_current_wal_lsn(), sent_lsn)::pg_catalog.float8)::pg_catalog.int8 end
			from pg_catalog.pg_stat_replication
			where (state is null or sent_lsn is not null) and pid not in (
				select active_pid from pg_catalog.pg_replication_slots where active_pid is not null)
		) as followers order by safe, called`

// Followers returns the followers that may fall too far behind, the closest to that first, at UnderLoad or AtCheckpoint.
// An engine without positions in the WAL has none.
func Followers(ctx context.Context, conn *pgx.Conn, moment float64) (all []Follower, err error) {
	var f Follower
	err = ForEachRow(ctx, conn, []any{(*Name)(&f.Name), &f.Limit, &f.Unused, &f.Left}, func() {
		all = append(all, f)
	}, followers, moment)
	if noSuchView(err) {
		return nil, nil
	}
	return all, wrap(err, "list readers of the WAL")
}

// noSuchView recognizes errors of an engine without these views and functions, and of a standby, by their class.
func noSuchView(err error) bool {
	refused, ok := errors.AsType[*pgconn.PgError](err)
	return ok && slices.Contains([]string{"0A", "42", "55"}, refused.Code[:min(2, len(refused.Code))])
}

// Remedy returns advice that keeps a follower from being lost.
func (f Follower) Remedy() string {
	switch {
	case f.Unused:
		return "start its consumer, drop it if unused, or raise max_slot_wal_keep_size"
	case f.Limit == "wal_keep_size":
		return "give it a replication slot, or raise wal_keep_size"
	default:
		return "find out why its consumer lags, or raise max_slot_wal_keep_size"
	}
}

// Followed returns a sentence about each risk of a run for followers, or "".
func Followed(all []Follower) string {
	var sentences []string
	hidden := 0
	for _, f := range all {
		switch {
		case f.Left == nil:
			hidden++
		case f.Unused:
			sentences = append(sentences, fmt.Sprintf("Nothing reads %s, which is lost after another %d MB of WAL "+
				"(%s). The run stops when half of that is written.", f.Name, *f.Left/1e6, f.Limit))
		}
	}
	if hidden > 0 {
		sentences = append(sentences, fmt.Sprintf("This role cannot see whether %s without a replication slot "+
			"can keep up with a run; grant it pg_monitor, or make sure that wal_keep_size is large enough.",
			printable.Counted(hidden, "standby")))
	}
	return strings.Join(sentences, " ")
}

var standbys = `/* realiops */
		select ` + Named("called") + `, pg_catalog.bool_and(hidden) from (
			select pg_catalog.quote_ident(coalesce(r.application_name, '')) as called, r.state is null as hidden
			from pg_catalog.pg_stat_replication as r
			left join pg_catalog.pg_replication_slots as s on s.active_pid = r.pid
			where s.slot_type is distinct from 'logical' and (r.state is null or r.replay_lsn is not null)
				and coalesce(r.backend_xmin, s.xmin) is null
		) as standbys group by called order by called limit $1`

// StandbyQueries returns a sentence about the standbys whose queries a load may cancel, or "". A standby that keeps the
// rows of its queries has an xmin here, or at its slot. An engine without these views has no such standbys.
func StandbyQueries(ctx context.Context, conn *pgx.Conn, load string) (string, error) {
	var off, hidden []string
	var name string
	var unseen bool
	err := ForEachRow(ctx, conn, []any{(*Name)(&name), &unseen}, func() {
		if unseen {
			hidden = append(hidden, name)
		} else {
			off = append(off, name)
		}
	}, standbys, mostNamed)
	if noSuchView(err) {
		return "", nil
	}
	may := load + " may cancel long queries on the standby "
	switch {
	case err != nil:
		return "", wrap(err, "list standbys")
	case len(off) > 0:
		return may + strings.Join(off, ", ") + ", which sends no hot_standby_feedback.", nil
	case len(hidden) > 0:
		return may + strings.Join(hidden, ", ") + " unless it sends hot_standby_feedback, which this role cannot see.", nil
	}
	return "", nil
}

// LogicalReaders names this database's logical replication slots, which send every row of a run to subscribers, with
// their plugins. Publications decide what pgoutput sends.
func LogicalReaders(ctx context.Context, conn *pgx.Conn) (all []string, err error) {
	var slot, plugin string
	err = ForEachRow(ctx, conn, []any{(*Name)(&slot), (*Name)(&plugin)}, func() {
		all = append(all, "the slot "+Quoted(slot)+" ("+plugin+")")
	}, `/* realiops */
		select `+Named("slot_name")+", "+Named("plugin")+` from pg_catalog.pg_replication_slots
		where database = pg_catalog.current_database() and plugin <> 'pgoutput' order by slot_name limit $1`, mostNamed)
	return all, wrap(err, "list logical replication slots")
}

// ReadLogically returns a sentence about what [LogicalReaders] mean for a run, or "".
func ReadLogically(readers []string) string {
	if len(readers) == 0 {
		return ""
	}
	return "Every row of a run is also sent to consumers of logical replication: " + strings.Join(readers, ", ") + "."
}

// OthersAtWork returns the number of other busy sessions in words.
func (f Facts) OthersAtWork() string {
	if f.BusySessions == 1 {
		return "1 other session is at work"
	}
	return fmt.Sprintf("%d other sessions are at work", f.BusySessions)
}

// ownSessions is how many sessions a run has in addition to its clients: its own, one for each source, one for the
// looks, and a new one to read settings.
const ownSessions = 5

// RefuseClients returns an error if this user cannot have n more sessions at once.
func (f Facts) RefuseClients(n int) error {
	if n+ownSessions <= f.Connections {
		return nil
	}
	if f.Connections <= ownSessions {
		return fmt.Errorf("this user has %s left, and a run needs %d besides its clients'; %s",
			printable.Counted(f.Connections, "connection"), ownSessions, moreSessions)
	}
	return fmt.Errorf("%s clients are too many: this user has %s connections left (max_connections, limits of the "+
		"role and the database, other sessions), and realiops itself needs %d; use fewer with --clients",
		printable.Count(n), printable.Count(f.Connections), ownSessions)
}

// moreSessions is the remedy if the server accepts no more sessions.
const moreSessions = "end other sessions, or raise max_connections or the connection limit of the role or the database"

// readingSessions is how many sessions read a server at once: one for its facts, one for its statistics, one for its
// WAL, and a new one for its settings.
const readingSessions = 4

// ExplainRefusal adds to a too_many_connections error how many sessions realiops needs. It returns other errors
// unchanged.
func (f Facts) ExplainRefusal(err error) error {
	if refused, ok := errors.AsType[*pgconn.PgError](err); !ok || refused.Code != "53300" {
		return err
	}
	return fmt.Errorf("%w; realiops needs %d connections, but this user has %d left; %s", err,
		readingSessions, f.Connections, moreSessions)
}

// refuseRole returns an error if statements would run with the privileges of another role.
func (f Facts) refuseRole() error {
	if f.ActsAs == f.User {
		return nil
	}
	return fmt.Errorf("statements of %[1]s run as %[2]s, because role is set for the database or for %[1]s and "+
		"realiops cannot reset it; run alter database %[3]s reset role; alter role %[1]s reset role",
		Quoted(f.User), Quoted(f.ActsAs),
		Quoted(f.Database))
}
