//go:build unix

package engine

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/realiops/realiops/internal/measure/load/session"
	"github.com/realiops/realiops/internal/test/servertest"
)

// serializing makes clients update one row, and records what each transaction drew.
const serializing = `
\set x random(1, 1000000000)
\set n :n + 1
begin isolation level serializable;
select v from account where id = 1;
update account set v = v + 1 where id = 1;
insert into drawn values (:client_id, :n, :x);
end;
`

const accounts = `create table account (id int primary key, v int);
	insert into account values (1, 0), (2, 0);
	create table drawn (client int, n int, x int);`

func TestSerializationFailuresAreTriedAgain(t *testing.T) {
	for _, mode := range []Mode{Simple, Prepared} {
		b := newBench(t, accounts)
		drawn := func(clients int) string {
			servertest.Exec(t, b.conn, "truncate drawn")
			o := b.options(serializing)
			o.Mode, o.Clients, o.Transactions, o.MaxTries, o.Seed = mode, clients, 50, 10000, 7
			o.Define = map[string]string{"n": "0"}
			told := 0
			o.Verbose, o.Trouble = true, func(x Trouble) {
				if told++; x.Then != TriesAgain || x.Command < 2 || x.Try < 1 {
					t.Errorf("trouble: %+v", x)
				}
			}
			r := b.run(o)
			want := int64(clients * 50)
			if r.Transactions != want || r.Failed() != 0 || r.Retries != int64(told) {
				t.Errorf("%s: %d transactions, %d failed, %d retries, told %d", mode, r.Transactions, r.Failed(),
					r.Retries, told)
			}
			checkRetries(t, r, clients)
			return servertest.Value[string](t, b.conn,
				"select string_agg(format('%s %s', n, x), ',' order by n) from drawn where client = 0")
		}
		if alone, contended := drawn(1), drawn(6); alone != contended {
			t.Errorf("%s: a client drew %s alone and %s with others", mode, alone, contended)
		}
		if v := b.int("select v from account where id = 1"); v != 350 {
			t.Errorf("%s: v is %d", mode, v)
		}
	}
}

// checkRetries compares three counts of the same retries.
func checkRetries(t *testing.T, r Result, clients int) {
	t.Helper()
	if clients == 1 {
		return
	}
	if r.Retries == 0 || r.Retried == 0 || r.Retried > r.Retries {
		t.Errorf("%d retries of %d transactions", r.Retries, r.Retried)
	}
	var commands int64
	for _, c := range r.Scripts[0].Commands {
		commands += c.Retries
	}
	if commands != r.Retries || len(r.Faults) != 1 || r.Faults[0].Count != r.Retries || r.Faults[0].Code != "40001" {
		t.Errorf("%d retries, %d by command, faults %+v", r.Retries, commands, r.Faults)
	}
}

func TestFailuresWithOneTry(t *testing.T) {
	b := newBench(t, accounts)
	o := b.options(serializing)
	o.Clients, o.Transactions, o.Define = 6, 50, map[string]string{"n": "0"}
	r := b.run(o)
	if r.Transactions+r.Serialization != 300 || r.Serialization == 0 || r.Retries != 0 {
		t.Errorf("%d transactions, %d failed, %d retries", r.Transactions, r.Serialization, r.Retries)
	}
	if v := b.int("select v from account where id = 1"); v != r.Transactions {
		t.Errorf("%d transactions left %d", r.Transactions, v)
	}
	if r.Rows != 2*r.Transactions || r.Latency.Count != r.Transactions {
		t.Errorf("%d transactions, %d rows, %d latencies", r.Transactions, r.Rows, r.Latency.Count)
	}
}

func TestDeadlocks(t *testing.T) {
	b := newBench(t, accounts)
	servertest.Exec(t, b.conn,
		"do $$ begin execute format('alter database %I set deadlock_timeout = ''10ms''', current_database()); end $$")
	script := `
\set first 1 + :client_id % 2
\set second 3 - :first
begin;
update account set v = v + 1 where id = :first;
\sleep 2 ms
update account set v = v + 1 where id = :second;
end;
`
	o := b.options(script)
	o.Clients, o.Transactions, o.MaxTries, o.Mode = 2, 20, 1000, Prepared
	r := b.run(o)
	if r.Transactions != 40 || r.Retries == 0 {
		t.Errorf("%d transactions, %d retries", r.Transactions, r.Retries)
	}
	if len(r.Faults) != 1 || r.Faults[0].Kind != session.Deadlock {
		t.Errorf("faults %+v", r.Faults)
	}
	o.MaxTries = 1
	r = b.run(o)
	if r.Transactions+r.Deadlocks != 40 || r.Deadlocks == 0 {
		t.Errorf("%d transactions, %d deadlocks", r.Transactions, r.Deadlocks)
	}
	if v := b.int("select min(v) from account where v = (select max(v) from account)"); v != 40+r.Transactions {
		t.Errorf("v is %d after %d transactions", v, 40+r.Transactions)
	}
}

// In a pipeline the failure shows at its end.
func TestRetryOfPipeline(t *testing.T) {
	b := newBench(t, accounts)
	o := b.options(`
\startpipeline
begin isolation level serializable;
update account set v = v + 1 where id = 1;
end;
\syncpipeline
update account set v = v + 1 where id = 2;
\endpipeline
`)
	o.Clients, o.Transactions, o.MaxTries, o.Mode = 4, 50, 10000, Prepared
	r := b.run(o)
	if v := b.int("select v from account where id = 1"); r.Transactions != 200 || r.Retries == 0 || v != 200 {
		t.Errorf("%d transactions, %d retries, v is %d", r.Transactions, r.Retries, v)
	}
}

func TestTriesAreBounded(t *testing.T) {
	fails := "do $$ begin raise serialization_failure; end $$;"
	check := func(name string, change func(*Options), want Totals, atLeast, atMost int64) {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, "select 1")
			o := b.options(fails)
			change(&o)
			r := b.run(o)
			got := Totals{Transactions: r.Transactions, Serialization: r.Serialization, Retried: r.Retried}
			if diff := cmp.Diff(want, got); diff != "" || r.Retries < atLeast || r.Retries > atMost {
				t.Errorf("%d retries, -want +got\n%s", r.Retries, diff)
			}
		})
	}
	check("by number", func(o *Options) {
		o.Transactions, o.MaxTries = 3, 4
	}, Totals{Serialization: 3, Retried: 3}, 9, 9)
	check("by the limit of latency", func(o *Options) {
		o.Transactions, o.Unlimited, o.LatencyLimit = 1, true, 300*time.Millisecond
	}, Totals{Serialization: 1, Retried: 1}, 2, 1e6)
	check("by the time", func(o *Options) { o.Duration, o.Unlimited = 100*time.Millisecond, true }, Totals{}, 0, 0)
}
