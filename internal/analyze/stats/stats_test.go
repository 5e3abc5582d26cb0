package stats

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func near(t *testing.T, what string, got, want, within float64) {
	t.Helper()
	if !(math.Abs(got-want) <= within) {
		t.Errorf("%s: %.6g, want %.6g", what, got, want)
	}
}

// TestStudent compares with textbook tables.
func TestStudent(t *testing.T) {
	near(t, "7 degrees of freedom", Student(0.95, 7), 2.365, 0.0005)
	near(t, "2 degrees of freedom", Student(0.95, 2), 4.303, 0.0005)
	near(t, "99%", Student(0.99, 16), 2.921, 0.0005)
}

// TestWithin: with nothing known beforehand it is the pooled variance, from which the known part is subtracted.
func TestWithin(t *testing.T) {
	groups := func(known float64) [][]Value {
		return [][]Value{
			{{1, known}, {2, known}, {3, known}}, // squares 2 on 2 degrees of freedom
			{{5, known}, {5, known}},             // 0 on 1
			{{9, known}},                         // 0 on 0
		}
	}
	check := func(known, want float64) {
		t.Helper()
		got, freedom := Within(groups(known))
		near(t, "variance", got, want, 1e-3)
		near(t, "freedom", float64(freedom), 3, 0)
	}
	check(0, 2.0/3)
	check(0.5, 2.0/3-0.5)
	check(1, 0)
	if got, freedom := Within([][]Value{{{1, 0}}}); got != 0 || freedom != 0 {
		t.Errorf("one value: %g on %d", got, freedom)
	}
}

// balanced returns groups of one variance.
func balanced(freedom int, variance float64, means ...float64) Groups {
	g := Groups{Freedom: freedom}
	for _, m := range means {
		g.Of = append(g.Of, Group{Mean: m, Var: variance})
	}
	return g
}

// TestBetweenOfKnownVariances has a closed form: Q is the sum of squares S over t2 + v, so t2 = S/q - v for each
// quantile q of chi-squared with 4 degrees of freedom, 0.4844 and 11.1433 in the tables.
func TestBetweenOfKnownVariances(t *testing.T) {
	g := balanced(0, 0.25, -2, -1, 0, 1, 2) // S = 10
	got := g.Between(0.95)
	near(t, "value", got.Value, math.Sqrt(10.0/4-0.25), 1e-3)
	near(t, "low", got.Lo, math.Sqrt(10/11.1433-0.25), 1e-3)
	near(t, "high", got.Hi, math.Sqrt(10/0.4844-0.25), 2e-3)
}

// TestBetweenAgreesWithFTest: zero is in the interval if F with 4 and 10 degrees of freedom is below its
// quantile at 0.975, 4.468 in the tables.
func TestBetweenAgreesWithFTest(t *testing.T) {
	for _, f := range []float64{4.4, 4.55} {
		g := balanced(10, 10.0/4/f, -2, -1, 0, 1, 2) // F = (S/4) / v
		if low := g.Between(0.95).Lo; (low > 0) != (f > 4.468) {
			t.Errorf("F = %g: from %g", f, low)
		}
	}
}

func TestBetweenWithoutEvidence(t *testing.T) {
	check := func(what string, g Groups, lo, hi float64) {
		t.Helper()
		got := g.Between(0.95)
		near(t, what+", low", got.Lo, lo, 1e-9)
		if hi != got.Hi && !(math.Abs(got.Hi-hi) < 1e-3*hi) {
			t.Errorf("%s, high: %g, want %g", what, got.Hi, hi)
		}
	}
	check("one group", balanced(0, 1, 3), 0, math.Inf(1))
	check("exact counters", balanced(16, 0, 3, 3, 3), 0, 0)
	// Equality by luck counts as the expected distance: S = 4 v, t2 = 4 v / 0.4844 - v.
	check("luck", balanced(0, 1, 3, 3, 3, 3, 3), 0, math.Sqrt(4/0.4844-1))
}

