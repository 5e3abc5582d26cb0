// Package attribution says of every metric of a run what it counts: logical work, real storage I/O, both, nothing, or
// that this run cannot tell.
//
// [Judge] takes a run as [quantities] reads it and gives one [Verdict] for each metric. Noise never becomes a verdict: where
// an interval is wide, a quantity stays possible and the verdict is CannotTell. The package computes and does not print, and
// knows nothing of files, servers or clouds. docs/method.md tells the same with an example.
//
// # What is compared
//
// y is a metric and x a quantity, in load a and repetition r, with the background taken off. If y counts x, then
// L = ln y - ln x is the same in all loads. Each L has a variance that is known beforehand, by the delta method: of half a
// step of either counter, and of the background, as much as its rate varies between idle repetitions. A count below its
// own standard error stands at that, so that nothing is divided by zero. Of fewer than 25 units of a metric the number varies by its root, as far as
// repetitions show that. The error of the background's mean is common to all
// repetitions and is not divided by their number.
//
// # One quantity
//
// The spread test (evidence: rival.go, stats.Groups) is the one-way random effects model: load means of L with a variance
// within loads that all share and that the repetitions show, beyond what is known; the part between loads with the Q profile's
// interval. A quantity is excluded when that lies above the tolerance as a whole, consistent when it lies below, else possible.
// The ratio is exp of the mean of L over loads with the interval of Hartung and Knapp; what the background leaves uncertain is
// the same way off in all loads, so it does not show between them and is added.
//
// # Several quantities
//
// The spread test looks at one quantity by itself. To tell quantities that run together in most loads, and sums of them, all sums of
// up to three quantities with positive coefficients are fitted to the loads' means (model.go), with weights that make errors
// relative, and compared by their deviance: minus twice the log-likelihood of what is left in the loads, in units of the noise
// that the repetitions show around what fits best, an allowance of 0.7% included, since no counter is perfect. Where the best
// sum of all misses more than that, differences count for as much less (the dispersion of a quasi-likelihood). A quantity is
// given up for another that makes the loads 50 times as likely, a sum for one with a term more that makes them 600 times as
// likely (there are many to choose from) and that predicts loads which it was not fitted to better by a fifth (in mean absolute
// logarithm). With fewer than four loads only the spread test speaks. A quantity that is lost in its own background in most loads
// has no part in this: its error would explain anything. It stays in question like one that was not recorded, and where others bring about
// many of it and the metric shows what they do as well, no side is stated that leaves it out (outOfSight).
//
// One quantity is named when it is not excluded, neither its spread nor the interval of its ratio reaches 1.3, nothing beats it, no sum does much better and it
// misses the loads by no more than noise explains. If one of the last two fails, it is stated as a sum of one term: nearly that
// quantity, and not all of it. Several that are left are named together. Two loads leave the spread open and never name one. Unless
// the quantity is consistent, no side is stated where a sum of two of another side comes about as near (besideSum).
//
// What the run did not record stays among them, unless physics that holds for every server excludes it (package bounds): a load's
// factors bound what it can have brought about, and no values within these bounds keep one ratio to the metric. Nothing goes by
// the name of a load. It is given up, too, where only a coincidence would have it keep step with a recorded quantity that is consistent
// (far_fetched.go). A quantity that was not counted under some loads stays in the comparison by a guess there (guess), at a price.
//
// A sum is stated when there are three loads more than it has terms, no single quantity of another side is left that keeps its ratio within the
// tolerance, it misses no load by more than 1.1 when left out (mean, beyond noise), fits within noise, follows the work from
// second to second, no curve of fewer quantities comes near it (curve.go), and no sum that does, of
// as many terms or, at a price, of more, has another side. What stands in the place of a term in such a sum is named beside it. A further term that
// matters in one load alone cannot be told from a load in which something else happened: then the side is stated, if it is the
// same either way, and mixed only if no quantity of storage comes near in all loads but one. The verdict is physical or logical when all terms
// of at least a tenth are on one side, else mixed.
//
// # When a metric tells
//
// What shows another number for the same work from some moment of the run on has no name: only its side is stated.
//
// A source with periods, or that moves in steps, is held against quantities of the very same stretches of time, and one that lags is
// counted later ([counts.Run.Over]). Readings that follow each other may be off in the same direction: intervals are widened by
// what that takes from their number (stats.Correlated).
//
// # Evidence of other sorts
//
//   - A ratio of one in most loads that do some of it decides the side where the spread leaves quantities of both: a count of a quantity has it
//     by definition, a coincidence seldom. One of the other side that it may be a few times leaves that open.
//   - A counter of PostgreSQL's own that is documented to count some of a quantity is on the side of that (documentedSide).
//   - A metric that shows next to nothing under loads without indexes, and keeps a ratio to index entries under the others, goes with
//     these (index.go).
//   - Two loads that differ in one thing tell by their difference what a ratio cannot see within its tolerance (planned.go).
//   - A metric that a quantity is computed from has that quantity's side by definition; it is explained by the others, with the
//     fewest terms that come within the tolerance of loads left out (define.go).
//   - Silent is a metric whose rate is the same in all loads, the idle one among them, to within 1.25 at the interval's far end
//     (silent.go), and that did not move between them by what may be chance.
//   - What counts a quantity counts the background's, too: where much of what a device does is not ours, a ratio that holds with
//     nothing taken off names a counter all the same, and takes the side away from what
//     is named without the background if it names another (settled).
//
// # Where things stand
//
// Evidence is a run as the method sees it: what each load did and shows (evidence.go, nothing.go), what that implies of quantities that nobody
// counted (package bounds), and which load would tell more (settle.go). A judge holds quantities against metrics under a view of the run, with a
// tolerance (judge.go, rival.go). A trial is one metric before the judge, from what its spread leaves (decide.go) to cautions. Its table
// has the means of loads, and finds the sums (model.go, search.go, curve.go).
//
// # How the thresholds were found
//
// By scoring the method on worlds whose truth is known (internal/test/worlds, scripts/score): no change of a number here lands
// without that.
package attribution
