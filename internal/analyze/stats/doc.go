// Package stats computes the numbers behind verdicts: intervals, the variation between groups, sums of a few columns
// with non-negative coefficients, and change points.
//
// It knows nothing of runs, quantities or metrics: slices of numbers come in, estimates go out, and each function names
// its method and assumptions. If something cannot be estimated, the result is NaN or an unbounded interval, never a
// guess.
//
//   - [Groups.Between] is the standard deviation between groups, with an interval: the Q profile of the one-way random
//     effects model, allowing for the estimated variance within groups.
//   - [Groups.Mean] is the mean over groups, with the interval of Hartung and Knapp.
//   - [Correlated] is the excess variance of a mean because consecutive readings are alike.
//   - [Within] is the variance within groups beyond what is known of each value.
//   - [Welch] is the difference of two means, and [MeanDifference] the mean of several.
//   - [System.NonNegative] is a least-squares sum of columns with non-negative coefficients.
//   - [ChangeOf] finds where a series changes its level: the test of Mann and Whitney over all cuts, allowing for the
//     correlation of neighbours.
package stats
