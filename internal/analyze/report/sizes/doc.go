// Package sizes says what storage to order for a need, what it costs, and what figures that somebody was told are in
// real I/O, as data and as a document. What to order is found by sizing; nothing is computed here.
package sizes
