package stats

import (
	"math"
	"slices"
)

// System is a weighted least-squares problem in the form of its normal equations: y as a sum of columns.
type System struct {
	gram    [][]float64 // products of columns with each other
	moments []float64   // of columns with y
	square  float64     // of y with itself
}

// NewSystem sums up rows. columns[k][i] is column k in row i; a row of weight zero is left out.
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

// Sum is a fit of few columns: the coefficient of each and the weighted sum of squares that is left. Of fewer than Most
// columns the last coefficients are zero.
type Sum struct {
	Of   [Most]float64
	Left float64
}

// NonNegative fits a sum of at most Most columns with no coefficient below zero. Where the unbounded fit has one, the
// best fit has at least one at zero; so the fits of all choices of columns that come out positive are compared. That is
// the solution that an active-set method walks to, and for three columns there are no more than seven to look at.
func (s System) NonNegative(columns ...int) Sum {
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

// Positive is NonNegative where all columns have a part in the sum, and false where the best sum is of fewer: it is
// where the unbounded fit has a coefficient that is not above zero, which most have.
func (s System) Positive(columns ...int) (Sum, bool) {
	all := [Most]int{0, 1, 2}
	if _, ok := s.positive(columns, all[:len(columns)]); !ok {
		return Sum{}, false
	}
	best := s.NonNegative(columns...)
	return best, !slices.ContainsFunc(best.Of[:len(columns)], func(of float64) bool { return !(of > 0) })
}

// Errors returns the standard errors of the coefficients of a fit in which all columns have a part, in units of the
// standard deviation that the weights are the inverse squares of: the roots of the diagonal of the inverse of the
// normal equations.
func (s System) Errors(columns ...int) [Most]float64 {
	var errors [Most]float64
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

// Variance returns that of what a fit in which all columns have a part predicts for a row, in units of the variance
// that the weights are the inverse of; infinite where the rows of the fit do not tell the columns apart.
func (s System) Variance(row []float64, columns ...int) float64 {
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
	variance := 0.0
	for k := range n {
		variance += row[k] / scale(k) * a[k][n]
	}
	return variance
}

// positive returns the fit of some of the columns, if all their coefficients are above zero.
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

// solve eliminates without exchanging rows: normal equations of columns that are not multiples of one another need
// none.
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

// singular is the part of a column, squared, that must not lie along the others'.
const singular = 1e-9
