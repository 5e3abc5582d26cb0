// Package report says what a run has shown, as data and as documents.
//
// [New] makes a [Report] of a run: plain data, the same for every rendering, described field by field in
// docs/reference/json.md. [Document] is for people, [Details] has every metric under every load. Orders are in package
// sizes, storage alone in storage, several runs side by side in comparison.
//
// Each number is a [Figure] with its uncertainty: the number and the range of its repetitions, or the reason why it is
// missing. What makes numbers misleading is a [Warning] and comes first.
package report
