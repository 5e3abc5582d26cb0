package runfile

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/zstd"
)

// TestTornAtEveryByte cuts a file at every byte. Whole records must come back, and the cut must be reported unless it
// is between two lines.
func TestTornAtEveryByte(t *testing.T) {
	whole := contentOf(t, save(t, "run.jsonl", everyKind()...))
	for cut := 1; cut <= len(whole); cut++ {
		kept := whole[:cut]
		lines := bytes.Count(kept, []byte("\n"))
		rest := kept[bytes.LastIndexByte(kept, '\n')+1:]
		want, torn := everyKind()[:lines], len(rest) > 0
		if bytes.HasPrefix(whole[cut:], []byte("\n")) { // only the line's end is missing
			want, torn = everyKind()[:lines+1], false
		}
		got, err := collect(bytes.NewReader(kept))
		if diff := cmp.Diff(append([]Record(nil), want...), got); diff != "" {
			t.Fatalf("cut at %d: %s", cut, diff)
		}
		tear, isTear := errors.AsType[*TornError](err)
		if isTear != torn || !torn && err != nil {
			t.Fatalf("cut at %d (rest %q): got error %v", cut, rest, err)
		}
		if torn && tear.Line != lines+1 {
			t.Fatalf("cut at %d: tear said to be in line %d, not %d", cut, tear.Line, lines+1)
		}
	}
}

