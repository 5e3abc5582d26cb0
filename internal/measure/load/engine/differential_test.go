//go:build unix

package engine

import (
	"maps"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/realiops/realiops/internal/measure/load/script"
	"github.com/realiops/realiops/internal/test/servertest"
)

// contents returns a script's rows in the table demo, in order.
func (b *bench) contents() []string {
	b.t.Helper()
	rows, err := b.conn.Query(b.t.Context(), "select demo::text from demo order by demo")
	if err != nil {
		b.t.Fatal(err)
	}
	defer rows.Close()
	var all []string
	for rows.Next() {
		var row string
		if err := rows.Scan(&row); err != nil {
			b.t.Fatal(err)
		}
		all = append(all, row)
	}
	if rows.Err() != nil || len(all) == 0 {
		b.t.Fatal("nothing to compare", rows.Err())
	}
	return all
}

// same is a load that pgbench and we both run.
type same struct {
	scripts []string // the n-th has weight n+1
	clients int
	each    int // transactions
	modes   []Mode
	define  map[string]string
	seed    int
}

// check runs the load with pgbench and with the engine and compares the results.
func (s same) check(t *testing.T) {
	t.Helper()
	b := newBench(t, "create table demo (client int, a text, b text)")
	for _, mode := range s.modes {
		theirs := s.pgbench(b, mode)
		ours := s.run(b, mode)
		if diff := cmp.Diff(theirs, ours); diff != "" {
			t.Errorf("%s: pgbench and we differ (-pgbench +ours):\n%s", mode, diff)
		}
	}
}

func (s same) pgbench(b *bench, mode Mode) []string {
	b.t.Helper()
	servertest.Exec(b.t, b.conn, "truncate demo")
	var flags []string
	for i, text := range s.scripts[1:] {
		flags = append(flags, "-f", b.file(text)+"@"+strconv.Itoa(i+2))
	}
	for name, value := range maps.All(s.define) {
		flags = append(flags, "-D", name+"="+value)
	}
	report := b.runPgbench(s.scripts[0], append(flags, "-c", strconv.Itoa(s.clients), "-j", "1", "-M", string(mode),
		"-t", strconv.Itoa(s.each), "--random-seed", strconv.Itoa(s.seed))...)
	want := strconv.Itoa(s.clients*s.each) + "/" + strconv.Itoa(s.clients*s.each)
	if got := report["number of transactions actually processed"]; got != want {
		b.t.Errorf("pgbench: %s transactions, not %s", got, want)
	}
	return b.contents()
}

func (s same) run(b *bench, mode Mode) []string {
	b.t.Helper()
	servertest.Exec(b.t, b.conn, "truncate demo")
	o := b.options(s.scripts...)
	for i := range o.Scripts {
		o.Scripts[i].Weight = i + 1
	}
	o.Mode, o.Clients, o.Transactions, o.Seed, o.Define = mode, s.clients, s.each, uint64(s.seed), s.define
	if r := b.run(o); r.Transactions != int64(s.clients*s.each) {
		b.t.Errorf("we: %d transactions", r.Transactions)
	}
	return b.contents()
}

var allModes = []Mode{Simple, Extended, Prepared}

