package layout

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"golang.org/x/sys/unix"

	"github.com/realiops/realiops/internal/measure/probe"
	"github.com/realiops/realiops/internal/measure/server/embedded"
	"github.com/realiops/realiops/internal/runfile"
	"github.com/realiops/realiops/internal/test/servertest"
)

func TestMain(m *testing.M) { os.Exit(servertest.Main(m)) }

// sessionOf returns what Locate needs to know of a session.
func sessionOf(t *testing.T, conn *pgx.Conn) Session {
	t.Helper()
	return Session{
		PID:        servertest.Value[int](t, conn, "select pg_backend_pid()"),
		ClientPort: servertest.Value[int](t, conn, "select coalesce(inet_client_port(), 0)"),
		Directory:  servertest.Value[string](t, conn, "show data_directory"),
		System:     servertest.Value[string](t, conn, "select system_identifier::text from pg_control_system()"),
	}
}

func TestLocateARealServer(t *testing.T) {
	session := sessionOf(t, servertest.Connect(t, servertest.Database(t, "17")))
	found := func(s Session) {
		t.Helper()
		if got, err := Locate(s); err != nil || got.Prefix != "" || !Same(got.Data, session.Directory) {
			t.Errorf("%+v: %+v, %v", s, got, err)
		}
	}
	refused := func(s Session) {
		t.Helper()
		if got, err := Locate(s); err == nil || probe.GapOf(err).Reason != runfile.NotLocal {
			t.Errorf("%+v: %+v, %v", s, got, err)
		}
	}
	found(session)
	found(Session{PID: session.PID, ClientPort: session.ClientPort})
	elsewhere := session
	elsewhere.Directory = "/data/19" // as in the view of a server with another root
	found(elsewhere)
	elsewhere.System = ""
	refused(elsewhere)
	other := session
	other.System = "7000000000000000001" // a tunnel leads to another machine, which has the same PID
	refused(other)
	other = session
	other.ClientPort += 7
	refused(other)
	other = session
	other.PID = os.Getpid() // not a PostgreSQL process
	refused(other)
}

// walked returns the files of all roots, by absolute path.
func walked(t *testing.T, l *Layout) map[string]File {
	t.Helper()
	found := map[string]File{}
	w := Walk{Until: time.Now().Add(time.Minute), Names: 1 << 20}
	for i := range l.Roots {
		r := &l.Roots[i]
		if err := r.Walk(&w, func(e *Entry) { found[filepath.Join(r.Path, e.Path)] = e.File }); err != nil {
			t.Error(err)
		}
	}
	if w.Cut() || len(w.Skipped) > 0 {
		t.Errorf("cut: %v; skipped %q", w.Cut(), w.Skipped)
	}
	return found
}

