// Package document holds the content of a report before it is written in any format: blocks, such as a paragraph or a
// table with typed cells.
//
// A caller makes a [Document] once; [Text], [HTML], [Markdown] and [CSV] write it. Only Text knows a width. Content for
// some formats only is inside [Only], so that every difference is deliberate. Each writer escapes text in one function
// of its own, so that a block may hold any text.
//
// The package knows nothing of runs, metrics or verdicts.
package document
