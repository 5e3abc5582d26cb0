package series

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

func TestPackIsLossless(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	grow := func(each func() float64) (values []float64) {
		total := 0.0
		for range longestRun {
			total += each()
			values = append(values, total)
		}
		return values
	}
	check := func(name string, values []float64, mostBytes int) {
		t.Helper()
		packed, marks := pack(values)
		if got := unpack(nil, len(values), packed); !slices.Equal(got, values) {
			t.Errorf("%s comes out as %v", name, got[:min(5, len(got))])
		}
		for i, value := range values {
			if got := unpackOne(i, packed, marks); got != value {
				t.Fatalf("value %d of %s comes out as %v by itself, and went in as %v", i, name, got, value)
			}
		}
		if each := len(packed) / len(values); each > mostBytes {
			t.Errorf("%s takes %d bytes a value, and may take %d", name, each, mostBytes)
		}
	}
	check("standing still", slices.Repeat([]float64{123456789}, longestRun), 1)
	check("growing evenly", grow(func() float64 { return 8192 }), 1)
	check("growing by some thousands", grow(func() float64 { return float64(random.IntN(5000)) }), 2)
	check("falling back", []float64{5e9, 5e9 + 3, 0, 1, 2, 1e15, -7}, 8)
	milliseconds := make([]float64, longestRun)
	for i := range milliseconds {
		milliseconds[i] = float64(1_000_000+i*17+random.IntN(9)) / 1000
	}
	check("milliseconds in seconds", milliseconds, 2)
	check("any number", grow(random.NormFloat64), 8)
	check("the edges", []float64{math.MaxFloat64, math.SmallestNonzeroFloat64, exact, exact + 2, 0.1, 1.0 / 3}, 9)
}

func FuzzPack(f *testing.F) {
	f.Add([]byte("12345678abcdefgh"))
	f.Add(binary.LittleEndian.AppendUint64(nil, math.Float64bits(0.001)))
	f.Fuzz(func(t *testing.T, data []byte) {
		var values []float64
		for ; len(data) >= 8; data = data[8:] {
			if v := math.Float64frombits(binary.LittleEndian.Uint64(data)); !math.IsNaN(v) && !math.IsInf(v, 0) {
				values = append(values, v)
			}
		}
		packed, _ := pack(values)
		if got := unpack(nil, len(values), packed); !slices.Equal(got, values) {
			t.Errorf("%v comes out as %v", values, got)
		}
	})
}

// TestSeriesStaysAsItIs while its column goes on, is packed, and reuses its space.
func TestSeriesStaysAsItIs(t *testing.T) {
	noon := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	r := NewReadings()
	add := func(from, to int) {
		for i := from; i < to; i++ {
			r.Add(noon.Add(time.Duration(i)*time.Second), map[string]float64{"m": float64(i * i)})
		}
	}
	sum := func(s Series) (sum float64) {
		for _, values := range s.chunks(0, math.MaxInt) {
			for _, value := range values {
				sum += value
			}
		}
		return sum
	}
	add(0, longestRun-3)
	s := r.Series("m")
	before := sum(s)
	add(longestRun-3, 5*longestRun)
	if after := sum(s); after != before {
		t.Errorf("its values came to %g and come to %g", before, after)
	}
	n := float64(5*longestRun - 1)
	if all := sum(r.Series("m")); all != n*(n+1)*(2*n+1)/6 { // sum of squares
		t.Errorf("the squares up to %g come to %g", n, all)
	}
	if p, err := r.Series("m").Before(noon.Add(1500*time.Second + 1)); err != nil || p.Value != 1500*1500 {
		t.Errorf("in a run that is packed: %v, %v", p, err)
	}
}