// TestBetweenCovers simulates the model: the interval of 95% must hold the truth about so often, and never less.
func TestBetweenCovers(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, truth := range []float64{0, 0.03, 0.3} {
		const plays, sd, repetitions = 2000, 0.05, 3
		held := 0
		for range plays {
			var groups [][]Value
			g := Groups{}
			for range 8 {
				b := truth * random.NormFloat64()
				var values []Value
				for range repetitions {
					values = append(values, Value{X: b + sd*random.NormFloat64()})
				}
				groups, g.Of = append(groups, values), append(g.Of, Group{Mean: meanOf(values)})
			}
			within, freedom := Within(groups)
			g.Freedom = freedom
			for i := range g.Of {
				g.Of[i].Var = within / repetitions
			}
			if between := g.Between(0.95); between.Lo <= truth && truth <= between.Hi {
				held++
			}
		}
		if share := float64(held) / plays; share < 0.94 || truth > 0.1 && share > 0.96 {
			t.Errorf("truth %g: held %.3f of times", truth, share)
		}
	}
}

// TestMean: for groups of one variance it is the textbook interval of a mean: 3 +- t(4) s / sqrt 5, t = 2.776.
func TestMean(t *testing.T) {
	g := balanced(0, 0.1, 1, 2, 3, 4, 5) // s2 = 2.5
	got := g.Mean(0.95)
	near(t, "value", got.Value, 3, 1e-9)
	near(t, "high", got.Hi, 3+2.776*math.Sqrt(2.5/5), 1e-3)
	near(t, "low", got.Lo, 3-2.776*math.Sqrt(2.5/5), 1e-3)
	for i := range g.Of {
		g.Of[i].Common = 2 // a common error does not average out
	}
	near(t, "with a common error", g.Mean(0.95).Hi, 3+2.776*math.Sqrt(2.5/5+2), 1e-3)
	one := balanced(0, 1, 7).Mean(0.95)
	if one.Value != 7 || !math.IsInf(one.Hi, 1) || !math.IsInf(one.Lo, -1) {
		t.Errorf("one group: %v", one)
	}
}

// TestMeanWeighs: without variance between groups the mean has inverse-variance weights, (0/1 + 3/2) / (1/1 + 1/2) = 1.
func TestMeanWeighs(t *testing.T) {
	g := Groups{Of: []Group{{Mean: 0, Var: 10}, {Mean: 3, Var: 20}}}
	near(t, "mean", g.Mean(0.95).Value, 1, 1e-9)
}

// ones returns weights of one.
func ones(n int) []float64 {
	w := make([]float64, n)
	for i := range w {
		w[i] = 1
	}
	return w
}

func TestNonNegative(t *testing.T) {
	columns := [][]float64{{1, 0, 1, 2}, {0, 1, 1, 1}, {5, 1, 0, 0}}
	sum := func(of ...float64) []float64 {
		y := make([]float64, 4)
		for k, f := range of {
			for i := range y {
				y[i] += f * columns[k][i]
			}
		}
		return y
	}
	check := func(what string, y []float64, want [Most]float64, left float64, use ...int) {
		t.Helper()
		got := NewSystem(columns, y, ones(4)).NonNegative(use...)
		for k := range want {
			near(t, what, got.Of[k], want[k], 1e-9)
		}
		near(t, what+", what is left", got.Left, left, 1e-9)
	}
	check("exact", sum(2, 3, 0.5), [Most]float64{2, 3, 0.5}, 0, 0, 1, 2)
	check("two of them", sum(2, 3), [Most]float64{2, 3}, 0, 0, 1)
	check("in other order", sum(2, 3), [Most]float64{3, 2}, 0, 1, 0)
	// y = 2 a - b would be exact; without b the projection on a is (y.a)/(a.a) = (2*6 - 3)/6 = 1.5, and the residual
	// |y|2 - 1.5 (y.a) = (4+1+1+9) - 1.5 * 9.
	check("one would be negative", sum(2, -1), [Most]float64{1.5}, 1.5, 0, 1)
	check("all would be negative", sum(-1, -1), [Most]float64{}, 1+1+4+9, 0, 1)
	check("the same column twice", sum(2), [Most]float64{2}, 0, 0, 0)
}

