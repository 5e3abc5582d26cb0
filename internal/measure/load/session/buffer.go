package session

import (
	"math/bits"
	"sync"
)

const (
	smallIn  = 1 << 10  // holds the answers of a transaction and most errors
	smallOut = 512      // holds a prepared statement's parameters
	bigSize  = 64 << 10 // the smallest buffer that is lent
	// sizes is how many buffer sizes are pooled, each twice the one before: up to 1 MiB.
	sizes = 5
)

// buffers lends big buffers to sessions for the duration of one batch. Each size has its own pool: in
// a shared pool, a buffer of the wrong size would survive two collections unused, and the heap would
// keep doubling under big batches.
type buffers struct{ pools [sizes]sync.Pool }

// borrow returns a buffer of at least n bytes.
func (b *buffers) borrow(n int) *[]byte {
	if size := sizeFor(n); size < sizes {
		if lent, ok := b.pools[size].Get().(*[]byte); ok {
			return lent
		}
		n = bigSize << size
	}
	fresh := make([]byte, n)
	return &fresh
}

// giveBack takes a buffer back. It accepts nil.
func (b *buffers) giveBack(lent *[]byte) {
	if lent == nil {
		return
	}
	if size := sizeFor(len(*lent)); size < sizes && len(*lent) == bigSize<<size {
		b.pools[size].Put(lent)
	}
}

// sizeFor returns the index of the smallest size that holds n bytes. Buffers beyond the largest are not pooled.
func sizeFor(n int) int { return bits.Len(uint(max(n-1, 0) / bigSize)) }
