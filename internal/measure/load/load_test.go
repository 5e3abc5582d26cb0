package load_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
	"github.com/jackc/pgx/v5"

	"github.com/realiops/realiops/internal/measure/load"
	"github.com/realiops/realiops/internal/measure/load/engine"
	"github.com/realiops/realiops/internal/measure/load/session"
	"github.com/realiops/realiops/internal/measure/postgres"
	"github.com/realiops/realiops/internal/runfile"
	"github.com/realiops/realiops/internal/test/servertest"
)

func TestMain(m *testing.M) { os.Exit(servertest.Main(m)) }

// bench is a database with an empty schema.
type bench struct {
	endpoint *postgres.Endpoint
	conn     *pgx.Conn
}

func newBench(t *testing.T) bench {
	endpoint := servertest.Database(t, "17")
	b := bench{endpoint, servertest.Connect(t, endpoint)}
	servertest.Exec(t, b.conn, "create schema realiops")
	return b
}

func (b bench) workload(t *testing.T, l runfile.Load) *load.Workload {
	t.Helper()
	w, err := load.NewWorkload(l, "realiops")
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func TestEveryRowReportedIsInTheTable(t *testing.T) {
	b := newBench(t)
	for _, one := range []runfile.Load{
		{Name: "bulk", Method: load.InsertSelect, RowsPerTx: 1000, Clients: 4},
		{Name: "one-row", Method: load.InsertSelect, RowsPerTx: 1, Clients: 2, Indexes: 1},
		{Name: "copy", Method: load.Copy, RowsPerTx: 700, Clients: 3, Indexes: 2},
		{Name: "inserts", Method: load.Insert, RowsPerTx: 5, Clients: 4, Indexes: 2, SynchronousCommit: "off"},
		{Name: "values", Method: load.InsertValues, RowsPerTx: 30, Clients: 2, Width: 10},
	} {
		t.Run(one.Name, func(t *testing.T) {
			w := b.workload(t, one)
			if err := w.Create(t.Context(), b.conn); err != nil {
				t.Fatal(err)
			}
			var lines []runfile.Work
			const duration = 1300 * time.Millisecond
			err := w.Run(t.Context(), b.endpoint.ConnectClient, engine.Run, duration, func(l runfile.Work) error {
				lines = append(lines, l)
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			if err := (postgres.Facts{}).AwaitClientsGone(t.Context(), b.conn); err != nil {
				t.Error(err)
			}
			checkLines(t, one, lines, duration)
			indexes := servertest.Value[int](t, b.conn, "select count(*) from pg_indexes where tablename = '"+one.Name+
				"'")
			inTable := servertest.Value[int64](t, b.conn, `select count(*) from realiops."`+one.Name+`"`)
			if rows := sum(lines, func(l runfile.Work) int64 { return l.Rows }); rows != inTable || rows == 0 {
				t.Errorf("reported %d rows, count(*) is %d", rows, inTable)
			}
			if indexes != one.Indexes {
				t.Errorf("the table has %d indexes, want %d", indexes, one.Indexes)
			}
		})
	}
}

// checkLines checks that the lines follow each other without a gap, and that every transaction has a latency.
func checkLines(t *testing.T, one runfile.Load, lines []runfile.Work, duration time.Duration) {
	t.Helper()
	if len(lines) < 2 { // one after a second, and the rest
		t.Fatalf("%d lines, want 2", len(lines))
	}
	took := lines[len(lines)-1].To.Sub(lines[0].From)
	if took < duration {
		t.Errorf("the lines go from %v to %v", lines[0].From, lines[len(lines)-1].To)
	}
	for i, l := range lines {
		if i > 0 && !lines[i-1].To.Equal(l.From) {
			t.Errorf("a line ends at %v and the next one begins at %v", lines[i-1].To, l.From)
		}
		latencies, err := hdrhistogram.Decode([]byte(l.Latency))
		if err != nil {
			t.Fatal(err)
		}
		statements := l.Transactions
		if one.Method == load.Insert {
			statements = l.Rows
		}
		if latencies.TotalCount() != l.Transactions || l.Rows != l.Transactions*int64(one.RowsPerTx) ||
			l.Statements != statements {
			t.Errorf("%d latencies, %d transactions, %d statements, %d rows", latencies.TotalCount(), l.Transactions,
				l.Statements, l.Rows)
		}
		// a histogram rounds
		if longest := time.Duration(latencies.Max()) * time.Microsecond; longest <= 0 || longest > took+took/100 {
			t.Errorf("the longest transaction took %v of %v", longest, took)
		}
	}
}

func sum(lines []runfile.Work, of func(runfile.Work) int64) (total int64) {
	for _, l := range lines {
		total += of(l)
	}
	return total
}

func TestInterruptStopsAndReports(t *testing.T) {
	b := newBench(t)
	w := b.workload(t, runfile.Load{Name: "bulk", Method: load.InsertSelect, RowsPerTx: 100, Clients: 2})
	if err := w.Create(t.Context(), b.conn); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancelCause(t.Context())
	enough := errors.New("enough")
	var rows int64
	began := time.Now()
	err := w.Run(ctx, b.endpoint.ConnectClient, engine.Run, time.Minute, func(l runfile.Work) error {
		if rows += l.Rows; rows > 0 {
			stop(enough)
		}
		return nil
	})
	if !errors.Is(err, enough) || time.Since(began) > 30*time.Second {
		t.Errorf("after %v: %v", time.Since(began), err)
	}
	if inTable := servertest.Value[int64](t, b.conn, `select count(*) from realiops.bulk`); rows != inTable ||
		rows == 0 {
		t.Errorf("reported %d rows, count(*) is %d", rows, inTable)
	}
}

func TestAnErrorOfTheServerEndsTheLoad(t *testing.T) {
	b := newBench(t)
	w := b.workload(t, runfile.Load{Name: "bulk", Method: load.InsertSelect, RowsPerTx: 10, Clients: 2})
	if err := w.Create(t.Context(), b.conn); err != nil {
		t.Fatal(err)
	}
	dropper := servertest.Connect(t, b.endpoint)
	var dropped sync.WaitGroup
	dropped.Go(func() {
		time.Sleep(200 * time.Millisecond)
		_, _ = dropper.Exec(t.Context(), `drop table realiops.bulk`)
	})
	defer dropped.Wait()
	err := w.Run(t.Context(), b.endpoint.ConnectClient, engine.Run, time.Minute, func(runfile.Work) error {
		return nil
	})
	if err == nil || !strings.Contains(err.Error(), "load bulk") || !strings.Contains(err.Error(), "does not exist") {
		t.Errorf("got %v", err)
	}
	lose := func(context.Context, engine.Options) (r engine.Result, err error) {
		return r, &engine.Abort{Err: fmt.Errorf("bulk:1: insert …: %w", &session.LostError{Cause: io.EOF})}
	}
	err = w.Run(t.Context(), b.endpoint.ConnectClient, lose, time.Minute, nil)
	if want := "load bulk: connection lost: EOF"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

func TestRowsThatGoMissingEndTheLoad(t *testing.T) {
	b := newBench(t)
	w := b.workload(t, runfile.Load{Name: "a", Method: load.InsertValues, RowsPerTx: 10, Clients: 2})
	if err := w.Create(t.Context(), b.conn); err != nil {
		t.Fatal(err)
	}
	servertest.Exec(t, b.conn, `
		create function lose() returns trigger language plpgsql as $$ begin
			if new.id > 1000 and new.value = 3 then return null; end if; return new; end $$;
		create trigger t before insert on realiops.a for each row execute function lose()`)
	var rows int64
	err := w.Run(t.Context(), b.endpoint.ConnectClient, engine.Run, time.Minute, func(l runfile.Work) error {
		rows += l.Rows
		return nil
	})
	if err == nil ||
		!strings.Contains(err.Error(), "load a: the server confirmed a different number of rows than were sent: ") {
		t.Errorf("got %v", err)
	}
	if inTable := servertest.Value[int64](t, b.conn, `select count(*) from realiops.a`); rows != inTable {
		t.Errorf("reported %d rows, count(*) is %d", rows, inTable)
	}
}

func TestMoreClientsThanTheServerTakes(t *testing.T) {
	b := newBench(t)
	w := b.workload(t, runfile.Load{Name: "a", Method: load.Copy, RowsPerTx: 10, Clients: 500})
	if err := w.Create(t.Context(), b.conn); err != nil {
		t.Fatal(err)
	}
	var lines int
	err := w.Run(t.Context(), b.endpoint.ConnectClient, engine.Run, time.Minute, func(runfile.Work) error {
		lines++
		return nil
	})
	if err == nil || !strings.Contains(err.Error(), "of 500 clients") ||
		!strings.HasSuffix(err.Error(), "use fewer clients, or wait") {
		t.Errorf("got %v", err)
	}
	if rows := servertest.Value[int](t, b.conn, `select count(*) from realiops.a`); rows != 0 || lines != 0 {
		t.Errorf("%d rows and %d lines before all were connected", rows, lines)
	}
}

func TestARecordThatCannotBeWrittenEndsTheLoad(t *testing.T) {
	b := newBench(t)
	w := b.workload(t, runfile.Load{Name: "bulk", Method: load.InsertSelect, RowsPerTx: 10, Clients: 1})
	if err := w.Create(t.Context(), b.conn); err != nil {
		t.Fatal(err)
	}
	full := errors.New("no space left")
	err := w.Run(t.Context(), b.endpoint.ConnectClient, engine.Run, time.Minute, func(runfile.Work) error {
		return full
	})
	if !errors.Is(err, full) {
		t.Errorf("got %v", err)
	}
}

func TestRehearseFindsWhatCannotWork(t *testing.T) {
	b := newBench(t)
	check := func(l runfile.Load, prepare, want string) {
		t.Helper()
		servertest.Exec(t, b.conn, prepare)
		err := b.workload(t, l).Rehearse(t.Context(), b.conn)
		if (want == "") != (err == nil) || (err != nil && !strings.Contains(err.Error(), want)) {
			t.Errorf("after %q: %v, want %q", prepare, err, want)
		}
		servertest.Exec(t, b.conn, `drop table if exists realiops.a`)
	}
	l := runfile.Load{Name: "a", Method: load.Copy, RowsPerTx: 5, Clients: 1}
	check(l, "select 1", "")
	check(l, "create table realiops.a ()", "already exists")
	check(l, `create function lose() returns event_trigger language plpgsql as $$ begin
		if exists (select from pg_class where relname = 'a') then
			execute 'create or replace function nothing() returns trigger language plpgsql as ''begin return null; end''';
			execute 'create trigger t before insert on realiops.a for each row execute function nothing()';
		end if; end $$;
		create event trigger e on ddl_command_end when tag in ('CREATE TABLE') execute function lose()`, "has the trigger t, which calls nothing() of postgres")
}
