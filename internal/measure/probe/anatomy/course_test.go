package anatomy

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestNextFitsTheTime(t *testing.T) {
	const at = 1 << 30
	now := time.Now()
	check := func(what string, fresh uint64, since time.Duration, speed float64, wantSize uint64, wantDue,
		wantWhole bool) {
		t.Helper()
		c := course{from: at, at: at, passed: at, looked: now.Add(-since), speed: speed}
		p, due := c.next(at+fresh, now)
		if due != wantDue || due && (p.size() != wantSize || p.firstKnown != wantWhole || p.lastKnown != wantWhole) {
			t.Errorf("%s: %v, %d bytes, %+v", what, due, p.size(), p)
		}
		if due && (p.first < at || p.last > at+fresh || !wantWhole && p.last+margin > at+fresh) {
			t.Errorf("%s: %+v lies outside of what is new", what, p)
		}
	}
	check("nothing", 0, time.Second, 1e9, 0, false, false)
	check("a little, just now", small, 0, 1e9, small, true, true)
	check("much, just now", 100<<20, 499*time.Millisecond, 1e9, 0, false, false)
	check("much: half a percent of a second at 1 GB/s", 100<<20, time.Second, 1e9, 5_000_000, true, false)
	check("no more than that, but all", 5_000_000, time.Second, 1e9, 5_000_000, true, true)
	check("at the slow end a little all the same", 100<<20, time.Second, 1, small, true, false)
	check("a pause makes up for ten seconds", 1<<30, time.Hour, 100e6, 5_000_000, true, false)
	check("never more than the largest", 1<<30, time.Minute, 1e12, largest, true, false)
}

// TestCostOfLoadIsBounded: reading takes at most its share of the time, whatever is written
// and however often it is asked.
func TestCostOfLoadIsBounded(t *testing.T) {
	const speed, perSecond, seconds = 1e9, 200e6, 100
	for _, interval := range []time.Duration{100 * time.Millisecond, time.Second} {
		now, end, read := time.Now(), uint64(1<<30), 0.0
		c := course{from: end, at: end, passed: end, looked: now, speed: speed}
		for range int(seconds * time.Second / interval) {
			now, end = now.Add(interval), end+uint64(perSecond*interval.Seconds())
			if p, due := c.next(end, now); due {
				c.advance(end, now)
				read += float64(p.size())
				c.covered(window{span: p.span}, time.Duration(float64(p.size())/speed*1e9))
			}
		}
		if cost := read / speed / seconds; cost > share*1.001 || cost < share/2 {
			t.Errorf("every %v: reading takes %.2f%% of the time", interval, 100*cost)
		}
	}
}

// WAL passed without a known beginning of a record is not counted again.
func TestNothingIsPassedTwice(t *testing.T) {
	c := course{from: 100, at: 100, passed: 100}
	for i, passed := range []uint64{c.pass(150), c.pass(150), c.advance(130, time.Now()), c.advance(170, time.Now()),
		c.pass(170)} {
		if want := []uint64{50, 0, 0, 20, 0}[i]; passed != want {
			t.Errorf("%d: %d passed, want %d", i, passed, want)
		}
	}
}

// TestRestAdjoinsTheWindows: windows and the chunks of the rest adjoin without a gap.
func TestRestAdjoinsTheWindows(t *testing.T) {
	for seed := range uint64(300) {
		random := rand.New(rand.NewPCG(seed, 0))
		c := course{from: 1 << 24}
		end := c.from
		for range random.IntN(5) {
			first := end + random.Uint64N(3*chunk)
			end = first + random.Uint64N(3*chunk)
			c.windows = append(c.windows, span{first, end})
		}
		end += random.Uint64N(20 * chunk)
		var all []span
		for _, p := range c.rest(end) {
			all = append(all, p.span)
			if p.size() > chunk+margin {
				t.Fatalf("a chunk of %d bytes", p.size())
			}
			if p.lastKnown != (p.last == end || slices.ContainsFunc(c.windows, func(w span) bool {
				return w.first == p.last
			})) {
				t.Fatalf("%+v", p)
			}
		}
		all = append(all, c.windows...)
		slices.SortFunc(all, func(a, b span) int { return int(a.first) - int(b.first) })
		at := c.from
		for _, s := range all {
			if s.size() > 0 && s.first != at {
				t.Fatalf("seed %d: from %d to %d nothing is read", seed, at, s.first)
			}
			at = max(at, s.last)
		}
		if at != end {
			t.Fatalf("seed %d: it ends at %d, not %d", seed, at, end)
		}
	}
}

