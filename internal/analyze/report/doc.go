// Package report says what a run has shown, once as data and in as many renderings as there are readers.
//
// [New] makes a [Report] of a run: plain data, the same for every rendering, described field by field in
// docs/reference/json.md. [Document] is for people, [Details] has every metric under every load. What to order stands
// in sizes, what storage did alone in storage, several runs side by side in comparison.
//
// Each number is a [Figure] and carries its uncertainty: from how many repetitions it comes and how far they lay apart,
// or why it is missing. What makes the numbers lie is a [Warning] and comes first.
package report