// TestNonNegativeMeetsItsConditions: increasing a zero coefficient would not improve the fit, and the residual is
// orthogonal to the columns with positive ones (Karush, Kuhn and Tucker).
func TestNonNegativeMeetsItsConditions(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for range 500 {
		columns := make([][]float64, 3)
		y, weights := make([]float64, 8), make([]float64, 8)
		for i := range y {
			y[i], weights[i] = random.NormFloat64()+1, random.Float64()+0.1
			for k := range columns {
				columns[k] = append(columns[k], random.NormFloat64()+0.5)
			}
		}
		system := NewSystem(columns, y, weights)
		fit := system.NonNegative(0, 1, 2)
		positive, all := system.Positive(0, 1, 2)
		if all != (slices.Min(fit.Of[:]) > 0) || all && positive != fit {
			t.Fatalf("a sum of all columns is %v, %t, and the best sum %v", positive, all, fit)
		}
		for k, c := range columns {
			gradient := 0.0
			for i := range y {
				left := y[i]
				for l := range columns {
					left -= fit.Of[l] * columns[l][i]
				}
				gradient += weights[i] * left * c[i]
			}
			if gradient > 1e-6 || fit.Of[k] > 0 && gradient < -1e-6 {
				t.Fatalf("coefficient %g with gradient %g", fit.Of[k], gradient)
			}
		}
	}
}

// TestErrors: orthogonal columns have one over their length, and two at 60 degrees more, by 1/sin2.
func TestErrors(t *testing.T) {
	apart := NewSystem([][]float64{{3, 0}, {0, 2}}, []float64{1, 1}, ones(2)).Errors(0, 1)
	near(t, "first", apart[0], 1.0/3, 1e-9)
	near(t, "second", apart[1], 1.0/2, 1e-9)
	leaning := NewSystem([][]float64{{1, 0}, {0.5, math.Sqrt(0.75)}}, []float64{1, 1}, ones(2)).Errors(0, 1)
	near(t, "leaning", leaning[0], math.Sqrt(1/0.75), 1e-9)
}

// TestVariance: rows that each determine one column leave x²/3² + y²/2² of a prediction. Without a row for the second
// column it is infinite.
func TestVariance(t *testing.T) {
	apart := NewSystem([][]float64{{3, 0}, {0, 2}}, []float64{1, 1}, ones(2))
	near(t, "both", apart.Variance([]float64{6, 4}, 0, 1), 4+4, 1e-9)
	near(t, "one", apart.Variance([]float64{4}, 1), 4, 1e-9)
	near(t, "weighed", NewSystem([][]float64{{3}}, []float64{1}, []float64{4}).Variance([]float64{6}, 0), 1, 1e-9)
	if open := NewSystem([][]float64{{3, 1}, {0, 0}}, []float64{1, 1}, ones(2)).Variance([]float64{1, 1}, 0,
		1); !math.IsInf(open, 1) {
		t.Errorf("what no row tells of has a variance of %g", open)
	}
}

// TestSecantsAgreeWithBisection, with at most two thirds of its calls.
func TestSecantsAgreeWithBisection(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	calls := map[bool]int{}
	for range 2000 {
		g := Groups{Freedom: 30}
		for range 2 + random.IntN(12) {
			g.Of = append(g.Of, Group{Mean: math.Exp(random.NormFloat64()), Var: math.Exp(2 * random.NormFloat64())})
		}
		f := func(even bool) func(float64) float64 {
			return func(t2 float64) float64 {
				calls[even]++
				return math.Log(g.q(t2) / float64(len(g.Of)-1))
			}
		}
		if fast, slow := zeroOf(f(true), true), zeroOf(f(false), false); fast != slow {
			t.Fatalf("%v by secants, %v by a bisection, for %v", fast, slow, g)
		}
	}
	if 3*calls[true] > 2*calls[false] {
		t.Errorf("%d calls with secants, %d without", calls[true], calls[false])
	}
}