// TestEvenly: if time is up after some chunks, they lie in all parts of the WAL.
func TestEvenly(t *testing.T) {
	for n := range 200 {
		chunks := make([]place, n)
		for i := range chunks {
			chunks[i].first = uint64(i)
		}
		ordered := evenly(chunks)
		seen := map[uint64]bool{}
		for _, p := range ordered {
			seen[p.first] = true
		}
		if len(ordered) != n || len(seen) != n {
			t.Fatalf("%d chunks became %d, %d different", n, len(ordered), len(seen))
		}
		if n < 40 {
			continue
		}
		quarters := [4]int{}
		for _, p := range ordered[:n/5] {
			quarters[int(p.first)*4/n]++
		}
		if most, least := slices.Max(quarters[:]), slices.Min(quarters[:]); most > least+4 {
			t.Errorf("of %d chunks the first fifth lies in quarters as %v", n, quarters)
		}
	}
}

func TestBoundary(t *testing.T) {
	check := func(what string, before, inserted, flushed uint64, want uint64, wantKnown bool) {
		t.Helper()
		if got, known := boundary(before, inserted, flushed, 8192); known != wantKnown || known && got != want {
			t.Errorf("%s: %d, %v", what, got, known)
		}
	}
	check("all is flushed", 0, 10_000, 10_000, 10_000, true)
	check("more is flushed than was asked about", 0, 10_000, 20_000, 10_000, true)
	check("flushed up to a record", 0, 10_000, 9_000, 9_000, true)
	check("flushed up to a page, maybe within a record", 0, 10_000, 8_192, 0, false)
	check("and what was the end before is flushed", 8_000, 10_000, 8_192, 8_000, true)
	check("and what was the end before is not", 9_000, 10_000, 8_192, 0, false)
}

func TestPartOf(t *testing.T) {
	want := map[string]string{
		"Heap/INSERT": "heap_insert", "Heap/INSERT+INIT": "heap_insert", "Heap2/MULTI_INSERT+INIT": "heap_multi_insert",
		"Heap/HOT_UPDATE": "heap_update", "Heap/UPDATE+INIT": "heap_update", "Heap/LOCK": "heap_other",
		"Heap2/NEW_CID": "heap_other",
		"Heap2/PRUNE":   "heap_prune", "Heap2/PRUNE_ON_ACCESS": "heap_prune", "Heap2/PRUNE_VACUUM_SCAN": "heap_prune",
		"Heap2/CLEAN": "heap_prune", "Heap2/FREEZE_PAGE": "heap_prune", "Btree/INSERT_LEAF": "btree_insert_leaf",
		"Btree/INSERT_POST": "btree_insert_leaf", "Btree/INSERT_META": "btree_insert_upper",
		"Btree/SPLIT_R": "btree_split",
		"Btree/NEWROOT": "btree_other", "Gin/UPDATE_META_PAGE": "index_other", "Sequence/LOG": "sequence",
		"Transaction/COMMIT": "commit", "Transaction/COMMIT_PREPARED": "commit", "Transaction/ABORT": "abort",
		"Transaction/PREPARE": "prepare", "Transaction/ABORT_PREPARED": "prepare", "Transaction/INVALIDATION": "other",
		"LogicalMessage/MESSAGE": "message",
		"XLOG/CHECKPOINT_REDO":   "checkpoint", "XLOG/FPI_FOR_HINT": "page_image", "Standby/RUNNING_XACTS": "other",
		"custom/1": "other",
	}
	got := map[string]string{}
	for kind := range want {
		got[kind] = partOf(kind)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
