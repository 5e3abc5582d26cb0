package session

import "sync"

const (
	smallIn  = 1 << 10  // holds the answers of a transaction and most errors
	smallOut = 512      // holds a prepared statement's parameters
	bigSize  = 64 << 10 // what is lent out
	// keepAtMost is the largest buffer worth keeping for the next borrower.
	keepAtMost = 1 << 20
)

// buffers lends big buffers to sessions that have much to say or to hear, for as long as one batch takes.
type buffers struct{ pool sync.Pool }

// borrow gives a buffer of at least n bytes.
func (b *buffers) borrow(n int) *[]byte {
	if n <= bigSize {
		if lent, ok := b.pool.Get().(*[]byte); ok {
			return lent
		}
		n = bigSize
	}
	fresh := make([]byte, n)
	return &fresh
}

// giveBack takes a buffer back; nil is nothing.
func (b *buffers) giveBack(lent *[]byte) {
	if lent != nil && len(*lent) <= keepAtMost {
		b.pool.Put(lent)
	}
}
