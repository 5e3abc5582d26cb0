package command

import (
	"runtime"
	"runtime/debug"
	"testing"
	"time"
)

var garbage []byte

// No garbage is collected until the memory is taken; once more than half of it is live, collection is as before.
func TestLetGrow(t *testing.T) {
	const percent, memory = 70, 128 << 20
	limit := debug.SetMemoryLimit(-1)
	defer debug.SetGCPercent(debug.SetGCPercent(percent))
	runtime.GC()
	var before, after debug.GCStats
	debug.ReadGCStats(&before)
	letGrow(memory)
	letGrow(memory) // by a second command of the process
	for range 32 {
		garbage = make([]byte, 1<<20)
	}
	debug.ReadGCStats(&after)
	if after.NumGC != before.NumGC {
		t.Errorf("garbage was collected %d times before the memory was taken", after.NumGC-before.NumGC)
	}
	var used [][]byte
	for debug.SetMemoryLimit(-1) != limit {
		used = append(used, make([]byte, 1<<20))
		time.Sleep(time.Millisecond)
		if len(used) > memory>>18 {
			t.Fatalf("%d MiB are in use, and the limit is %d still, which was %d", len(used), debug.SetMemoryLimit(-1), limit)
		}
	}
	if back := debug.SetGCPercent(percent); back != percent {
		t.Errorf("garbage is collected at %d %%, and was at %d", back, percent)
	}
}