func TestSameRowsAsPgbench(t *testing.T) {
	check := func(name, text string, modes ...Mode) {
		t.Run(name, func(t *testing.T) {
			same{scripts: []string{text}, clients: 3, each: 5, modes: modes}.check(t)
		})
	}
	check("variables", `
\set x 2 * 21
\set y :x / 4.0
insert into demo values (:client_id, :x, :y);
insert into demo values (:client_id, :scale, ':x'), (:client_id, null, '::x');
`, Simple)
	check("parameters", `
\set x 2 * 21
\set y :x / 4.0
insert into demo values (:client_id, :x, :y);
insert into demo select :client_id::int, :x::text, :undefined::text;
`, Extended, Prepared)
	check("branches", `
\set n :client_id * 2
\if :n = 0
insert into demo values (:client_id, 'none');
\elif :n = 2
insert into demo values (:client_id, 'two');
\if :n > 5
insert into demo values (:client_id, 'never');
\else
insert into demo values (:client_id, 'inner');
\endif
\else
insert into demo values (:client_id, 'four');
\endif
\sleep 1 ms
`, allModes...)
	check("gset", `
select 7 as one, null as two, 'x y' as three \gset
insert into demo values (:client_id, :one, ':three');
select :one + 1 as one \gset p_
insert into demo values (:client_id, :p_one, 'p');
`, Simple)
	check("gset of several", `
select 1 as a \; select 2 as a, 3 as b \gset
insert into demo values (:client_id, :a, :b);
select 1 as c \; select 2 as d where false \; select 5 as e union all select 6 order by 1 \aset
insert into demo values (:client_id, :c, :e);
`, Simple)
	check("gset by parameters", `
select 7 as one, 'x y' as three \gset
insert into demo values (:client_id, :one, :three);
`, Extended, Prepared)
	check("several statements", `
insert into demo values (:client_id, 'a') \; insert into demo values (:client_id, 'b');
begin; insert into demo values (:client_id, 'c'); insert into demo values (:client_id, 'd'); end;
begin; insert into demo values (:client_id, 'gone'); rollback;
`, Simple)
	check("pipelines", `
\set x :client_id + 1
\startpipeline
begin isolation level serializable;
insert into demo values (:client_id, :x);
insert into demo values (:client_id, 'y');
end;
\endpipeline
insert into demo values (:client_id, 'after');
`, Extended, Prepared)
}

func TestSameRandomRowsAsPgbench(t *testing.T) {
	const draws = `
\set a random(1, 1000000)
\set b random_gaussian(1, 1000, 3.0)
\set c random_exponential(1, 1000, 3.0)
\set d random_zipfian(1, 1000, 1.5)
\set e permute(:a, 1000000)
\set f hash(:a)
insert into demo values (:client_id, ':a', ':b :c');
insert into demo values (:client_id, ':d', ':e :f :default_seed :random_seed');
`
	simple := []Mode{Simple}
	t.Run("one client", func(t *testing.T) {
		same{scripts: []string{draws}, clients: 1, each: 50, modes: simple, seed: 42}.check(t)
	})
	t.Run("each of several clients", func(t *testing.T) {
		same{scripts: []string{draws}, clients: 5, each: 20, modes: simple, seed: 7}.check(t)
	})
	t.Run("choice of scripts", func(t *testing.T) {
		second := strings.ReplaceAll(draws, "random(1", "random(-1000")
		third := "insert into demo values (:client_id, 'third');"
		same{scripts: []string{draws, second, third}, clients: 1, each: 100, modes: simple, seed: 3}.check(t)
	})
	t.Run("definitions", func(t *testing.T) {
		define := map[string]string{"scale": "7", "client_id": "9"}
		same{scripts: []string{draws}, clients: 1, each: 5, modes: simple, seed: 42, define: define}.check(t)
	})
}

// The tables of the built-in scripts are the same after the same transactions.
func TestSameBuiltinAsPgbench(t *testing.T) {
	b := newBench(t, "select 1")
	text, err := script.FindBuiltin("tpcb-like")
	if err != nil {
		t.Fatal(err)
	}
	left := func(run func()) string {
		if out, err := b.pgbenchCommand("-i", "-q").CombinedOutput(); err != nil {
			t.Fatalf("pgbench -i: %v\n%s", err, out)
		}
		run()
		return servertest.Value[string](t, b.conn, `
			select md5(string_agg(format('%s %s', aid, abalance), ',' order by aid)) from pgbench_accounts
			union all select string_agg(format('%s %s', tid, tbalance), ',' order by tid) from pgbench_tellers
			union all select string_agg(format('%s %s %s', aid, tid, delta), ',' order by mtime) from pgbench_history`)
	}
	theirs := left(func() { b.runPgbench(text.Text, "-t", "200", "--random-seed", "5", "-M", "prepared") })
	ours := left(func() {
		o := b.options(text.Text)
		o.Transactions, o.Seed, o.Mode = 200, 5, Prepared
		b.run(o)
	})
	if ours != theirs {
		t.Errorf("pgbench left %s, we %s", theirs, ours)
	}
}
