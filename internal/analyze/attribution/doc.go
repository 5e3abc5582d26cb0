// Package attribution decides what each metric of a run counts: logical work, real storage I/O, both, nothing, or that
// the run cannot tell.
//
// [Judge] takes a run as package counts reads it and returns one [Verdict] per metric. Noise never becomes a verdict:
// if an interval is wide, the quantity stays possible and the verdict is CannotTell. The package computes; it does not
// print, and it knows no files, servers or clouds. docs/method.md explains the method with an example.
//
// # What is compared
//
// y is a metric and x a quantity, in load a and repetition r, with the background taken off. If y counts x, then L = ln
// y - ln x is the same in all loads. Part of the variance of each L is known beforehand, by the delta method: half a
// step of either counter, and the background, whose rate varies between idle repetitions. A count below its own
// standard error is raised to it, so that nothing is divided by zero. A count below 25 units varies by its square root,
// if the repetitions show that much. The error of the background's mean is common to all repetitions and is not divided
// by their number.
//
// # One quantity
//
// The spread test (evidence: rival.go, stats.Groups) is the one-way random effects model. All loads share one variance
// within loads, which the repetitions show beyond the known part. The variance between loads has the Q profile's
// interval. A quantity is excluded if this interval lies above the tolerance as a whole, consistent if it lies below,
// else possible. The ratio is exp of the mean of L over loads, with the interval of Hartung and Knapp. The background's
// error shifts all loads alike, does not show between them, and is added.
//
// # Several quantities
//
// To separate quantities that run together in most loads, all sums of up to three quantities with positive
// coefficients are fitted to the loads' means (model.go), weighted so that errors are relative. They are compared by
// deviance: minus twice the log-likelihood of the residuals, in units of the noise that the repetitions show around
// the best fit, plus an allowance of 0.7%, since no counter is perfect. If even the best sum misses by more,
// differences count for proportionally less (the dispersion of a quasi-likelihood). One quantity replaces another if
// it makes the loads 50 times as likely, or 600 times if they are on different sides. A longer sum replaces a shorter
// one if it makes them 600 times as likely (there are many to choose from) and predicts left-out loads better by a
// fifth (in mean absolute logarithm). With fewer than four loads only the spread test is used. A quantity that is lost
// in its own background in most loads is not fitted, because its error would explain anything. It stays in question,
// like one that was not recorded. If other programs cause much of it and the metric counts their work too, no side
// that leaves it out is stated (checkHidden).
//
// One quantity is named if it is not excluded, its spread and the interval of its ratio stay below 1.3, nothing beats
// it, no sum does much better, and it misses the loads by no more than noise explains. If one of the last two fails, it
// is stated as a sum of one term: nearly that quantity. If several remain, they are named together. Two loads leave the
// spread open and never name one. Unless the quantity is consistent, no side is stated if a sum of two quantities of
// another side fits about as well (besideSum).
//
// A quantity that the run did not record stays possible unless physics excludes it on every server (package bounds):
// the load's parameters bound it, and no values within the bounds keep one ratio to the metric. The names of loads play
// no part. It is also given up if only a coincidence would make it keep step with a recorded, consistent quantity
// (rival.go). A quantity that was not counted under some loads is guessed there (guess), at a price.
//
// A sum is stated if there are three loads more than terms, no single quantity of another side keeps its ratio within
// the tolerance, its mean error on left-out loads beyond noise is at most 1.1, it fits within noise, and it follows the
// work from second to second. No curve of fewer quantities may come near it (curve.go), and no sum that comes near it
// (of as many terms or, at a price, of more) may have another side. Quantities that could replace a term are named
// beside it. A further term that matters in only one load looks the same as an exception in that load. Then only the
// side is stated, if it is the same either way, and it is mixed only if no storage quantity fits all loads but one. The
// verdict is physical or logical if all terms of at least a tenth are on one side, else mixed.
//
// # When a metric moves
//
// If a metric starts to show another number for the same work during the run, only its side is stated. A source with
// periods or steps is compared with quantities over the same stretches of time, and a source that lags is counted later
// ([counts.Run.Over]). Errors of consecutive readings may be correlated; intervals are widened to allow for that
// (stats.Correlated).
//
// # Other evidence
//
//   - If the spread leaves quantities of both sides, a ratio of one in most loads that do such work decides: a count
//     has that ratio by definition, a coincidence seldom. Two loads must come nearer to one than three, and no quantity of another
//     side may fit them better. If a small multiple of a quantity of the other side fits too, the side stays open.
//   - A counter of PostgreSQL's that is documented to count part of a quantity is on its side (documentedSide).
//   - A metric that stays near zero under loads without indexes, and keeps a ratio to index entries under the others,
//     follows index entries (index.go).
//   - Two loads that differ in one parameter show differences that a ratio cannot see within its tolerance
//     (planned.go).
//   - A metric from which a quantity is computed has that quantity's side by definition. It is explained by the other
//     quantities, with the fewest terms that predict left-out loads within the tolerance (define.go).
//   - A metric is silent if its rate is the same in all loads, idle included, to within 1.25 at the interval's far end
//     (silent.go), and if it did not move between them by more than chance.
//   - A counter also counts the background. If much of the device's work is not ours, a ratio that holds with nothing
//     taken off names a counter all the same (settled), unless the metric's rate hardly changes from load to load.
//
// # Where things stand
//
// Evidence holds what each load did and shows (evidence.go, nothing.go), what that implies for quantities that were not
// counted (package bounds), and which load would decide more (settle.go). A judge compares quantities with metrics
// under a view of the run, with a tolerance (rival.go). A trial judges one metric (judge.go), from the spread test
// (decide.go) to cautions. Its table holds the means of loads and finds the sums (model.go, search.go, curve.go).
//
// # How the thresholds were found
//
// By scoring the method on worlds whose truth is known (internal/test/worlds, scripts/score). No number here changes
// without a new score.
package attribution
