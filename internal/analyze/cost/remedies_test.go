package cost

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/realiops/realiops/internal/analyze/counts"
	"github.com/realiops/realiops/internal/runfile"
)

// done returns a cost with the given commits that wait, rows and sessions, in two repetitions.
func done(waiting, rows, sessions [2]float64) Cost {
	c := Cost{Repetitions: 2, Relations: Relations{Items: []Relation{}}}
	for name, runs := range map[string][2]float64{WaitingCommits: waiting, "commits": waiting, "rows": rows,
		"sessions": sessions} {
		c.Counts = append(c.Counts, Count{Name: name, Runs: runs[:], Median: (runs[0] + runs[1]) / 2,
			Low: min(runs[0], runs[1]), High: max(runs[0], runs[1])})
	}
	return c
}

func TestOneTransactionSuffices(t *testing.T) {
	twice := func(n float64) [2]float64 { return [2]float64{n, n} }
	scripted, beside := done(twice(100), twice(100), twice(1)), done(twice(21), twice(21), twice(1))
	scripted.Transactions, beside.Others = 200, []string{"psql"}
	// as many commits as fsyncs, some of which may be the WAL writer's
	unsure := done(twice(21), twice(21), twice(1))
	waiting := slices.IndexFunc(unsure.Counts, func(c Count) bool { return c.Name == WaitingCommits })
	unsure.Counts[waiting].Missing = "21 commits and 3 fsyncs: some did not wait, or several waited for one fsync"
	unsure.Counts = append(unsure.Counts, Count{Name: Fsyncs, Low: 22, High: 22})
	twoPhases := done(twice(4), twice(2), twice(1))
	written := slices.IndexFunc(twoPhases.Counts, func(c Count) bool { return c.Name == "commits" })
	twoPhases.Counts[written].Low, twoPhases.Counts[written].High = 2, 2
	for name, c := range map[string]struct {
		cost Cost
		want string
	}{
		"a commit for each row": {done(twice(21), twice(21), twice(1)),
			"21 commits for 21 rows: one transaction would save 20 fsyncs."},
		"two": {done(twice(2), twice(1), twice(0)), "2 commits for one row: one transaction " +
			"would save one fsync."},
		"one":                       {done(twice(1), twice(21), twice(1)), ""},
		"by several sessions":       {done(twice(21), twice(21), twice(4)), ""},
		"that do not wait":          {done(twice(0), twice(21), twice(1)), ""},
		"not the same each time":    {done([2]float64{21, 22}, twice(21), twice(1)), ""},
		"of which not all may wait": {unsure, ""},
		"as it was asked for":       {scripted, ""},
		"others may have done some": {beside, ""},
		"in two phases":             {twoPhases, ""},
		"commits were not counted":  {Cost{}, ""},
	} {
		if got := c.cost.oneTransaction(); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// entries returns inserts into an index with the given images.
func entries(name, like, constraint string, records, images int64, scans *int64, since *time.Time) runfile.WALItem {
	return runfile.WALItem{Name: name, Is: runfile.WALIndex, Table: "public.t", Constraint: constraint, Like: like,
		Scans: scans, Since: since,
		Parts: map[string]runfile.WALPart{"btree_insert_leaf": {Records: records, Bytes: 64*records + 8000*images,
			Images: images, ImageBytes: 8000 * images}}}
}

func TestSavingsOfIndexes(t *testing.T) {
	now := time.Date(2026, 3, 10, 12, 0, 0, 0, time.UTC)
	none, some, old, young := new(int64(0)), new(int64(7)), new(now.AddDate(0, 0, -8)), new(now.AddDate(0, 0, -1))
	table := func(kind string, records, images int64) runfile.WALItem {
		return runfile.WALItem{Name: "public.t", Is: runfile.WALTable, Parts: map[string]runfile.WALPart{
			kind: {Records: records, Bytes: 64*records + 8000*images, Images: images, ImageBytes: 8000 * images}}}
	}
	rows := table("heap_insert", 500, 8)
	for name, c := range map[string]struct {
		items []runfile.WALItem
		want  []string
	}{
		"keys in random order": {
			[]runfile.WALItem{rows, entries("public.t_pkey", "", runfile.PrimaryKey, 500, 412, some, old)},
			[]string{"98% of the page images are of the primary key public.t_pkey: its keys come in random order, " +
				"and touched 412 pages for 500 rows."}},
		"keys in order": {
			[]runfile.WALItem{rows, entries("public.t_pkey", "", runfile.PrimaryKey, 500, 19, some, old)}, nil},
		"rows in random order": {[]runfile.WALItem{table("heap_update", 500, 400),
			entries("public.t_pkey", "", runfile.PrimaryKey, 500, 412, some, old)}, nil},
		"an index of the same": {[]runfile.WALItem{rows, entries("public.t_a2", "public.t_a", "", 500, 0, none, young)},
			[]string{"Index public.t_a2 has not been used on this server since 2026-03-09 12:00 UTC and costs 25% " +
				"of the WAL: index public.t_a has the same columns."}},
		"never used for long": {[]runfile.WALItem{rows, entries("public.t_a", "", "", 500, 0, none, old)},
			[]string{"Index public.t_a has not been used on this server since 2026-03-02 12:00 UTC and costs 25% " +
				"of the WAL."}},
		"not used for a day": {[]runfile.WALItem{rows, entries("public.t_a", "", "", 500, 0, none, young)}, nil},
		"used":               {[]runfile.WALItem{rows, entries("public.t_a2", "public.t_a", "", 500, 0, some, old)}, nil},
		"it stands for a unique": {
			[]runfile.WALItem{rows, entries("public.t_a2", "", runfile.Unique, 500, 0, none, old)}, nil},
		"use is not counted": {[]runfile.WALItem{rows, entries("public.t_a2", "", "", 500, 0, nil, old)}, nil},
	} {
		wal := &runfile.WAL{Items: c.items}
		got := Cost{Relations: relations(counts.Load{Repetitions: []counts.Repetition{{WAL: wal}, {WAL: wal}}})}.
			remedies(&counts.Run{Header: runfile.Run{Start: now}})
		if diff := cmp.Diff(append([]string{}, c.want...), got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// TestRelationsOfRepetitions: each line has the amounts of each repetition, 0 if it is not in one. The entry of a page
// split counts like the others.
func TestRelationsOfRepetitions(t *testing.T) {
	split := entries("public.t_a", "", "", 10, 0, nil, nil)
	split.Parts["btree_split"] = runfile.WALPart{Records: 1, Bytes: 4000}
	repetitions := []counts.Repetition{
		{WAL: &runfile.WAL{Items: []runfile.WALItem{entries("public.t_a", "", "", 10, 2, nil, nil)}}},
		{WAL: &runfile.WAL{Items: []runfile.WALItem{split, entries("public.t_b", "", "", 3, 0, nil, nil)}}},
	}
	got := relations(counts.Load{Repetitions: repetitions})
	want := map[string][][]float64{
		"public.t_a": {{10, 11}, {640, 640 + 64}, {10, 11}, {640 + 16000, 640 + 4000}, {2, 0}, {16000, 0}},
		"public.t_b": {{0, 3}, {0, 192}, {0, 3}, {0, 192}, {0, 0}, {0, 0}},
	}
	for _, r := range got.Items {
		var all [][]float64
		for _, e := range r.named() {
			all = append(all, e.Runs)
		}
		if diff := cmp.Diff(want[r.Name], all); diff != "" {
			t.Errorf("%s (-want +got):\n%s", r.Name, diff)
		}
	}
	if len(got.Items) != len(want) || got.Items[0].Name != "public.t_a" {
		t.Errorf("%+v", got.Items)
	}
	repetitions = append(repetitions, counts.Repetition{WAL: &runfile.WAL{Bytes: 2000, Read: 1000}})
	if got := relations(counts.Load{Repetitions: repetitions}); got.Missing !=
		"1,000 of 2,000 bytes of its WAL were read before it was recycled or time was up" || len(got.Items) > 0 {
		t.Errorf("of a repetition that was read in part: %+v", got)
	}
}

// TestRelationsThatDoNotAddUp: tables are shown only if they add up to the own WAL of each repetition, which is counted
// separately.
func TestRelationsThatDoNotAddUp(t *testing.T) {
	counted := counts.Repetition{Number: 2, Log: &counts.Anatomy{Coverage: 1, Parts: []counts.Part{
		{Name: "btree_insert_leaf", Records: 10, Bytes: 640}, {Name: "btree_split", Records: 1, Bytes: 4000},
		{Name: "heap_prune", Records: 1, Bytes: 60}}}}
	for name, c := range map[string]struct {
		items []runfile.WALItem
		want  string
	}{
		"all of it": {[]runfile.WALItem{entries("public.t_a", "", "", 10, 2, nil, nil)}, ""},
		"nothing": {nil, "the tables and indexes of repetition 2 have 0 bytes of own WAL, and the repetition has " +
			"640"},
		"twice": {[]runfile.WALItem{entries("public.t_a", "", "", 20, 0, nil, nil)},
			"the tables and indexes of repetition 2 have 1,280 bytes of own WAL, and the repetition has 640"},
	} {
		counted.WAL = &runfile.WAL{Items: c.items}
		if got := relations(counts.Load{Repetitions: []counts.Repetition{counted}}); got.Missing != c.want ||
			len(got.Items) > 0 != (c.want == "") {
			t.Errorf("%s: %+v, want %q", name, got, c.want)
		}
	}
}
