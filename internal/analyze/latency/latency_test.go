package latency

import (
	"encoding/base64"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
	"github.com/google/go-cmp/cmp"
)

// byLibrary merges histograms with the library, one after the other.
func byLibrary(encoded []string) *Quantiles {
	var sum Sum
	for _, e := range encoded {
		line, err := hdrhistogram.Decode([]byte(e))
		if err != nil {
			return nil
		}
		sum.add(line)
	}
	return sum.Quantiles()
}

func encodedHistogram(t *testing.T, h *hdrhistogram.Histogram) string {
	t.Helper()
	encoded, err := h.Encode(hdrhistogram.V2CompressedEncodingCookieBase)
	if err != nil {
		t.Fatal(err)
	}
	return string(encoded)
}

// TestSumAgreesWithLibrary for any mixture of geometries, of empty and of full histograms.
func TestSumAgreesWithLibrary(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	reach := []int64{int64(time.Hour / time.Microsecond), int64(time.Minute / time.Microsecond),
		int64(48 * time.Hour / time.Microsecond)}
	nils := 0
	var adder Adder // of all sums, whatever came first
	for range 60 {
		var encoded []string
		for range 1 + random.IntN(6) {
			of := reach[0]
			if random.IntN(4) == 0 {
				of = reach[random.IntN(len(reach))]
			}
			h := hdrhistogram.New(1, of, 2+random.IntN(2))
			for range random.IntN(300) {
				_ = h.RecordValues(1+random.Int64N(of/2), 1+random.Int64N(1<<random.IntN(50)))
			}
			encoded = append(encoded, encodedHistogram(t, h))
		}
		want, sum := byLibrary(encoded), Sum{}
		for _, e := range encoded {
			adder.Add(&sum, e)
		}
		if want == nil {
			nils++
		}
		if diff := cmp.Diff(want, sum.Quantiles()); diff != "" {
			t.Fatal(diff)
		}
	}
	if nils > 50 {
		t.Errorf("%d of 60 sums were nothing", nils)
	}
}

// TestDamagedHistograms: what it refuses is refused, and leaves no trace in the sum.
func TestDamagedHistograms(t *testing.T) {
	h := hdrhistogram.New(1, int64(time.Hour/time.Microsecond), 3)
	for i := range int64(1000) {
		_ = h.RecordValue(i * i)
	}
	whole := encodedHistogram(t, h)
	raw, err := base64.StdEncoding.DecodeString(whole)
	if err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(3, 4))
	for range 300 {
		broken := append([]byte(nil), raw...)
		for range 1 + random.IntN(3) {
			broken[random.IntN(len(broken))] ^= 1 << random.IntN(8)
		}
		damaged := base64.StdEncoding.EncodeToString(broken[:len(broken)-random.IntN(2)])
		var adder Adder
		var sum Sum
		adder.Add(&sum, whole)
		adder.Add(&sum, damaged)
		if diff := cmp.Diff(byLibrary([]string{whole, damaged}), sum.Quantiles()); diff != "" {
			t.Fatalf("%s: %s", damaged, diff)
		}
	}
}
