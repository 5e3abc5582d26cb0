// Package stats holds the numbers that a verdict rests on: intervals, the part of a variation that lies between groups,
// sums of a few columns with no coefficient below zero, and where a series changes.
//
// It knows nothing of runs, quantities or metrics: slices of numbers come in, estimates go out, and each function says
// which method it is and what it assumes. What cannot be estimated is NaN or an interval without an end, never a guess.
//
//   - [Groups.Between] is the standard deviation between groups, with an interval: the Q profile of the one-way random
//     effects model, with the estimated part of the variance within groups allowed for.
//   - [Groups.Mean] is the mean over groups, with the interval of Hartung and Knapp.
//   - [Correlated] is the variance that a mean has on top because readings that follow each other are alike.
//   - [Within] is the variance within groups that is left beyond what is known of each value.
//   - [Welch] is the difference of two means, and [MeanDifference] that of several pairs.
//   - [System.NonNegative] is a least-squares sum of columns with coefficients that are not below zero.
//   - [ChangeOf] finds where a series changes its level: the test of Mann and Whitney over all
//     cuts, with the correlation of neighbours allowed for.
package stats
