package session

import (
	"math/bits"
	"sync"
)

const (
	smallIn  = 1 << 10  // holds the answers of a transaction and most errors
	smallOut = 512      // holds a prepared statement's parameters
	bigSize  = 64 << 10 // the least that is lent out
	// sizes is the number of buffer sizes kept for the next borrower, each twice the one before: up to 1 MiB.
	sizes = 5
)

// buffers lends big buffers to sessions that have much to say or to hear, for as long as one batch takes. There is a
// pool for each size: a buffer that is put where nobody looks for it lives on through two collections, so the heap
// would double again and again under a load of big batches.
type buffers struct{ pools [sizes]sync.Pool }

// borrow gives a buffer of at least n bytes.
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

// giveBack takes a buffer back; nil is nothing.
func (b *buffers) giveBack(lent *[]byte) {
	if lent == nil {
		return
	}
	if size := sizeFor(len(*lent)); size < sizes && len(*lent) == bigSize<<size {
		b.pools[size].Put(lent)
	}
}

// sizeFor returns the smallest size that holds n bytes; sizes and more are not kept.
func sizeFor(n int) int { return bits.Len(uint(max(n-1, 0) / bigSize)) }
