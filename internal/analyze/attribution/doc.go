// Package attribution says of every metric of a run what it counts: logical work, real storage I/O, both, nothing, or
// that this run cannot tell.
//
// [Judge] takes a run as [drivers] reads it and gives one [Verdict] for each metric. It holds the metric against every
// driver in every arm: what counts a driver keeps one ratio to it, whatever the load. A driver whose ratio moves from arm
// to arm is excluded; one left over is the verdict; several are said to be indistinguishable here, with the arm that
// would part them; none left over, a mixture of few drivers is tried and judged by arms that it was not fitted to.
//
// Noise never becomes a verdict: where an interval is wide, a driver stays possible and the metric undetermined. The
// package computes and does not print, and knows nothing of files, servers or clouds.
package attribution
