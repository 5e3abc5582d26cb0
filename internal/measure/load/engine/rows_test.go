//go:build unix

package engine

import (
	"fmt"
	"strings"
	"testing"

	"github.com/realiops/realiops/internal/test/servertest"
)

// Every way of sending rows makes the same rows as SQL does by the same arithmetic.
func TestRowsByEveryWay(t *testing.T) {
	b := newBench(t,
		`create table demo (id bigint, small smallint, whole int, part numeric, about real, near double precision,
		yes bool, nothing int, word text, tricky varchar(40), long "char", filled text)`)
	const columns = "(id, small, whole, part, about, near, yes, nothing, word, tricky, filled)"
	const values = ` rows 100 * 10 + 7 values (:row + 4000000000, :row % 7 - 3, 2 * :row, :row - 500, :row / 4.0, :row / 8.0, :row % 2 = 0, null, :row, 'it''s\ a	tab', repeat('a\''', :row % 5))`
	const want = `select n + 4000000000, (n % 7 - 3)::smallint, 2 * n, (n - 500)::numeric, (n / 4.0)::real, (n / 8.0)::double precision,
		n % 2 = 0, null::int, n::text, e'it''s\\ a\ttab', null::"char", repeat(e'a\\''', n % 5) from generate_series(1, 1007) as n`
	check := func(name, command, format string, mode Mode) {
		t.Run(name, func(t *testing.T) {
			servertest.Exec(t, b.conn, "truncate demo")
			o := b.options(command + " demo " + columns + values + format)
			o.Transactions, o.Mode = 2, mode
			r := b.run(o)
			if r.Rows != 2014 || r.Statements < 2 {
				t.Errorf("%d rows, %d statements", r.Rows, r.Statements)
			}
			query := fmt.Sprintf("select count(*) from (select distinct * from demo except %[1]s) as x", want)
			more := b.int(query)
			fewer := b.int(fmt.Sprintf("select count(*) from (%s except select * from demo) as x", want))
			if n := b.int("select count(*) from demo"); n != 2014 || more != 0 || fewer != 0 {
				t.Errorf("%d rows, %d are wrong, %d are missing: %v", n, more, fewer,
					servertest.Value[string](t, b.conn, "select demo::text from demo where id = 4000000007 limit 1"))
			}
		})
	}
	check("copy as text", `\copy_rows`, "", Simple)
	check("copy as text, prepared", `\copy_rows`, " format text", Prepared)
	check("copy in binary", `\copy_rows`, " format binary", Simple)
	check("insert", `\insert_rows`, "", Simple)
}

func TestInsertByParameters(t *testing.T) {
	b := newBench(t, "create table demo (id bigint, word text, part numeric, nothing int)")
	text := `\set n random(1, 300)` + "\n" +
		`\insert_rows demo (id, word, part, nothing) rows :n values (:row, 'it''s', :row / 2.0, null)`
	for _, mode := range []Mode{Extended, Prepared} {
		servertest.Exec(t, b.conn, "truncate demo")
		o := b.options(text)
		o.Mode, o.Transactions, o.Clients = mode, 150, 2
		r := b.run(o)
		good := b.int("select count(*) from demo where word = 'it''s' and part = id / 2.0 and nothing is null and id " +
			"between 1 and 300")
		if r.Rows == 0 || good != r.Rows || b.int("select count(*) from demo") != r.Rows || r.Statements != 300 {
			t.Errorf("%s: %d rows, %d good, %d statements", mode, r.Rows, good, r.Statements)
		}
	}
}

func TestInsertInPipeline(t *testing.T) {
	b := newBench(t, "create table demo (id bigint)")
	o := b.options("\\startpipeline\n\\insert_rows demo (id) rows 5 values (:row)\n\\insert_rows demo (id) rows 3 " +
		"values (:row)\n\\endpipeline")
	o.Mode = Prepared
	if r := b.run(o); r.Rows != 80 || r.Transactions != 10 {
		t.Errorf("%d rows", r.Rows)
	}
}

// Numbers go to numeric columns in binary as they go in text.
func TestBinaryNumbers(t *testing.T) {
	b := newBench(t, "create domain amount as numeric; create table demo (a amount, b amount, c text)")
	numbers := []string{
		"0", "1", "-1", "9999", "10000", "-10000", "123456789012345678", "0.5", "-0.001", "12345.678", "1e20", "1.5e-7",
		"-9223372036854775807", "10000.0001", "0.0001", "0.00001", "double(5)", "1e300",
	}
	for i, n := range numbers {
		o := b.options(fmt.Sprintf("\\copy_rows demo (a, c) rows 1 values (%s, %d) format binary\n\\copy_rows demo "+
			"(b, c) rows 1 values (%s, %d)", n, i, n, i))
		o.Transactions = 1
		b.run(o)
	}
	if bad := b.int("select count(*) from (select c from demo group by c having sum(a) is distinct from sum(b) or " +
		"count(*) <> 2) as x"); bad != 0 {
		t.Errorf("%d numbers differ: %s", bad,
			servertest.Value[string](t, b.conn, "select string_agg(demo::text, ' ') from demo"))
	}
}

func TestRowsThatDoNotFit(t *testing.T) {
	b := newBench(t, "create table demo (id smallint, word text, day date)")
	check := func(text, want string) {
		t.Helper()
		r, err := Run(t.Context(), b.options(text))
		if err != nil || len(r.Aborted) != 1 || !strings.Contains(r.Aborted[0].Error(), want) {
			t.Errorf("%v, %v", r.Aborted, err)
		}
	}
	check(`\copy_rows demo (id) rows 40000 values (:row) format binary`,
		"row 32768: column id of type smallint cannot hold 32768")
	check(`\copy_rows demo (day) rows 1 values (1) format binary`,
		"column day is of type date, which needs format text")
	check(`\copy_rows demo (id) rows 1 values ('x') format binary`,
		"column id is of type smallint, but its values are text; use format text")
	check(`\copy_rows demo (id) rows 1 values ('x')`, `invalid input syntax for type smallint: "x"`)
	check(`\copy_rows gone (id) rows 1 values (1)`, `relation "gone" does not exist`)
	check(`\copy_rows gone (id) rows 1 values (1) format binary`, `relation "gone" does not exist`)
	check(`\copy_rows demo (id) rows 10 values (5 / (:row - 3))`, "row 3: division by zero")
	check(`\copy_rows demo (id) rows -1 values (1)`, "number of rows: -1 is negative")
	if n := b.int("select count(*) from demo"); n != 0 {
		t.Errorf("%d rows", n)
	}
}

// Rows that use :row alone are the same for any number of clients.
func TestRowsOfASeed(t *testing.T) {
	b := newBench(t, "create table demo (id int, word text)")
	sum := func(clients, each int, values string) string {
		servertest.Exec(t, b.conn, "truncate demo")
		o := b.options(`\copy_rows demo (id, word) rows 500 values ` + values)
		o.Clients, o.Transactions, o.Seed = clients, each, 11
		b.run(o)
		return servertest.Value[string](t, b.conn, "select md5(string_agg(demo::text, ',' order by demo)) from demo")
	}
	if sum(1, 6, "(:row, hash(:row, 5))") != sum(3, 2, "(:row, hash(:row, 5))") {
		t.Error("three clients made other rows than one")
	}
	random := "(random(1, 1000), random_text(10))"
	first, second := sum(2, 3, random), sum(2, 3, random)
	if first != second {
		t.Error("the same clients made other rows the second time")
	}
}
