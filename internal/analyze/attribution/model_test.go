package attribution

import (
	"math"
	"testing"
)

// madeTable returns a table of a metric and two quantities in four loads, known to a thousandth, and the sum of both.
func madeTable(t *testing.T, y []float64) (*table, model) {
	t.Helper()
	table := &table{y: y, columns: [][]float64{{100, 200, 300, 400}, {0, 0, 0, 100}},
		noise: []float64{1e-6, 1e-6, 1e-6, 1e-6}}
	table.known = [][]float64{make([]float64, 4), make([]float64, 4)}
	table.weigh()
	m, ok := table.fit(0, 1)
	if !ok {
		t.Fatal("the sum has not both terms")
	}
	table.leaveOut(&m)
	return table, m
}

// TestLoadsWithoutTermPredictNothing: if only one load has a quantity, the others predict nothing of its
// effect.
func TestLoadsWithoutTermPredictNothing(t *testing.T) {
	table, m := madeTable(t, []float64{100, 200, 300, 400 + 400})
	if want := math.Log(2) / 4; math.Abs(m.predictionError-want) > 1e-3 {
		t.Errorf("missed by %g, want %g", m.predictionError, want)
	}
	if missed := table.beyondNoise(m); missed > 1e-3 {
		t.Errorf("beyond noise %g of that", missed)
	}
}

// TestPredictableLoadIsMissed: three loads have the same quantity, and one of them is twice the prediction
// of the others.
func TestPredictableLoadIsMissed(t *testing.T) {
	table, m := madeTable(t, []float64{100, 400, 300, 400 + 400})
	if missed := table.beyondNoise(m); missed < math.Log(mostErrorOfSum) {
		t.Errorf("beyond noise by %g only", missed)
	}
}

// TestLoadOfBackgroundWeighsLittle: one quantity is off by a fifth in all loads, the other by two thirds in a load
// that hardly exceeds the background. The latter fits better, unless its spread excludes it.
func TestLoadOfBackgroundWeighsLittle(t *testing.T) {
	y := []float64{100, 200, 300, 400, 10}
	table := &table{y: y, columns: [][]float64{{80, 240, 240, 480, 10}, {100, 200, 300, 400, 30}},
		noise: []float64{1e-4, 1e-4, 1e-4, 1e-4, 0.3}}
	table.known = [][]float64{make([]float64, 5), make([]float64, 5)}
	table.weigh()
	table.sums = table.sizes()
	all := func(model) bool { return true }
	if best := table.shortest(0.1, all); len(best.columns) != 1 || best.columns[0] != 1 {
		t.Errorf("columns %v, missed by %g", best.columns, best.predictionError)
	}
	first := func(m model) bool { return len(m.columns) == 1 && m.columns[0] == 0 }
	if best := table.shortest(0.3, first); len(best.columns) != 1 || best.columns[0] != 0 {
		t.Errorf("columns %v, of which the spread excludes some", best.columns)
	}
}
