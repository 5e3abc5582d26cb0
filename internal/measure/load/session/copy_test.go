//go:build unix

package session

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// numbers appends the rows 1 to n of one column each, padded to a width.
func numbers(n, width int) func([]byte) ([]byte, error) {
	i := 0
	return func(b []byte) ([]byte, error) {
		if i == n {
			return b, io.EOF
		}
		i++
		return fmt.Appendf(b, "%0*d\n", width, i), nil
	}
}

func TestCopyIn(t *testing.T) {
	for _, way := range ways {
		s := aServer(t).open(t, way, long)
		query(t, s, "create temp table c (a numeric)")
		check := func(n, width int) {
			t.Helper()
			query(t, s, "truncate c")
			result, err := s.CopyIn([]byte("copy c from stdin"), numbers(n, width))
			if diff := cmp.Diff(Result{Affected: int64(n)}, result); diff != "" || err != nil {
				t.Errorf("%s, %d rows: %v\n%s", way, n, err, diff)
			}
			s.Query([]byte("select count(*) as n, coalesce(sum(a), 0) as sum from c"), true)
			expect(t, way, s,
				seen{Returned: 1, Row: []string{fmt.Sprintf("n=%d", n), fmt.Sprintf("sum=%d", int64(n)*int64(n+1)/2)}})
		}
		check(0, 0)
		check(1, 3)
		check(100_000, 20)
		check(20, 100_000) // rows larger than a chunk
	}
}

func TestCopyCountsItsBytes(t *testing.T) {
	s := aServer(t).open(t, bySocket, long)
	query(t, s, "create temp table c (a int)")
	before := s.Sent()
	sql := "copy c from stdin"
	if _, err := s.CopyIn([]byte(sql), numbers(10, 7)); err != nil {
		t.Fatal(err)
	}
	// Query 5+n+1, CopyData 5 + 10 rows of 8 bytes, CopyDone 5
	if got, want := s.Sent()-before, uint64(6+len(sql)+5+80+5); got != want {
		t.Errorf("sent %d bytes, want %d", got, want)
	}
}

func TestCopyThatFails(t *testing.T) {
	for _, way := range ways {
		s := aServer(t).open(t, way, long)
		query(t, s, "create temp table c (a int)")
		given := 0
		endless := func(b []byte) ([]byte, error) {
			if given++; given == 1000 {
				return append(b, "not a number\n"...), nil
			}
			return append(b, "1\n"...), nil
		}
		check := func(what, sql string, rows func([]byte) ([]byte, error), want string) {
			t.Helper()
			result, err := s.CopyIn([]byte(sql), rows)
			if err != nil {
				t.Fatalf("%s, %s: %v", way, what, err)
			}
			if result.Err == nil || !strings.Contains(result.Err.Error(), want) || result.Affected != 0 {
				t.Errorf("%s, %s: got %+v, want %s", way, what, result, want)
			}
			s.Query([]byte("select count(*) as n from c"), true)
			expect(t, way+" "+what, s, seen{Returned: 1, Row: []string{"n=0"}})
		}
		check("rows without end, one of them bad", "copy c from stdin", endless, "invalid input syntax")
		check("no such table", "copy nothing from stdin", endless, `relation "nothing" does not exist`)
		check("rows that cannot be made", "copy c from stdin",
			func(b []byte) ([]byte, error) { return append(b, "1\n"...), errors.New("no more luck") }, "no more luck")
	}
}

// A server that raises a notice for every row fills its socket: we must read while we write.
func TestCopyUnderNotices(t *testing.T) {
	for _, way := range ways {
		s := aServer(t).open(t, way, long)
		query(t, s, `create temp table c (a int);
			create function pg_temp.tell() returns trigger language plpgsql as
			$$ begin raise notice '%', repeat('n', 500); return new; end $$;
			create trigger tell before insert on c for each row execute function pg_temp.tell()`)
		result, err := s.CopyIn([]byte("copy c from stdin"), numbers(50_000, 100))
		if diff := cmp.Diff(Result{Affected: 50_000}, result); diff != "" || err != nil {
			t.Errorf("%s: %v\n%s", way, err, diff)
		}
	}
}

func TestCopyInASessionThatEnds(t *testing.T) {
	srv := aServer(t)
	for _, way := range ways {
		s := srv.open(t, way, long)
		query(t, s, "create temp table c (a int)")
		n := 0
		_, err := s.CopyIn([]byte("copy c from stdin"), func(b []byte) ([]byte, error) {
			if n++; n == 100_000 {
				srv.ask(t, fmt.Sprintf("select pg_terminate_backend(%d, 5000)", s.origin.PID))
			}
			return append(b, "1\n"...), nil
		})
		if KindOf(err) != Lost {
			t.Errorf("%s: got %v", way, err)
		}
	}
}

func TestCopyWithoutRows(t *testing.T) {
	for _, way := range ways {
		s := aServer(t).open(t, way, long)
		query(t, s, "create temp table c (a int)")
		check := func(what string) {
			t.Helper()
			result, err := s.Finish()
			if !errors.Is(result.Err, ErrCopy) || err != nil {
				t.Errorf("%s, %s: got %v, %v", way, what, result.Err, err)
			}
			query(t, s, "select 1")
		}
		s.Query([]byte("copy c from stdin"), false)
		check("simple")
		s.Extended(statement(t, "", "copy c from stdin", 0, false), nil)
		check("extended")
	}
}