// TestTornAtEveryByteCompressed cuts a compressed file that was flushed after every record: each flush that is whole
// gives its record.
func TestTornAtEveryByteCompressed(t *testing.T) {
	path := filepath.Join(t.TempDir(), "run.jsonl.zst")
	w, err := Create(path)
	if err != nil {
		t.Fatal(err)
	}
	var flushed []int // the file's length after each record
	for _, r := range everyKind() {
		if err := errors.Join(w.Write(r), w.Sync()); err != nil {
			t.Fatal(err)
		}
		flushed = append(flushed, len(contentOf(t, path)))
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	whole := contentOf(t, path)
	for cut := 1; cut < len(whole); cut++ {
		records := 0
		for records < len(flushed) && flushed[records] <= cut {
			records++
		}
		got, err := collect(bytes.NewReader(whole[:cut]))
		if diff := cmp.Diff(append([]Record(nil), everyKind()[:records]...), got); diff != "" {
			t.Fatalf("cut at %d: %s", cut, diff)
		}
		if _, torn := errors.AsType[*TornError](err); !torn {
			t.Fatalf("cut at %d: got error %v", cut, err)
		}
	}
}

// text returns records as the text of a file.
func text(t *testing.T, records ...Record) string {
	t.Helper()
	return string(contentOf(t, save(t, "run.jsonl", records...)))
}

func TestNotARunFile(t *testing.T) {
	run := everyKind()[0]
	junk := make([]byte, 1<<20)
	for i := range junk {
		junk[i] = byte(i * i >> 3)
	}
	zstdJunk := append(bytes.Clone(zstdMagic), junk...)
	check := func(name, content, want string) {
		t.Helper()
		got, err := collect(strings.NewReader(content))
		if len(got) > 0 || err == nil || err.Error() != want {
			t.Errorf("%s: got %d records and error %v, want %q", name, len(got), err, want)
		}
	}
	const no = "this is not a realiops run file"
	check("empty", "", "the file is empty")
	check("blank", "\n \n", no)
	check("text", "hello\nworld\n", no)
	check("text without end", "hello", no)
	check("JSON object", `{"a":1}`+"\n", no)
	check("JSON array", "[1,2]\n", no)
	check("JSON number", "1", no)
	check("JSON null", "null\n", no)
	check("a run of somebody else's", `{"kind":"run","schema":"other/1"}`+"\n", no)
	check("a run without schema", `{"kind":"run"}`+"\n", no)
	check("begins in the middle", text(t, everyKind()[1:]...), no)
	check("unknown kind first", `{"kind":"new"}`+"\n"+text(t, run), no)
	check("binary", string(junk), no)
	check("binary without newline", strings.Repeat("\x00\xff", maxLine/2+1<<16), no)
	check("newer schema", strings.Replace(text(t, run), "realiops.run/1", "realiops.run/2", 1),
		"the file has schema realiops.run/2, but this realiops reads realiops.run/1; use a newer realiops")
	check("packed by gzip", "\x1f\x8b\x08\x00\x00\x00", ErrGzip.Error())
	check("UTF-16", "\xff\xfe{\x00", "this is UTF-16 text, as PowerShell's > writes it; convert it with Get-Content OLD | "+
		"Set-Content -Encoding utf8 NEW")
	check("torn run line", text(t, run)[:100],
		"the run was cut off in its first line, so nothing of it is left")
	if got, err := collect(bytes.NewReader(zstdJunk)); len(got) > 0 || err == nil {
		t.Errorf("compressed junk: got %d records and error %v", len(got), err)
	}
	var packed bytes.Buffer
	pack, _ := zstd.NewWriter(&packed)
	_, _ = pack.Write([]byte("hello\n"))
	_ = pack.Close()
	check("compressed text", packed.String(), no)
	packed.Reset()
	pack.Reset(&packed)
	_ = pack.Close()
	check("compressed nothing", packed.String(), no)
}

// TestMarkedRunFile: an editor on Windows saves UTF-8 with a byte order mark.
func TestMarkedRunFile(t *testing.T) {
	want := everyKind()
	got, err := collect(strings.NewReader("\ufeff" + text(t, want...)))
	if err != nil || len(got) != len(want) {
		t.Errorf("%d of %d records, %v", len(got), len(want), err)
	}
}

// TestOldWords: a file with keys from before the first release is refused in one line that names the table of words,
// wherever they occur.
func TestOldWords(t *testing.T) {
	all := everyKind()
	one := text(t, all[0])
	check := func(name, content string) {
		t.Helper()
		if _, err := collect(strings.NewReader(content)); !errors.Is(err, ErrOldWords) ||
			strings.ContainsRune(err.Error(), '\n') {
			t.Errorf("%s: %v", name, err)
		}
	}
	check("plan", strings.Replace(one, `"plan":{`, `"plan":{"arms":[],"replicates":1,`, 1))
	check("an event", one+`{"kind":"arm","at":"2026-01-01T00:00:00Z","arm":"bulk","replicate":1,"event":"begin"}`+"\n")
	for _, kind := range []string{"load", "proof", "total", "origin"} {
		check(kind, one+`{"kind":"`+kind+`","arm":"bulk","replicate":1}`+"\n")
	}
	if doc, err := os.ReadFile("../../docs/reference/run-file.md"); err != nil ||
		!strings.Contains(string(doc), "\n## Old words\n") {
		t.Errorf("docs/reference/run-file.md has no table of old words: %v", err)
	}
}

func TestDefectNamesItsLine(t *testing.T) {
	all := everyKind()
	one, two := text(t, all[0]), func(r ...Record) string { return text(t, r...) }
	check := func(name, content string, whole int, want string) {
		t.Helper()
		got, err := collect(strings.NewReader(content))
		if len(got) != whole || err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: got %d records and error %v, want %d and %q…", name, len(got), err, whole, want)
		}
	}
	check("junk between", two(all[:3]...)+"\x00\x01\n"+two(all[3]), 3,
		"line 4: the file is corrupt at that point: invalid character")
	check("number for a text", one+`{"kind":"read","probe":1}`+"\n"+two(all[3]), 1,
		"line 2: the file is corrupt at that point: probe is a number")
	check("list for a text", one+`{"kind":"read","probe":[]}`+"\n"+two(all[3]), 1,
		"line 2: the file is corrupt at that point: probe is an array")
	check("no kind", one+`{"a":1}`+"\n"+two(all[3]), 1, "line 2: no kind")
	check("bad time", one+`{"kind":"load","at":"noon"}`+"\n"+two(all[3]), 1,
		`line 2: the file is corrupt at that point: "noon" is not a time`)
	check("two files joined", one+two(all[1])+one, 2, "line 3: a second run line: two files were joined")
	check("damaged run line", `{"kind":"run",,}`+"\n", 0, "line 1: the file is corrupt at that point: invalid character")
	check("damaged run line, written anew", `{"schema": "realiops.run/1", "kind": "run", "id": 1}`+"\n", 0,
		"line 1: the file is corrupt at that point: id is a number")
	check("endless line", one+strings.Repeat("x", maxLine+1<<17), 1, "line 2: cannot be read: longer than 16 MiB")
}

