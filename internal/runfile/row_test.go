package runfile

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/google/go-cmp/cmp"
)

// sameBits distinguishes 0 from -0.
var sameBits = cmp.Comparer(func(a, b float64) bool { return math.Float64bits(a) == math.Float64bits(b) })

// checkRow compares a line decoded as a row with encoding/json, which handles all other lines.
func checkRow(t *testing.T, line []byte) (isRow bool) {
	t.Helper()
	row, isRow := newRowDecoder().decode(line)
	if !isRow {
		return false
	}
	var want struct {
		Kind Kind `json:"kind"`
		Reading
	}
	if err := json.Unmarshal(line, &want); err != nil {
		t.Fatalf("%s\nis no JSON and yet a row: %v", line, err)
	}
	if diff := cmp.Diff(want.Reading, row.Reading(), sameBits); diff != "" || want.Kind != KindRead {
		t.Fatalf("%s\nas %s (-json +row):\n%s", line, want.Kind, diff)
	}
	return true
}

func randomReading(random *rand.Rand) Reading {
	r := Reading{At: noon.Add(time.Duration(random.Int64N(1e15))), Took: random.Float64(), Probe: "pgstat",
		Values: map[string]float64{}}
	for i := range 1 + random.IntN(20) {
		value := math.Float64frombits(random.Uint64())
		switch random.IntN(4) {
		case 0:
			value = float64(random.Int64N(1 << (1 + random.IntN(62))))
		case 1:
			value = math.Round(random.NormFloat64() * 1e6)
		case 2:
			value = random.NormFloat64()
		}
		if math.IsNaN(value) || math.IsInf(value, 0) {
			value = math.Copysign(0, -1)
		}
		r.Values[fmt.Sprintf("pgstat.wal/m%d", i)] = value
	}
	return r
}

func TestRowsAgreeWithJSON(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	damaged := 0
	for range 2000 {
		line, err := encode(randomReading(random))
		if err != nil {
			t.Fatal(err)
		}
		if !checkRow(t, line) {
			t.Fatalf("%s\nis as we write it, and yet no row", line)
		}
		for range 5 {
			broken := bytes.Clone(line)
			at := random.IntN(len(broken))
			switch random.IntN(3) {
			case 0:
				broken[at] = `{}[]",:.-+eE0123456789\ntrufalsx `[random.IntN(33)]
			case 1:
				broken = append(broken[:at], broken[at+1:]...)
			default:
				broken = append(broken[:at], append([]byte{line[random.IntN(len(line))]}, broken[at:]...)...)
			}
			if !checkRow(t, broken) {
				damaged++
			}
		}
	}
	if damaged < 1000 {
		t.Errorf("only %d of 10000 damaged lines were refused", damaged)
	}
}

func TestOtherLinesAreNoRows(t *testing.T) {
	check := func(want bool, line string) {
		t.Helper()
		if got := checkRow(t, []byte(line)); got != want {
			t.Errorf("%s: row %v", line, got)
		}
	}
	values := func(text string) string {
		return `{"kind":"read","at":"2026-03-01T12:00:00Z","took":0.001,"probe":"p","values":{` + text + `}}` + "\n"
	}
	check(true, values(`"a":1`))
	check(true, values(`"a":-0,"b":1.5e-7,"c":0,"d":123456789012345678,"e":0.1`))
	check(true, strings.TrimSuffix(values(`"a":1`), "\n"))
	check(true, strings.Replace(values(`"a":1`), "\n", "\r\n", 1))
	check(false, values(``))
	check(false, values(`"a":01`))
	check(false, values(`"a":+1`))
	check(false, values(`"a":.5`))
	check(false, values(`"a":5.`))
	check(false, values(`"a":1e`))
	check(false, values(`"a":1e999`))
	check(false, values(`"a":null`))
	check(false, values(`"a":"1"`))
	check(false, values(`"a":1,`))
	check(false, values(`"a":1 `))
	check(false, values(`"a":1,"a":2`))
	check(false, values(`"\u0061":1`))
	check(false, values(`"ä":1`))
	check(false, values(`"a":1}`))
	check(false, strings.Replace(values(`"a":1`), "12:00:00Z", "24:00:00Z", 1))
	check(false, strings.Replace(values(`"a":1`), "2026-03", "2026-13", 1))
	check(false, strings.Replace(values(`"a":1`), `"read"`, `"load"`, 1))
	check(false, strings.Replace(values(`"a":1`), `"took"`, `"Took"`, 1))
}