// TestEveryFileOfARealServer: the layout identifies all regular files of each version, including temporary tables,
// slots, prepared transactions, statistics and tablespaces, and relations can be opened by pg_relation_filepath().
func TestEveryFileOfARealServer(t *testing.T) {
	for _, version := range servertest.Versions() {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			server := servertest.Start(t, embedded.Options{Version: version, Settings: []string{
				"wal_level=logical", "max_prepared_transactions=2", "work_mem=64kB", "track_commit_timestamp=on",
			}})
			conn := servertest.Connect(t, servertest.Endpoint(t, server.DSN()))
			data := servertest.Value[string](t, conn, "show data_directory")
			place := placeFor(t, data)
			servertest.Exec(t, conn, "create tablespace apart location '"+place+"'")
			for _, one := range []string{
				"create table t tablespace apart as select n, repeat('x', 100) from generate_series(1, 10000) n",
				"create index on t (n)",
				"create unlogged table u (a int)", "create temporary table held as select 1", "vacuum t",
				"select pg_create_logical_replication_slot('slot', 'test_decoding')", "create database other",
				"alter database other set tablespace apart",
				"vacuum full t", "begin; insert into u values (0); prepare transaction 'p'",
				"insert into t select n from generate_series(1, 20000) n", "checkpoint",
			} {
				servertest.Exec(t, conn, one)
			}
			// its temporary file stays
			servertest.Exec(t, conn, "begin; declare c cursor with hold for select * from t order by 2, 1 desc; commit")
			said := Server{Data: data, Tablespaces: []Tablespace{{
				OID:      servertest.Value[uint32](t, conn, "select oid from pg_tablespace where spcname = 'apart'"),
				Location: place,
			}}}
			l, err := Find(said)
			if err != nil {
				t.Fatal(err)
			}
			found := walked(t, l)
			kinds := map[Kind]int{}
			for _, f := range found {
				kinds[f.Kind]++
			}
			if len(kinds) != 5 {
				t.Errorf("%v: not every kind of file but the log is there", kinds)
			}
			for _, top := range []string{data, place} {
				_ = filepath.WalkDir(top, func(path string, d fs.DirEntry, err error) error {
					if _, is := found[path]; err == nil && d.Type().IsRegular() && !is {
						t.Errorf("%s is not taken for the server's", path)
					}
					return nil
				})
			}
			name := servertest.Value[string](t, conn, "select pg_relation_filepath('t')")
			f, err := l.Open(name)
			if err != nil || !strings.HasPrefix(name, "pg_tblspc/") {
				t.Fatalf("%s: %v", name, err)
			}
			f.Close()
			node := servertest.Value[uint32](t, conn, "select pg_relation_filenode('t')")
			database := servertest.Value[uint32](t, conn,
				"select oid from pg_database where datname = current_database()")
			if !slices.ContainsFunc(slices.Collect(values(found)), func(f File) bool {
				return f.Node == node && f.Database == database && f.Kind == Relation
			}) {
				t.Errorf("file %d of database %d is not among them", node, database)
			}
			servertest.Exec(t, conn, "rollback prepared 'p'")
			servertest.Exec(t, conn,
				"close c; drop table t; drop table if exists u; select pg_drop_replication_slot('slot')")
			servertest.Exec(t, conn, "drop database other")
			servertest.Exec(t, conn, "drop tablespace apart")
		})
	}
}

func values(m map[string]File) func(func(File) bool) {
	return func(yield func(File) bool) {
		for _, f := range m {
			if !yield(f) {
				return
			}
		}
	}
}

// placeFor returns an empty directory for a server's tablespace.
func placeFor(t *testing.T, data string) string {
	t.Helper()
	place, err := os.MkdirTemp("/var/tmp", "realiops-layout-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(place) })
	var owner unix.Stat_t
	if err := unix.Stat(data, &owner); err != nil {
		t.Fatal(err)
	}
	if err := os.Chown(place, int(owner.Uid), int(owner.Gid)); err != nil {
		t.Fatal(err)
	}
	return place
}

// TestInPlaceTablespaces: with allow_in_place_tablespaces, one is a directory in the data directory.
func TestInPlaceTablespaces(t *testing.T) {
	server := servertest.Start(t, embedded.Options{Version: "17", Settings: []string{"allow_in_place_tablespaces=on"}})
	conn := servertest.Connect(t, servertest.Endpoint(t, server.DSN()))
	servertest.Exec(t, conn, "create tablespace inside location ''")
	servertest.Exec(t, conn, "create table t tablespace inside as select 1")
	space := Tablespace{
		OID: servertest.Value[uint32](t, conn, "select oid from pg_tablespace where spcname = 'inside'")}
	space.Location = servertest.Value[string](t, conn,
		"select pg_tablespace_location(oid) from pg_tablespace where spcname = 'inside'")
	l, err := Find(Server{Data: servertest.Value[string](t, conn, "show data_directory"),
		Tablespaces: []Tablespace{space}})
	if err != nil {
		t.Fatal(err)
	}
	f, err := l.Open(servertest.Value[string](t, conn, "select pg_relation_filepath('t')"))
	if err != nil {
		t.Fatal(err)
	}
	f.Close()
	if r := l.Roots[len(l.Roots)-1]; r.OID != space.OID || r.Err != nil {
		t.Errorf("%+v", r)
	}
}
