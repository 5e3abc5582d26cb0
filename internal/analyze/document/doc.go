// Package document is what a report says before it is written in any format: blocks, such as a paragraph or a table with
// typed cells.
//
// Whoever has something to say makes a [Document], once. [Text], [HTML], [Markdown] and [CSV] write it. Only the first knows
// a width. What is in one format and not in another is inside [Only], so that it is so by decision. Each writer makes safe
// what others have named, in one function of its own, so that a block may hold any text.
//
// It knows nothing of runs, metrics or verdicts.
package document
