package experiment

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"sync"
	"time"

	"github.com/realiops/realiops/internal/measure/layout"
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

// ofEach calls do with each file of a table, including its segments beyond a gigabyte.
func ofEach(where *layout.Layout, files []string, do func(*os.File) error) error {
	for _, file := range files {
		if err := withFile(where, file, do); err != nil {
			return err
		}
		for part := 1; ; part++ {
			err := withFile(where, fmt.Sprintf("%s.%d", file, part), do)
			if errors.Is(err, fs.ErrNotExist) {
				break
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

func withFile(where *layout.Layout, name string, do func(*os.File) error) error {
	f, err := where.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	return do(f)
}

// remember makes the kernel cache these files. The server does not read pages that are in its own buffers, so the
// kernel may lack them when the server evicts them.
func remember(where *layout.Layout, files []string) error {
	return ofEach(where, files, func(f *os.File) error {
		_, err := io.Copy(io.Discard, f)
		return err
	})
}
