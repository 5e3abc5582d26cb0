package stats

import (
	"math"
	"testing"
)

// TestWelchOnStudentsSleep: the data of Student's paper of 1908 on two drugs. R prints for t.test(extra ~ group, data =
// sleep): t = -1.8608, df = 17.776, p-value = 0.07939, interval -3.3654832 0.2054832.
func TestWelchOnStudentsSleep(t *testing.T) {
	first := []float64{0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0}
	second := []float64{1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4}
	d := Welch(second, first)
	near(t, "t", d.Value/d.Err, -1.8608, 5e-5)
	near(t, "degrees of freedom", d.Freedom, 17.776, 5e-4)
	near(t, "p", d.P(), 0.07939, 5e-6)
	i := d.Interval(0.95)
	near(t, "lower end", i.Lo, -3.3654832, 5e-8)
	near(t, "upper end", i.Hi, 0.2054832, 5e-8)
}

func TestWelchWithoutEvidence(t *testing.T) {
	alone := Welch([]float64{1}, []float64{2, 3})
	if i := alone.Interval(0.95); alone.Value != 1.5 || !math.IsInf(i.Lo, -1) || !math.IsInf(i.Hi, 1) ||
		!math.IsNaN(alone.P()) {
		t.Errorf("of a group of one: %+v, %+v, p %g", alone, i, alone.P())
	}
	if same := Welch([]float64{2, 2}, []float64{2, 2}); same.P() != 1 {
		t.Errorf("what never varies and is the same differs with p %g", same.P())
	}
	if other := Welch([]float64{2, 2}, []float64{3, 3}); other.P() != 0 || other.Interval(0.95) != (Interval{1, 1, 1}) {
		t.Errorf("what never varies and is another: p %g, %+v", other.P(), other.Interval(0.95))
	}
}

// TestMeanDifference: the mean of two differences with errors 3 and 4 has the error 5/2, and the degrees of freedom of
// Satterthwaite: (9 + 16)^2 / (81/2 + 256/4).
func TestMeanDifference(t *testing.T) {
	got := MeanDifference([]Difference{{1, 3, 2}, {2, 4, 4}})
	near(t, "mean", got.Value, 1.5, 1e-12)
	near(t, "its error", got.Err, 2.5, 1e-12)
	near(t, "degrees of freedom", got.Freedom, 625.0/104.5, 1e-12)
	if got := MeanDifference([]Difference{{1, 3, 2}, {2, 0, 0}}); got.Freedom != 0 || got.Value != 1.5 {
		t.Errorf("with one of which nothing is known: %+v", got)
	}
	if got := MeanDifference(nil); got.Freedom != 0 {
		t.Errorf("of none: %+v", got)
	}
}
