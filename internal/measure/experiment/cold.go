package experiment

import (
	"context"
	"sync"
	"time"

	"github.com/realiops/realiops/internal/measure/load"
	"github.com/realiops/realiops/internal/runfile"
)

// forgetEvery is the interval at which the kernel is told to drop the table's files during a cold load. A block that
// is read twice in it is found in memory.
const forgetEvery = 50 * time.Millisecond

// makeCold removes the load's table from memory if the load is to find none of it there, and says how far it
// succeeded. It touches only our own files. The returned function stops it, and may be called twice.
func (e *Experiment) makeCold(ctx context.Context, l runfile.Load, w *load.Workload) (*runfile.Cold, func()) {
	if !l.Cold {
		return nil, func() {}
	}
	cold := &runfile.Cold{Missing: e.Unreadable}
	if e.Evicts {
		cold.Evicted, cold.Buffered = w.Evict(ctx, e.Control)
	} else {
		cold.Buffered = "PostgreSQL cannot evict pages before 17"
	}
	if cold.Missing != "" {
		return cold, func() {}
	}
	files, err := w.Files(ctx, e.Control)
	if err == nil {
		err = forget(e.Layout, files, true)
	}
	if err != nil {
		cold.Missing = err.Error()
		return cold, func() {}
	}
	cold.Forgotten = true
	ended := make(chan struct{})
	var asking sync.WaitGroup
	asking.Go(func() {
		for tick := time.NewTicker(forgetEvery); ; {
			select {
			case <-ended:
				tick.Stop()
				return
			case <-tick.C:
				_ = forget(e.Layout, files, false) // the device's counters show whether it helped
			}
		}
	})
	return cold, sync.OnceFunc(func() { close(ended); asking.Wait() })
}