func FuzzRow(f *testing.F) {
	random := rand.New(rand.NewPCG(3, 4))
	for range 3 {
		line, err := encode(randomReading(random))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, line []byte) { checkRow(t, line) })
}

// TestRowsShareTheirNames however often the choice of metrics changes, and hold the same as readings.
func TestRowsShareTheirNames(t *testing.T) {
	var content strings.Builder
	content.WriteString(text(t, everyKind()[0]))
	var want []Reading
	for i := range 400 {
		r := Reading{At: noon.Add(time.Duration(i)), Probe: []string{"block", "pgstat"}[i%2],
			Values: map[string]float64{}}
		for m := range 1 + i%7 {
			r.Values[fmt.Sprintf("m%d", m)] = float64(i * m)
		}
		want = append(want, r)
		line, err := encode(r)
		if err != nil {
			t.Fatal(err)
		}
		content.Write(line)
	}
	var got []Reading
	names := map[*string]bool{}
	for r, err := range ReadRows(strings.NewReader(content.String())) {
		if err != nil {
			t.Fatal(err)
		}
		if row, isRow := r.(Row); isRow {
			got = append(got, row.Reading())
			names[&row.Names[0]] = true
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	// Of seven choices for two probes, four are cached: those that come round again are made again.
	if len(names) > len(want) {
		t.Errorf("%d lists of names for %d rows", len(names), len(want))
	}
	same := strings.Repeat(text(t, everyKind()[4]), 300)
	clear(names)
	for r := range ReadRows(strings.NewReader(text(t, everyKind()[0]) + same)) {
		if row, isRow := r.(Row); isRow {
			names[&row.Names[0]] = true
		}
	}
	if len(names) > decoders {
		t.Errorf("%d lists of names for rows that are all alike", len(names))
	}
}

func TestRowsAgreeWithReadings(t *testing.T) {
	content := text(t, everyKind()...) + `{"kind":"read","at":"2026-03-01T12:00:00Z","probe":"p","values":{"ä":1}}` +
		"\n"
	want, err := collect(strings.NewReader(content))
	if err != nil {
		t.Fatal(err)
	}
	var got []Record
	for r, err := range ReadRows(strings.NewReader(content)) {
		if err != nil {
			t.Fatal(err)
		}
		if reading, isReading := r.(Reading); isReading {
			t.Errorf("a reading among rows: %v", reading)
		}
		if row, isRow := r.(Row); isRow {
			r = row.Reading()
		}
		got = append(got, r)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestReadingInPieces: in one piece, by bytes, or in halves, with lines shorter and longer than
// any block.
func TestReadingInPieces(t *testing.T) {
	long := everyKind()[1].(Metric)
	long.Help = strings.Repeat("x", 3*blockSize)
	all := append(everyKind(), long, everyKind()[2], everyKind()[4], everyKind()[4])
	content := text(t, all...)
	check := func(how string, r io.Reader) {
		t.Helper()
		got, err := collect(r)
		if diff := cmp.Diff(all, got); diff != "" || err != nil {
			t.Errorf("%s: %v %.500s", how, err, diff)
		}
	}
	check("whole", strings.NewReader(content))
	check("by bytes", iotest.OneByteReader(strings.NewReader(content)))
	check("in halves", iotest.HalfReader(strings.NewReader(content)))
	check("with the end's error beside the last bytes", iotest.DataErrReader(strings.NewReader(content)))
}

// TestFailingDisk: everything read before counts, and the error names the line at which reading stopped.
func TestFailingDisk(t *testing.T) {
	broken := errors.New("input/output error")
	content := text(t, everyKind()...)
	whole := strings.Count(content[:len(content)/2], "\n")
	got, err := collect(io.MultiReader(strings.NewReader(content[:len(content)/2]), iotest.ErrReader(broken)))
	if diff := cmp.Diff(everyKind()[:whole], got); diff != "" || !errors.Is(err, broken) {
		t.Errorf("%v %s", err, diff)
	}
	if defect, isLine := errors.AsType[*LineError](err); !isLine || defect.Line != whole+1 {
		t.Errorf("reading stopped at line %d: %v", whole+1, err)
	}
}

// TestOtherInputInAPipeIsRefusedImmediately and not when the pipe is full.
func TestOtherInputInAPipeIsRefusedImmediately(t *testing.T) {
	r, w := io.Pipe()
	defer r.Close()
	go func() { _, _ = io.WriteString(w, "hello\n") }() // and nothing more, ever
	if _, err := collect(r); !errors.Is(err, ErrNotRunFile) {
		t.Error(err)
	}
}
