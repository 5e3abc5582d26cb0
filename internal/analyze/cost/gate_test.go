package cost_test

import (
	"encoding/xml"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/realiops/realiops/internal/analyze/cost"
	"github.com/realiops/realiops/internal/analyze/document"
	"github.com/realiops/realiops/internal/analyze/stats"
	"github.com/realiops/realiops/internal/runfile"
)

func counted(name string, runs ...float64) cost.Count {
	return cost.Count{Name: name, Unit: "records", Runs: runs, Median: stats.Median(runs), Low: slices.Min(runs),
		High: slices.Max(runs)}
}

func missing(name, why string) cost.Count { return cost.Count{Name: name, Missing: why} }

func judged(t *testing.T, now cost.Cost, text string, base *cost.Compared) cost.Judged {
	t.Helper()
	budgets, err := cost.ParseBudgets(text)
	if err != nil {
		t.Fatal(err)
	}
	return now.JudgeBy(budgets[0], base)
}

// relation returns a relation with the given own records, their bytes, and bytes of page images, per execution.
func relation(is, name string, records, bytes, images float64) cost.Relation {
	each := func(v float64) cost.Each { return cost.Each{Runs: []float64{v}, Median: v, Low: v, High: v} }
	return cost.Relation{Is: is, Name: name, OwnRecords: each(records), OwnBytes: each(bytes), ImageBytes: each(images)}
}

