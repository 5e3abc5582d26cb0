package runfile

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// checkWork compares a line decoded as work with encoding/json, which handles all other lines.
func checkWork(t *testing.T, line []byte) (isWork bool) {
	t.Helper()
	work, isWork := decodeWork(line)
	if !isWork {
		return false
	}
	var want struct {
		Kind Kind `json:"kind"`
		Work
	}
	if err := json.Unmarshal(line, &want); err != nil {
		t.Fatalf("%s\nis no JSON and yet work: %v", line, err)
	}
	if diff := cmp.Diff(want.Work, work, sameBits); diff != "" || want.Kind != KindWork {
		t.Fatalf("%s\nas %s (-json +work):\n%s", line, want.Kind, diff)
	}
	return true
}

func randomWork(random *rand.Rand) Work {
	count := func() int64 {
		if random.IntN(3) == 0 {
			return 0
		}
		return random.Int64() - random.Int64N(100)*random.Int64()
	}
	from := noon.Add(time.Duration(random.Int64N(1e15)))
	return Work{
		From: from, To: from.Add(time.Second), Load: "bulk-indexed", Repetition: random.IntN(9),
		Transactions: count(), Statements: count(), Rows: count(), Updated: count(), Deleted: count(),
		Returned: count(), Lookups: count(),
		Failures: count(), Retries: count(), Late: count(), BytesSent: count(), BytesReceived: count(),
		Processor: random.NormFloat64(), Latency: strings.Repeat("AbC+/09=", random.IntN(20)),
	}
}

func TestWorkAgreesWithJSON(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	damaged := 0
	for range 2000 {
		line, err := encode(randomWork(random))
		if err != nil {
			t.Fatal(err)
		}
		if !checkWork(t, line) {
			t.Fatalf("%s\nis as we write it, and yet no work", line)
		}
		for range 5 {
			at, broken := random.IntN(len(line)), bytes.Clone(line)
			switch odd := "{}[]\",:.-+eE0123456789\\ntrufalsx \x00\x1f\x7f\xff"; random.IntN(3) {
			case 0:
				broken[at] = odd[random.IntN(len(odd))]
			case 1:
				broken = append(broken[:at], broken[at+1:]...)
			default:
				broken = append(broken[:at], append([]byte{line[random.IntN(len(line))]}, broken[at:]...)...)
			}
			if !checkWork(t, broken) {
				damaged++
			}
		}
	}
	if damaged < 1000 {
		t.Errorf("only %d of 10000 damaged lines were refused", damaged)
	}
}

func TestOtherLinesAreNoWork(t *testing.T) {
	for line, want := range map[string]bool{
		`{"kind":"work"}`: true,
		`{"kind":"work","rows":-0,"late":1}` + "\r\n":   true,
		`{"kind":"work","rows":1,"rows":2}`:             true,
		`{"kind":"work","rows":1.0}`:                    false,
		`{"kind":"work","rows":01}`:                     false,
		`{"kind":"work","rows":}`:                       false,
		`{"kind":"work","rows":9223372036854775808}`:    false,
		`{"kind":"work","rows":"1"}`:                    false,
		`{"kind":"work","Rows":1}`:                      false,
		`{"kind":"work","rows":1} `:                     false,
		`{"kind":"work","rows":1,}`:                     false,
		`{"kind":"work","kind":"read"}`:                 false,
		`{"kind":"work","load":"a\u0062"}`:              false,
		`{"kind":"work","load":"12345678` + "\t" + `"}`: false,
		`{"kind":"work","load":"ä"}`:                    false,
		`{"kind":"work","from":"2026-13-01T12:00:00Z"}`: false,
		`{"kind":"work","from":null}`:                   false,
		`{"kind":"worker"}`:                             false,
	} {
		if got := checkWork(t, []byte(line)); got != want {
			t.Errorf("%s: work %v", line, got)
		}
	}
}
