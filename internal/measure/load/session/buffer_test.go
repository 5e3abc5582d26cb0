package session

import (
	"runtime"
	"testing"
)

// Batches of many sizes in turn, as loads with wide rows send them.
func TestBuffersAreLentAgain(t *testing.T) {
	var b buffers
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	asked := uint64(0)
	for range 200 {
		for _, n := range []int{1, bigSize, bigSize + 1, 200_000, 1 << 20} {
			lent := b.borrow(n)
			if len(*lent) < n {
				t.Fatalf("a buffer of %d bytes was lent where %d were asked for", len(*lent), n)
			}
			asked += uint64(n)
			b.giveBack(lent)
		}
	}
	runtime.ReadMemStats(&after)
	// The race detector makes pools drop every fourth buffer.
	if made := after.TotalAlloc - before.TotalAlloc; made > asked/2 {
		t.Errorf("%d bytes were allocated to lend %d", made, asked)
	}
}

func TestTheLargestBuffersAreNotKept(t *testing.T) {
	var b buffers
	b.giveBack(b.borrow(1<<20 + 1))
	for size := range b.pools {
		if kept := b.pools[size].Get(); kept != nil {
			t.Errorf("a buffer of %d bytes was kept", len(*kept.(*[]byte)))
		}
	}
}
