package tables

import (
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

// slowRows is how many rows take first instead of each.
const slowRows = 100

// fill reports rows that take that long and returns the progress lines.
func fill(t *testing.T, o Options, total int64, first, each time.Duration) (said string) {
	synctest.Test(t, func(*testing.T) {
		var out strings.Builder
		o.Progress = &out
		p := newProgress(o, filling{table: "t", total: total})
		for done := range total {
			if done < slowRows {
				time.Sleep(first)
			} else {
				time.Sleep(each)
			}
			p.at(done + 1)
		}
		p.end()
		said = out.String()
	})
	return said
}

func TestProgressKeepsPgbenchsPace(t *testing.T) {
	check := func(o Options, total int64, first, each time.Duration, want string) {
		t.Helper()
		if diff := cmp.Diff(want, fill(t, o, total, first, each)); diff != "" {
			t.Errorf("%+v, %d rows of %v:\n%s", o, total, each, diff)
		}
	}
	check(Options{}, 200_000, 10*time.Microsecond, 10*time.Microsecond, ""+
		"100000 of 200000 tuples (50%) of t done (elapsed 1.00 s, remaining 1.00 s)\n"+
		"200000 of 200000 tuples (100%) of t done (elapsed 2.00 s, remaining 0.00 s)\n")
	check(Options{Quiet: true}, 600, 20*time.Millisecond, 20*time.Millisecond, ""+ // looked at every 2 s
		"300 of 600 tuples (50%) of t done (elapsed 6.00 s, remaining 6.00 s)\n"+
		"500 of 600 tuples (83%) of t done (elapsed 10.00 s, remaining 2.00 s)\n"+
		"600 of 600 tuples (100%) of t done (elapsed 12.00 s, remaining 0.00 s)\n")
	check(Options{Quiet: true, Terminal: true}, 200, 50*time.Millisecond, 50*time.Millisecond, ""+
		"100 of 200 tuples (50%) of t done (elapsed 5.00 s, remaining 5.00 s)\r"+
		"200 of 200 tuples (100%) of t done (elapsed 10.00 s, remaining 0.00 s)\r"+
		strings.Repeat(" ", len("200 of 200 tuples (100%) of t done (elapsed 10.00 s, remaining 0.00 s)"))+"\r")
	check(Options{Quiet: true}, 550, 120*time.Millisecond, 10*time.Millisecond, ""+ // 12 s, then a look a second
		"100 of 550 tuples (18%) of t done (elapsed 12.00 s, remaining 54.00 s)\n"+
		"400 of 550 tuples (72%) of t done (elapsed 15.00 s, remaining 5.62 s) \n")
	check(Options{}, 99_999, time.Microsecond, time.Microsecond, "")
}

func TestRowsAreWholeInAnyBuffer(t *testing.T) {
	f := filling{table: "t", total: 21, perBranch: 10, tail: "\t0\t\n"}
	var want strings.Builder
	for _, line := range []string{
		"1\t1", "2\t1", "3\t1", "4\t1", "5\t1", "6\t1", "7\t1", "8\t1", "9\t1", "10\t1",
		"11\t2", "12\t2", "13\t2", "14\t2", "15\t2", "16\t2", "17\t2", "18\t2", "19\t2", "20\t2", "21\t3",
	} {
		want.WriteString(line + "\t0\t\n")
	}
	for room := longestRow; room < 4*longestRow; room++ {
		r := newRows(f, newProgress(Options{Progress: io.Discard}, f))
		var got strings.Builder
		if _, err := io.CopyBuffer(struct{ io.Writer }{&got}, r, make([]byte, room)); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want.String(), got.String()); diff != "" {
			t.Fatalf("room for %d bytes:\n%s", room, diff)
		}
	}
	r := newRows(f, newProgress(Options{}, f))
	if _, err := r.Read(make([]byte, longestRow-1)); err != io.ErrShortBuffer {
		t.Errorf("without room for a row: %v", err)
	}
}