// TestBudgetsAgainstABase: a count that surely exceeds a base is over, one that does not is within. In between it
// cannot be told: if the repetitions overlap, if others were active, or if not everything was read.
func TestBudgetsAgainstABase(t *testing.T) {
	ten := func(v float64) []float64 { return slices.Repeat([]float64{v}, 10) }
	but := func(v float64, others ...float64) []float64 { return append(ten(v)[len(others):], others...) }
	const records = cost.OwnRecords
	of := func(c cost.Count, more ...cost.Count) cost.Cost {
		return cost.Cost{Repetitions: 10, Counts: append(more, c)}
	}
	beside, open := of(counted(records, ten(60)...)), of(counted(records, ten(60)...))
	beside.Others, open.Incomplete = []string{"psql of joe"}, true
	fsyncs := counted(cost.Fsyncs, ten(2)...)
	fsyncs.Own, fsyncs.Rest = ten(1), "the rest may be the WAL writer's"
	unreadIn := func(all ...float64) cost.Cost {
		return of(missing(records, "pg_walinspect is not in this database"), counted("wal_records", all...))
	}
	unread := func(all float64) cost.Cost { return unreadIn(ten(all)...) }
	for _, c := range []struct {
		name      string
		base, now cost.Cost
		budget    string
		want      cost.Verdict
		max       float64
	}{
		{"the same", of(counted(records, ten(60)...)), of(counted(records, ten(60)...)), "own_wal_records=base",
			cost.Within, 60},
		{"fewer", of(counted(records, ten(60)...)), of(counted(records, ten(50)...)), "own_wal_records=base",
			cost.Within, 60},
		{"one more", of(counted(records, ten(60)...)), of(counted(records, ten(61)...)), "own_wal_records=base",
			cost.Over, 60},
		{"3% more", of(counted(records, ten(100)...)), of(counted(records, ten(103)...)), "own_wal_records=base+3%",
			cost.Within, 103},
		{"a little more than 3%", of(counted(records, ten(100)...)), of(counted(records, ten(104)...)),
			"own_wal_records=base+3%", cost.Over, 103},
		{"10% of what no fraction is exact of", of(counted(records, ten(70)...)), of(counted(records, ten(77)...)),
			"own_wal_records=base+10%", cost.Within, 77},
		{"20 more", of(counted(records, ten(60)...)), of(counted(records, ten(80)...)), "own_wal_records=base+20",
			cost.Within, 80},
		{"21 more", of(counted(records, ten(60)...)), of(counted(records, ten(81)...)), "own_wal_records=base+20",
			cost.Over, 80},
		{"one repetition strays in each", of(counted(records, but(60, 300)...)), of(counted(records, but(60, 300)...)),
			"own_wal_records=base", cost.Within, 60},
		{"one repetition of the base strays", of(counted(records, but(60, 300)...)), of(counted(records, ten(80)...)),
			"own_wal_records=base", cost.Over, 60},
		{"both vary alike", of(counted(records, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10)),
			of(counted(records, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11)), "own_wal_records=base", cost.CannotTell, 5.5},
		{"beside others", of(counted(records, ten(59)...)), beside, "own_wal_records=base", cost.CannotTell, 59},
		{"within beside others", of(counted(records, ten(60)...)), beside, "own_wal_records=base", cost.Within, 60},
		{"a base beside others is too high", beside, of(counted(records, ten(60)...)), "own_wal_records=base",
			cost.CannotTell, 60},
		{"over a base beside others", beside, of(counted(records, ten(61)...)), "own_wal_records=base", cost.Over, 60},
		{"a base that lacks some is too low", open, of(counted(records, ten(61)...)), "own_wal_records=base",
			cost.CannotTell, 60},
		{"a base that does not know it", of(missing(records, "no")), of(counted(records, ten(61)...)),
			"own_wal_records=base", cost.CannotTell, 0},
		{"fsyncs of others' may be", of(counted(cost.Fsyncs, ten(1)...)), of(fsyncs), "wal_fsyncs=base",
			cost.CannotTell, 1},
		{"all of the WAL is less", of(counted(records, ten(60)...)), unread(59), "own_wal_records=base",
			cost.Within, 60},
		{"all of the WAL is more", of(counted(records, ten(60)...)), unread(61), "own_wal_records=base",
			cost.CannotTell, 60},
		{"neither's WAL was read", unread(60), unread(60), "own_wal_records=base", cost.Within, 60},
		{"neither's WAL was read, and it is more", unread(60), unread(80), "own_wal_records=base", cost.Over, 60},
		{"neither's WAL was read, and the server adds some", unreadIn(60, 61, 60, 62), unreadIn(61, 62, 63, 60),
			"own_wal_records=base", cost.Within, 60},
		{"only the base's WAL was not read", unread(60), of(counted(records, ten(50)...)), "own_wal_records=base",
			cost.CannotTell, 0},
	} {
		j := judged(t, c.now, c.budget, &cost.Compared{File: "base.jsonl", Cost: c.base})
		if j.Verdict != c.want || j.Max != c.max {
			t.Errorf("%s: %s, at most %v, want %s, at most %v\n%s", c.name, j.Verdict, j.Max, c.want, c.max,
				j.Sentence())
		}
	}
	for text, want := range map[string]string{
		"own_wal_records=base": "own_wal_records: whether it is more than in the base is unknown: " +
			"base.jsonl lacks it (no): measure it again",
		"own_wal_records=base+3%": "own_wal_records: whether it is more than in the base by over 3% is " +
			"unknown: base.jsonl lacks it (no): measure it again",
		"own_wal_records = base + 9": "own_wal_records: whether it is more than in the base by over 9 is " +
			"unknown: base.jsonl lacks it (no): measure it again",
	} {
		if got := judged(t, of(counted(records, ten(61)...)), text,
			&cost.Compared{File: "base.jsonl", Cost: of(missing(records, "no"))}).Sentence(); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
	for text, want := range map[string]cost.Verdict{"wal_fsyncs=1": cost.CannotTell, "wal_fsyncs=2": cost.Within,
		"wal_fsyncs=0": cost.Over} {
		if j := judged(t, of(fsyncs), text, nil); j.Verdict != want {
			t.Errorf("%s, of which one is surely its own: %s", text, j.Sentence())
		}
	}
	if j := judged(t, of(counted(records, ten(1)...)), "own_wal_records=base", nil); j.Verdict != cost.CannotTell {
		t.Errorf("without a base: %s", j.Sentence())
	}
}

// TestGrowthIsNamed: another index, and updates that are no longer HOT, are named with the statement, the table and
// the index.
func TestGrowthIsNamed(t *testing.T) {
	each := func(pairs ...any) map[string]float64 {
		m := map[string]float64{}
		for i := 0; i < len(pairs); i += 2 {
			m[pairs[i].(string)] = float64(pairs[i+1].(int))
		}
		return m
	}
	causes := func(items ...cost.Cause) cost.Causes { return cost.Causes{Items: items} }
	insert, update := "insert into item values ($1)", "update item set n = $1"
	base := cost.Cost{Counts: []cost.Count{counted(cost.OwnRecords, 60)},
		Statements: causes(cost.Cause{Name: "1", Text: insert, Each: each("wal_records", 40)},
			cost.Cause{Name: "2", Text: update, Each: each("wal_records", 20)}),
		Tables: causes(cost.Cause{Name: "public.item", Each: each("n_tup_ins", 20, "n_tup_upd", 20, "n_tup_hot_upd",
			20, "entries", 20)}),
		Indexes: causes(cost.Cause{Name: "public.item_pkey", Each: each("entries", 20)})}
	now := cost.Cost{Counts: []cost.Count{counted(cost.OwnRecords, 100)},
		Statements: causes(cost.Cause{Name: "7", Text: insert, Each: each("wal_records", 60)},
			cost.Cause{Name: "8", Text: update, Each: each("wal_records", 40)}),
		Tables: causes(cost.Cause{Name: "public.item", Each: each("n_tup_ins", 20, "n_tup_upd", 20, "n_tup_hot_upd",
			0, "entries", 60)}),
		Indexes: causes(cost.Cause{Name: "public.item_pkey", Each: each("entries", 20)},
			cost.Cause{Name: "public.item_sku", Each: each("entries", 40)})}
	r := cost.Result{Cost: now, Base: &cost.Compared{File: "base.jsonl", Cost: base}}
	budgets, err := cost.ParseBudgets("own_wal_records=base")
	if err != nil {
		t.Fatal(err)
	}
	r.Hold(budgets)
	const want = "own_wal_records: 100 a run; the budget is 60 (base, which was 60). More than in the base: " +
		"statement insert into item values ($1): records +20 (40 -> 60); statement update item set n = $1: records +20 " +
		"(20 -> 40); " +
		"table public.item: index entries +40 (20 -> 60); table public.item: HOT updates -20 (20 -> 0); " +
		"index public.item_sku: index entries +40, new"
	if got := r.Exceeded(); got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	withWAL := func(c cost.Cost, items ...cost.Relation) cost.Cost {
		c.Relations.Items = items
		return c
	}
	r = cost.Result{Cost: withWAL(now, relation("table", "public.item", 40, 3000, 0),
		relation("index", "public.item_sku", 40, 2560, 0)),
		Base: &cost.Compared{File: "base.jsonl", Cost: withWAL(base, relation("table", "public.item", 40, 3000, 0))}}
	r.Hold(budgets)
	if got := r.Exceeded(); !strings.HasSuffix(got,
		"(20 -> 40); index public.item_sku: records +40, bytes +2,560, new; table public.item: HOT "+
			"updates -20 (20 -> 0)") {
		t.Errorf("by the WAL: %s", got)
	}
	r = cost.Result{Cost: withWAL(now, relation("catalog", "pg_catalog.pg_class", 10, 1520, 0),
		relation("index", "public.item_n", 0, 0, 2128)),
		Base: &cost.Compared{File: "base.jsonl",
			Cost: withWAL(base, relation("catalog", "pg_catalog.pg_class", 8, 1168, 0))}}
	r.Hold(budgets)
	if got := r.Exceeded(); !strings.Contains(got,
		"index public.item_n: bytes of page images +2,128, new; catalog pg_catalog.pg_class: records +2 "+
			"(8 -> 10), bytes +352") {
		t.Errorf("of an index that is built: %s", got)
	}
	full := now
	full.Indexes.Items = nil
	for i := range runfile.MostTopItems {
		full.Indexes.Items = append(full.Indexes.Items, cost.Cause{Name: fmt.Sprint("public.i", i),
			Each: each("entries", 50)})
	}
	r = cost.Result{Cost: now, Base: &cost.Compared{File: "base.jsonl", Cost: full}}
	r.Base.Cost.Counts = base.Counts
	r.Hold(budgets)
	if got := r.Exceeded(); strings.Contains(got, "new") {
		t.Errorf("what may have been below those listed is new: %s", got)
	}
}

// TestBases: a base reads back as written, as far as a budget needs it, in any order.
func TestBases(t *testing.T) {
	c := cost.Cost{
		Operation: runfile.Operation{Text: "./order \"a\" <b>", Warmup: 1, FirstTouch: true, Times: 3},
		Server:    "PostgreSQL 17.11",
		Settings:  map[string]string{"wal_level": "replica"}, Repetitions: 3, Transactions: 9, Others: []string{"psql"},
		Incomplete: true, Warnings: []string{},
		Counts: []cost.Count{counted(cost.OwnRecords, 60, 60, 60), counted(cost.OwnBytes, 4, 9, 5),
			missing("commits", "no"), counted("rows", 0, 0, 0)},
		Statements: cost.Causes{
			Items: []cost.Cause{{Name: "insert", Text: "insert", Each: map[string]float64{"calls": 2}},
				{Name: "update", Text: "update", Each: map[string]float64{"wal_records": 0.5}}}},
		Tables:  cost.Causes{Items: []cost.Cause{{Name: "public.a", Each: map[string]float64{"n_tup_ins": 1}}}},
		Indexes: cost.Causes{Items: []cost.Cause{}, Missing: "they were not asked for"},
		Relations: cost.Relations{Items: []cost.Relation{relation("table", "public.a", 20, 1900, 0),
			relation("index", "public.a_pkey", 20, 1280, 8000)}},
	}
	write := func(c cost.Cost) string {
		var b strings.Builder
		if err := cost.WriteBase(&b, cost.Result{Cost: c}); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	text := write(c)
	got, err := cost.ReadBase([]byte(text))
	if err != nil || !cost.IsBase([]byte(text)) {
		t.Fatal(err, text)
	}
	ascending := cmpopts.SortSlices(func(a, b float64) bool { return a < b })
	if diff := cmp.Diff(c, got, ascending, cmpopts.EquateNaNs(), cmpopts.IgnoreFields(cost.Count{}, "Median",
		"Low", "High"), cmpopts.IgnoreUnexported(cost.Relation{}), cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("(-written +read):\n%s\n%s", diff, text)
	}
	slices.Reverse(c.Statements.Items)
	slices.Reverse(c.Relations.Items)
	c.Counts[1].Runs = []float64{9, 4, 5}
	if again := write(c); again != text {
		t.Errorf("in another order:\n%s\nis not\n%s", again, text)
	}
	for edit, why := range map[string]string{
		text + "{\"count\":\"rows\",\"each\":1,\"runs\":[1,2]}\n": "line 12 of the base: rows: each must be the median of " +
			"3 runs",
		text + "{\"colour\":1}\n":                                         "line 12 of the base: unknown field \"colour\"",
		text + "{\"count\":\"rows\",\"each\":7}\n":                        "line 12 repeats an earlier line",
		text + "{\"wal_of\":\"public.a\",\"is\":\"table\",\"each\":{}}\n": "line 12 repeats an earlier line",
		strings.Replace(text, "base/1", "base/2",
			1): `the form is "realiops.base/2", but this version of realiops reads realiops.base/1`,
		text + "{}\n": "it names no count, statement, table or index",
		strings.Replace(text, `"repetitions":3`, `"repetitions":0`, 1): "line 2 of the base",
		strings.SplitAfter(text, "\n")[0]:                              "the base has no counts",
		text + "{\"count\":\"wal_bytes\",\"each\":-5}\n":               "line 12 of the base: wal_bytes: -5 is negative",
		text + "{\"count\":\"wal_bytes\",\"each\":null}\n":             "null is not an amount",
		text + "{\"count\":\"rows\",\"each\":1,\"runs\":[1,null,1]}\n": "null is not an amount",
		text + "hello\n": "line 12 of the base",
	} {
		if _, err := cost.ReadBase([]byte(edit)); err == nil || !strings.Contains(err.Error(), why) {
			t.Errorf("%v, want %q", err, why)
		}
		if !cost.IsBase([]byte(edit)) {
			t.Errorf("it is taken for a run file: %s", why)
		}
	}
	for by, edited := range map[string]string{
		"an editor on Windows":       "\ufeff" + strings.ReplaceAll(text, "\n", "\r\n"),
		"a program that spaces JSON": strings.NewReplacer(`{`, `{ `, `":`, `": `).Replace(text),
	} {
		if again, err := cost.ReadBase([]byte(edited)); err != nil || !cost.IsBase([]byte(edited)) || write(again) != text {
			t.Errorf("edited by %s: %v", by, err)
		}
	}
}

// TestGrowthWithoutTableIsNamed: rollbacks have no table, and oversized values no lasting name. Both are named if they
// grew, also after a base was written and read.
func TestGrowthWithoutTableIsNamed(t *testing.T) {
	of := func(records, ends, values float64) cost.Cost {
		return cost.Cost{Operation: runfile.Operation{Text: "order"}, Repetitions: 1,
			Counts: []cost.Count{counted(cost.OwnRecords, records)},
			Relations: cost.Relations{Items: []cost.Relation{
				relation(runfile.WALOfNone, "", ends, 34*ends, 0), relation(runfile.WALOversizedIndex, "public.t",
					values, 64*values, 0)}}}
	}
	var b strings.Builder
	if err := cost.WriteBase(&b, cost.Result{Cost: of(3, 1, 2)}); err != nil {
		t.Fatal(err)
	}
	base, err := cost.ReadBase([]byte(b.String()))
	if err != nil {
		t.Fatal(err)
	}
	const want = "More than in the base: commits and others: records +9 (1 -> 10), bytes +306; index of oversized " +
		"values of public.t: records +3 (2 -> 5), bytes +192"
	if said := judged(t, of(15, 10, 5), "own_wal_records=base",
		&cost.Compared{Cost: base}).Sentence(); !strings.HasSuffix(said, want) {
		t.Errorf("%s, want %s", said, want)
	}
	without, _, _ := strings.Cut(b.String(), `{"wal_of":"commits and others"`)
	base, err = cost.ReadBase([]byte(without))
	if err != nil {
		t.Fatal(err)
	}
	if said := judged(t, of(15, 10, 5), "own_wal_records=base",
		&cost.Compared{Cost: base}).Sentence(); strings.Contains(said, "commits and others") {
		t.Errorf("of what the base does not keep: %s", said)
	}
}

// TestRenamedIndexIsNotNew: a renamed index is not new.
func TestRenamedIndexIsNotNew(t *testing.T) {
	of := func(records float64, items ...cost.Relation) cost.Cost {
		return cost.Cost{Counts: []cost.Count{counted(cost.OwnRecords, records)}, Relations: cost.Relations{
			Items: items}}
	}
	base := of(20, relation("index", "public.a", 10, 640, 0), relation("table", "public.t", 10, 600, 0))
	now := of(30, relation("index", "public.b", 10, 640, 0), relation("index", "public.c", 10, 640, 0),
		relation("table", "public.t", 10, 600, 0))
	said := judged(t, now, "own_wal_records=base", &cost.Compared{Cost: base}).Sentence()
	if !strings.HasSuffix(said, "More than in the base: index public.c: records +10, bytes +640, new") {
		t.Error(said)
	}
}

// TestRelationsInCSV: CSV has every amount of each table and index, with the base beside it, if kept there.
func TestRelationsInCSV(t *testing.T) {
	each := func(runs ...float64) cost.Each {
		return cost.Each{Runs: runs, Median: stats.Median(runs), Low: slices.Min(runs), High: slices.Max(runs)}
	}
	now := cost.Cost{Operation: runfile.Operation{Text: "order"}, Relations: cost.Relations{Items: []cost.Relation{
		{Is: "index", Name: "public.a_pkey", OwnRecords: each(20, 21, 25), OwnBytes: each(1280), Records: each(30),
			Bytes: each(9280), Images: each(1), ImageBytes: each(8000)},
		{Is: "other", OwnRecords: each(1), OwnBytes: each(34), Records: each(1), Bytes: each(34), Images: each(0),
			ImageBytes: each(0)},
	}}}
	before := cost.Cost{
		Relations: cost.Relations{Items: []cost.Relation{relation("index", "public.a_pkey", 10, 640, 0)}}}
	var b strings.Builder
	if err := document.CSV(&b, cost.Result{Cost: now, Base: &cost.Compared{Cost: before}}.Document(false)); err != nil {
		t.Fatal(err)
	}
	const want = `of,name,count,each time,lowest,highest,base,missing
index,public.a_pkey,own_records,21,20,25,10,
index,public.a_pkey,own_bytes,1280,1280,1280,640,
index,public.a_pkey,records,30,30,30,,
index,public.a_pkey,bytes,9280,9280,9280,,
index,public.a_pkey,images,1,1,1,,
index,public.a_pkey,image_bytes,8000,8000,8000,0,
other,commits and others,own_records,1,1,1,,
other,commits and others,own_bytes,34,34,34,,
other,commits and others,records,1,1,1,,
other,commits and others,bytes,34,34,34,,
other,commits and others,images,0,0,0,,
other,commits and others,image_bytes,0,0,0,,
`
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestSimilarStatementsDiffer: statements with the same beginning differ in each form, and a page has them whole.
// Values that a base does not keep are not 0.
func TestSimilarStatementsDiffer(t *testing.T) {
	long := "INSERT INTO shop_order_item (" + strings.Repeat("a_column_with_a_name, ", 20) + "id) VALUES "
	one, two := long+"($1)", long+"($1), ($2)"
	items := []cost.Cause{{Name: "1", Text: one, Each: map[string]float64{"calls": 3, "wal_bytes": 9}},
		{Name: "2", Text: two, Each: map[string]float64{"calls": 4, "wal_bytes": 8}}}
	base := cost.Cost{Repetitions: 1, Statements: cost.Causes{Items: items}, Relations: cost.Relations{
		Items: []cost.Relation{{Is: "table", Name: "public.a", OwnRecords: cost.Each{Runs: []float64{7}, Median: 7}}}}}
	d := cost.Result{Cost: base}.Document(false)
	written := map[string]string{}
	for form, write := range map[string]func(io.Writer, document.Document) error{
		"text": func(w io.Writer, d document.Document) error {
			return document.Text(w, d, 100)
		}, "html": document.HTML, "md": document.Markdown,
	} {
		var b strings.Builder
		if err := write(&b, d); err != nil {
			t.Fatal(err)
		}
		written[form] = strings.Join(strings.Fields(b.String()), " ")
		if strings.Contains(b.String(), "share") || strings.Contains(b.String(), "bytes in all") {
			t.Errorf("%s: a base does not keep all bytes:\n%s", form, b.String())
		}
	}
	for _, whole := range []string{one, two} {
		if !strings.Contains(written["html"], whole) ||
			!strings.Contains(strings.ReplaceAll(written["md"], `\`, ""), whole) {
			t.Errorf("a page does not have all of %s:\n%s", whole, written["md"])
		}
	}
	if text := written["text"]; strings.Contains(text, one) || !strings.Contains(text, "VALUES ($1)") ||
		!strings.Contains(text, "VALUES ($1), ($2)") {
		t.Errorf("%s", text)
	}
	now := base
	now.Counts, base.Counts = []cost.Count{counted(cost.OwnRecords, 9)}, []cost.Count{counted(cost.OwnRecords, 7)}
	now.Statements.Items = []cost.Cause{{Name: "1", Text: one, Each: map[string]float64{"wal_records": 5}},
		{Name: "2", Text: two, Each: map[string]float64{"wal_records": 5}}}
	if said := judged(t, now, "own_wal_records=base", &cost.Compared{Cost: base}).Sentence(); !strings.Contains(said,
		"($1): records +5") ||
		!strings.Contains(said, "($1), ($2): records +5") {
		t.Errorf("what grew: %s", said)
	}
}

func FuzzReadBase(f *testing.F) {
	f.Add(`{"schema":"realiops.base/1","of":{"operation":{"text":"a","warmup":1},"server":"PostgreSQL 17.1","settings":{},"repetitions":2}}` + "\n" +
		`{"count":"rows","each":1,"unit":"rows"}` + "\n" + `{"table":"public.a","each":{"entries":1}}`)
	f.Fuzz(func(_ *testing.T, text string) {
		if c, err := cost.ReadBase([]byte(text)); err == nil {
			budgets, _ := cost.ParseBudgets("rows=base")
			_ = c.JudgeBy(budgets[0], &cost.Compared{Cost: c}).Sentence()
		}
	})
}

// TestOtherBasesAreRefused: the one-line error names the difference.
func TestOtherBasesAreRefused(t *testing.T) {
	now := func() cost.Cost {
		return cost.Cost{Operation: runfile.Operation{Text: "./order", Warmup: 1}, Server: "PostgreSQL 17.11",
			Settings: map[string]string{"wal_level": "replica"}}
	}
	for why, change := range map[string]func(*cost.Cost){
		"":                             func(*cost.Cost) {},
		"another command":              func(c *cost.Cost) { c.Operation.Text = "./order\n--all" },
		"another version":              func(c *cost.Cost) { c.Server = "PostgreSQL 18.0" },
		"another plan: --first-touch":  func(c *cost.Cost) { c.Operation.FirstTouch = true },
		"another plan: --transactions": func(c *cost.Cost) { c.Operation.Times = 2 },
		"another plan: --warmup":       func(c *cost.Cost) { c.Operation.Warmup = 0 },
		"other settings: wal_level":    func(c *cost.Cost) { c.Settings["wal_level"] = "logical" },
		"other settings: wal_level: not known there, replica here": func(c *cost.Cost) { c.Settings = nil },
	} {
		base := now()
		change(&base)
		switch err := (cost.Compared{File: "base.jsonl", Cost: base}).Refuse(now()); {
		case why == "" && err == nil:
		case err == nil || !strings.HasPrefix(err.Error(), "base.jsonl is a base of "+why) ||
			strings.Contains(err.Error(), "\n"):
			t.Errorf("%s: %v", why, err)
		}
	}
	minor := now()
	minor.Server = "PostgreSQL 17.3"
	minor.Settings["fsync"] = "off"
	is := now()
	is.Settings["fsync"] = "on"
	base := cost.Compared{File: "base.jsonl", Cost: minor}
	if err := base.Refuse(is); err != nil {
		t.Errorf("of another minor release: %v", err)
	}
	if got := base.Differs(is); got != "The server of base.jsonl had other settings: fsync (off there, on here)" {
		t.Errorf("%q", got)
	}
	delete(minor.Settings, "fsync")
	if got := base.Differs(is); got != "The server of base.jsonl had other settings: fsync (not known there, on here)" {
		t.Errorf("%q", got)
	}
	is.Settings = nil
	if got := base.Differs(is); got != "The server of base.jsonl had other settings: wal_level (replica there, not known here)" {
		t.Errorf("%q", got)
	}
}

// TestJUnitHasACaseForEachCount, and one for the operation. If it failed, no count passes its budget.
func TestJUnitHasACaseForEachCount(t *testing.T) {
	type said struct { // twice: GitLab shows the text, and others the attribute
		Message string `xml:"message,attr"`
		Text    string `xml:",chardata"`
	}
	for _, c := range []struct {
		name, failed, budgets string
		counts                []cost.Count
		want                  map[string]string
	}{
		{"no budget", "", "", []cost.Count{counted("rows", 3), missing("commits", "no")},
			map[string]string{"runs without error": "", "rows": "", "commits": "skipped"}},
		{"budgets", "", "rows=3,rows=2,commits=1", []cost.Count{counted("rows", 3), missing("commits", "no")},
			map[string]string{"runs without error": "", "rows=3": "", "rows=2": "failure", "commits=1": "error"}},
		{"failed later", "exit status 3", "rows=3", []cost.Count{counted("rows", 3), counted("commits", 1)},
			map[string]string{"runs without error": "error", "rows=3": "skipped", "commits": ""}},
		{"failed at once", "exit status 3", "rows=3", nil, map[string]string{"runs without error": "error",
			"rows=3": "skipped"}},
	} {
		r := cost.Result{Cost: cost.Cost{Repetitions: 1, Counts: c.counts}, Failed: c.failed}
		if c.budgets != "" {
			budgets, err := cost.ParseBudgets(c.budgets)
			if err != nil {
				t.Fatal(err)
			}
			r.Hold(budgets)
		}
		var b strings.Builder
		if err := cost.JUnit(&b, r); err != nil {
			t.Fatal(err)
		}
		var suite struct {
			Tests    int `xml:"tests,attr"`
			Failures int `xml:"failures,attr"`
			Errors   int `xml:"errors,attr"`
			Skipped  int `xml:"skipped,attr"`
			Cases    []struct {
				Name     string `xml:"name,attr"`
				Failures []said `xml:"failure"`
				Errors   []said `xml:"error"`
				Skipped  []said `xml:"skipped"`
			} `xml:"testcase"`
		}
		if err := xml.Unmarshal([]byte(b.String()), &suite); err != nil {
			t.Fatal(err)
		}
		got, sums := map[string]string{}, map[string]int{}
		for _, one := range suite.Cases {
			got[one.Name] = strings.Repeat("failure", len(one.Failures)) + strings.Repeat("error", len(one.Errors)) +
				strings.Repeat("skipped", len(one.Skipped))
			sums[got[one.Name]]++
			for _, m := range slices.Concat(one.Failures, one.Errors, one.Skipped) {
				if m.Message == "" || m.Text != m.Message {
					t.Errorf("%s, %s: %q", c.name, one.Name, m)
				}
			}
		}
		if !maps.Equal(got, c.want) || suite.Tests != len(c.want) || suite.Failures != sums["failure"] ||
			suite.Errors != sums["error"] || suite.Skipped != sums["skipped"] {
			t.Errorf("%s: %v, want %v\n%s", c.name, got, c.want, &b)
		}
	}
}
