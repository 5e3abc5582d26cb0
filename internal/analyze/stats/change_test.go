package stats

import (
	"math"
	"math/rand/v2"
	"testing"
)

// noisy returns values around levels, each held for the given length.
func noisy(r *rand.Rand, noise float64, held int, levels ...float64) []float64 {
	var all []float64
	for _, level := range levels {
		for range held {
			all = append(all, level*(1+noise*r.NormFloat64()))
		}
	}
	return all
}

func TestChangeIsFoundWhereItIs(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 50 {
		values := noisy(r, 0.1, 30, 1000, 600)
		values[7], values[40] = 1e6, 0 // one value decides nothing
		c, known := ChangeOf(values, 5)
		if !known || c.At < 28 || c.At > 32 || c.P > 1e-4 || math.Abs(c.Before-1000) > 60 ||
			math.Abs(c.After-600) > 40 {
			t.Fatalf("%+v, %v", c, known)
		}
	}
}

func TestChangeByHand(t *testing.T) {
	// Five of 10, then six of 5: mid ranks 9 and 3.5. The first five have a rank sum of 45, expected 30, with a
	// standard deviation of sqrt(5*6*12/12): z = 15/sqrt(30). There are two cuts with five values on either side.
	c, known := ChangeOf([]float64{10, 10, 10, 10, 10, 5, 5, 5, 5, 5, 5}, 5)
	want := 2 * math.Erfc(15/math.Sqrt(30)/math.Sqrt2)
	if !known || c.At != 5 || math.Abs(c.P-want) > 1e-12 || c.Before != 10 || c.After != 5 || c.Step != 0 {
		t.Errorf("%+v, %v; want p %v", c, known, want)
	}
}

// TestChangeNearTheEnd: a change is found wherever it is.
func TestChangeNearTheEnd(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 9))
	values := append(noisy(r, 0.01, 400, 3000), noisy(r, 0.01, 30, 300)...)
	if c, known := ChangeOf(values, 5); !known || c.At != 400 || c.P > 1e-6 {
		t.Errorf("%+v, %v", c, known)
	}
}

// TestChangeWithinAValue: the second in which a rate falls is in between, and does not make the others correlated. (As
// measured, on a bucket of credits that ran empty.)
func TestChangeWithinAValue(t *testing.T) {
	values := []float64{130, 121, 125, 125, 125, 125, 125, 132, 125, 123, 119, 24}
	for range 10 {
		values = append(values, 18, 22, 20, 20, 19, 21)
	}
	if c, known := ChangeOf(values, 5); !known || c.At < 11 || c.At > 12 || c.P > 1e-4 {
		t.Errorf("%+v, %v", c, known)
	}
}

// TestFalseChangesAreRare: without a change, the test finds one as seldom as it promises, even if
// neighbours are correlated.
func TestFalseChangesAreRare(t *testing.T) {
	check := func(name string, correlation, most float64) {
		r := rand.New(rand.NewPCG(3, 4))
		const trials = 1000
		found := 0
		for range trials {
			values, v := make([]float64, 120), 0.0
			for i := range values {
				v = correlation*v + r.NormFloat64()
				values[i] = 100 + v
			}
			if c, known := ChangeOf(values, 5); known && c.P < 0.01 {
				found++
			}
		}
		if float64(found) > most*trials {
			t.Errorf("%s: %d of %d", name, found, trials)
		}
	}
	check("independent", 0, 0.015)
	check("correlated", 0.5, 0.03)
	check("strongly correlated", 0.8, 0.06)
}

func TestDriftAndStep(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	var drift []float64
	for i := range 100 {
		drift = append(drift, 1000-5*float64(i)+10*r.NormFloat64())
	}
	d, _ := ChangeOf(drift, 5)
	s, _ := ChangeOf(noisy(r, 0.02, 50, 1000, 500), 5)
	if d.Step < d.Line || s.Step > 0.1*s.Line {
		t.Errorf("drift %+v, step %+v", d, s)
	}
}

func TestChangeOfWhatHasNone(t *testing.T) {
	check := func(values ...float64) {
		t.Helper()
		if c, known := ChangeOf(values, 5); known {
			t.Errorf("%v: %+v", values, c)
		}
	}
	check()
	check(1, 2, 3)
	check(5, 5, 5, 5, 5, 5, 5, 5, 5, 5)
	check(1, 2, 3, 4, math.NaN(), 6, 7, 8, 9)
	check(1, 2, 3, 4, math.Inf(1), 6, 7, 8, 9)
}

// TestMedian, by hand: of an even number of values it is the mean of the two in the middle.
func TestMedian(t *testing.T) {
	for _, c := range []struct {
		values []float64
		want   float64
	}{{[]float64{7}, 7}, {[]float64{9, 1, 4}, 4}, {[]float64{1, 3}, 2}, {[]float64{8, 1, 2, 4}, 3}} {
		if got := Median(c.values); got != c.want {
			t.Errorf("of %v: %g, want %g", c.values, got, c.want)
		}
	}
}
