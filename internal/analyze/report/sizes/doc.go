// Package sizes says what storage to order for a need, what it costs, and what figures from elsewhere mean in real I/O,
// as data and as documents. Package sizing computes it.
package sizes