func FuzzRead(f *testing.F) {
	path := filepath.Join(f.TempDir(), "run.jsonl.zst")
	w, err := Create(path)
	if err != nil {
		f.Fatal(err)
	}
	var plain []byte
	for _, r := range everyKind() {
		line, err := encode(r)
		if err != nil {
			f.Fatal(err)
		}
		plain = append(plain, line...)
		if err := w.Write(r); err != nil {
			f.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		f.Fatal(err)
	}
	packed, err := os.ReadFile(path)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(plain)
	f.Add(packed)
	f.Add(packed[:len(packed)/2])
	f.Add([]byte(`{"kind":"run","schema":"realiops.run/1"}` + "\nnull\n"))
	f.Fuzz(func(t *testing.T, content []byte) {
		records, err := collect(bytes.NewReader(content))
		if len(records) == 0 && err == nil {
			t.Fatal("neither a record nor an error")
		}
		for i, r := range records {
			if r == nil || (r.Kind() == KindRun) != (i == 0) {
				t.Fatalf("record %d is %v", i, r)
			}
			if _, err := encode(r); err != nil {
				t.Fatalf("record %d was read and cannot be written: %v", i, err)
			}
		}
	})
}

// endless returns any number of empty lines: gigabytes of them compress to some hundred kilobytes.
type endless struct{}

func (endless) Read(p []byte) (int, error) { return copy(p, bytes.Repeat([]byte("\n"), len(p))), nil }

func TestEmptyLinesAreBounded(t *testing.T) {
	check := func(empty int64, want string) {
		t.Helper()
		said := ""
		for _, err := range Read(io.MultiReader(strings.NewReader(`{"kind":"run","schema":"realiops.run/1"}`+"\n"),
			io.LimitReader(endless{}, empty))) {
			if err != nil {
				_, said, _ = strings.Cut(err.Error(), ": ")
			}
		}
		if said != want {
			t.Errorf("%d empty lines: %q, want %q", empty, said, want)
		}
	}
	check(mostBlanks, "")
	check(1<<50, "more than 1000000 empty lines; this is not a run file")
}

// TestNullIsNotZero: a value that a converter writes as null was not read.
func TestNullIsNotZero(t *testing.T) {
	const head = `{"kind":"run","schema":"realiops.run/1","id":"x","plan":{"loads":[]}}` + "\n"
	for line, want := range map[string][]Record{
		`{"kind":"read","probe":"p","values":{"a":null,"b":2}}`:  {Reading{Probe: "p", Values: map[string]float64{"b": 2}}},
		`{"kind":"total","probe":"p","values":{"a":null,"b":2}}`: {Total{Probe: "p", Values: map[string]float64{"b": 2}}},
		`{"kind":"period","metric":"a","value":null}`:            nil,
		`{"kind":"period","metric":"a"}`:                         nil,
		`{"kind":"period","metric":"a","value":0}`:               {Period{Metric: "a"}},
	} {
		got, err := collect(strings.NewReader(head + line + "\n"))
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		if diff := cmp.Diff(append([]Record(nil), want...), append([]Record(nil), got[1:]...)); diff != "" {
			t.Errorf("%s: %s", line, diff)
		}
	}
	for _, amounts := range []string{`"transactions":1,"statements":1`, `"transactions":1,"rows":1`,
		`"statements":1,"rows":1`, `"transactions":1,"statements":1,"rows":null`} {
		line := `{"kind":"work","load":"bulk",` + amounts + "}\n"
		if got, err := collect(strings.NewReader(head + line)); err == nil ||
			!strings.Contains(err.Error(), "transactions, statements or rows") {
			t.Errorf("%s: %+v, %v", line, got, err)
		}
	}
}

// TestPossibleHasNames: records without what they are about would be left out silently, and the answer with them.
func TestPossibleHasNames(t *testing.T) {
	bulk := Plan{Loads: []Load{{Name: "bulk"}, {}}}
	for _, c := range []struct {
		record Record
		says   string
	}{
		{Run{Start: noon, Plan: bulk}, "a plan with a load without a name"},
		{Metric{Type: Counter}, "a metric without a name"},
		{Metric{Name: "block/writes", Unit: "operations"}, "the metric block/writes without a type"},
		{Metric{Name: "block/write_bytes", Type: Counter}, "the metric block/write_bytes without a unit"},
		{LoadEvent{At: noon, Event: Begin}, "the begin of a load without a name"},
		{LoadEvent{At: noon, Load: "bulk"}, "the load bulk without an event"},
		{Work{From: noon, To: noon}, "work without the name of its load"},
		{Run{Start: noon, Plan: Plan{Loads: []Load{{Name: "idle"}, {Name: "bulk", Clients: 8}}}}, "the load bulk without its method"},
		{LoadEvent{At: noon, Load: "bulk", Event: End}, "the end of bulk without its repetition"},
		{Work{From: noon, To: noon, Load: "bulk"}, "work of bulk without its repetition"},
		{Total{}, "a total without the name of its load"},
		{Total{Load: "bulk"}, "a total of bulk without its repetition"},
		{Origin{}, "an origin without the name of its load"},
		{Proof{Repetition: 1}, "a proof without the name of its load"},
		{Proof{Load: "bulk"}, "a proof of bulk without its repetition"},
		{Reading{At: noon}, "a reading without its probe"},
		{Row{At: noon}, "a reading without its probe"},
		{Period{From: noon, To: noon.Add(1), Statistic: Sum}, "a period without the name of its metric"},
		{Period{From: noon, To: noon.Add(1), Metric: "cloudwatch/WriteIOPS"}, "a period of cloudwatch/WriteIOPS without its statistic"},
	} {
		for _, err := range Possible(func(yield func(Record, error) bool) { yield(c.record, nil) }) {
			if want := "it has " + c.says; err == nil || err.Error() != want {
				t.Errorf("%+v: %v, want %q", c.record, err, want)
			}
		}
	}
}

// TestPossibleHasTimes: a period without its begin would last two thousand years, and a reading without a time would
// come before all others.
func TestPossibleHasTimes(t *testing.T) {
	for _, c := range []struct {
		record Record
		says   string
	}{
		{Run{}, "a run"}, {Run{Start: noon}, ""}, {Row{}, "a reading"}, {Reading{}, "a reading"}, {LoadEvent{Event: End}, "the end of a load"},
		{Work{To: noon}, "work"}, {Work{From: noon}, "work"}, {Period{To: noon}, "a period"},
		{Period{From: noon}, "a period"}, {Period{From: noon, To: noon}, "a period"},
		{Period{From: noon, To: noon.Add(1), Metric: "m", Statistic: Average}, ""}, {Row{At: noon, Probe: "block"}, ""},
		{Work{From: noon, To: noon, Load: "bulk", Repetition: 1}, ""},
	} {
		for _, err := range Possible(func(yield func(Record, error) bool) { yield(c.record, nil) }) {
			if want := "it has " + c.says + " without a time"; c.says == "" && err != nil ||
				c.says != "" && (err == nil || err.Error() != want) {
				t.Errorf("%+v: %v, want %q", c.record, err, want)
			}
		}
	}
}
