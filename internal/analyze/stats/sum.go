package stats

import (
	"math"
	"slices"
)

// System is a weighted least-squares problem in the form of its normal equations: y as a sum of columns.
type System struct {
	gram    [][]float64 // products of columns
	moments []float64   // products of columns and y
	square  float64     // product of y and itself
}

// NewSystem sums up rows. columns[k][i] is column k in row i. Rows of weight zero are left out.
func NewSystem(columns [][]float64, y, weights []float64) System {
	n := len(columns)
	s := System{gram: make([][]float64, n), moments: make([]float64, n)}
	for i, w := range weights {
		s.square += w * y[i] * y[i]
	}
	for k, c := range columns {
		s.gram[k] = make([]float64, n)
		for i, w := range weights {
			s.moments[k] += w * c[i] * y[i]
		}
		for l := range k + 1 {
			for i, w := range weights {
				s.gram[k][l] += w * c[i] * columns[l][i]
			}
			s.gram[l][k] = s.gram[k][l]
		}
	}
	return s
}

// Most is the largest number of columns in a sum.
const Most = 3

// Sum is a fit of few columns: the coefficients and the weighted residual sum of squares. With fewer than Most columns
// the last coefficients are zero.
type Sum struct {
	Of   [Most]float64
	Left float64
}

// NonNegative fits a sum of at most Most columns with non-negative coefficients. If the unbounded fit has a negative
// one, the best fit has at least one at zero; so it compares all choices of columns with positive fits. This is what an
// active-set method finds, and three columns have only seven choices.
func (s System) NonNegative(columns ...int) Sum {
	if whole, ok := s.unbounded(columns); ok && whole.Left > rounding*s.square {
		return whole
	}
	best := Sum{Left: s.square}
	for choice := 1; choice < 1<<len(columns); choice++ {
		var chosen [Most]int
		n := 0
		for k := range columns {
			if choice>>k&1 == 1 {
				chosen[n] = k
				n++
			}
		}
		if fit, ok := s.positive(columns, chosen[:n]); ok && fit.Left < best.Left {
			best = fit
		}
	}
	return best
}

// Positive is NonNegative if all coefficients are positive, as is usual; otherwise it returns false.
func (s System) Positive(columns ...int) (Sum, bool) {
	whole, ok := s.unbounded(columns)
	if !ok || whole.Left > rounding*s.square {
		return whole, ok
	}
	best := s.NonNegative(columns...)
	return best, !slices.ContainsFunc(best.Of[:len(columns)], func(of float64) bool { return !(of > 0) })
}

// rounding is the share of the square below which the residuals of a fit are rounding errors, and a shorter sum may fit
// as well.
const rounding = 1e-9

// unbounded returns the fit of all columns, if all their coefficients are positive.
func (s System) unbounded(columns []int) (Sum, bool) {
	return s.positive(columns, []int{0, 1, 2}[:len(columns)])
}

// Errors returns the standard errors of the coefficients of a fit with all columns, in units of the standard deviation
// whose inverse squares are the weights: the roots of the diagonal of the inverse normal equations.
func (s System) Errors(columns ...int) (errors [Most]float64) {
	n := len(columns)
	for i := range n {
		var a [Most][Most + 1]float64
		for k := range n {
			for l := range n {
				a[k][l] = s.gram[columns[k]][columns[l]] /
					math.Sqrt(s.gram[columns[k]][columns[k]]*s.gram[columns[l]][columns[l]])
			}
		}
		a[i][n] = 1
		if !solve(&a, n) {
			errors[i] = math.Inf(1)
			continue
		}
		errors[i] = math.Sqrt(a[i][n] / s.gram[columns[i]][columns[i]])
	}
	return errors
}

// Variance returns the variance of a fit's prediction for a row, in units of the variance whose inverse is the weight;
// infinite if the rows of the fit do not separate the columns.
func (s System) Variance(row []float64, columns ...int) (variance float64) {
	var a [Most][Most + 1]float64
	n := len(columns)
	scale := func(k int) float64 { return math.Sqrt(s.gram[columns[k]][columns[k]]) }
	for k := range n {
		for l := range n {
			a[k][l] = s.gram[columns[k]][columns[l]] / (scale(k) * scale(l))
		}
		a[k][n] = row[k] / scale(k)
	}
	if !solve(&a, n) {
		return math.Inf(1)
	}
	for k := range n {
		variance += row[k] / scale(k) * a[k][n]
	}
	return variance
}

// positive returns the fit of some of the columns, if all their coefficients are positive.
func (s System) positive(columns, chosen []int) (Sum, bool) {
	var a [Most][Most + 1]float64
	var scale [Most]float64
	for i, k := range chosen {
		scale[i] = s.gram[columns[k]][columns[k]]
		if !(scale[i] > 0) {
			return Sum{}, false
		}
	}
	n := len(chosen)
	for i, k := range chosen {
		for j, l := range chosen {
			a[i][j] = s.gram[columns[k]][columns[l]] / scale[i]
		}
		a[i][n] = s.moments[columns[k]] / scale[i]
	}
	if !solve(&a, n) {
		return Sum{}, false
	}
	fit := Sum{Left: s.square}
	for i, k := range chosen {
		if !(a[i][n] > 0) {
			return Sum{}, false
		}
		fit.Of[k] = a[i][n]
		fit.Left -= a[i][n] * s.moments[columns[k]]
	}
	fit.Left = max(0, fit.Left)
	return fit, true
}

// solve eliminates without pivoting, which normal equations of linearly independent columns do not need.
func solve(a *[Most][Most + 1]float64, n int) bool {
	for i := range n {
		if !(a[i][i] > singular) {
			return false
		}
		for j := range n {
			if j == i {
				continue
			}
			f := a[j][i] / a[i][i]
			for k := i; k <= n; k++ {
				a[j][k] -= f * a[i][k]
			}
		}
	}
	for i := range n {
		a[i][n] /= a[i][i]
	}
	return true
}

// singular is the least squared share of a column that is orthogonal to the others.
const singular = 1e-9
