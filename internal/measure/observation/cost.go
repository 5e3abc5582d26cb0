package observation

import (
	"errors"
	"fmt"
	"os"
	"sync/atomic"
	"time"

	"github.com/realiops/realiops/internal/measure/host"
	"github.com/realiops/realiops/internal/printable"
	"github.com/realiops/realiops/internal/runfile"
)

// cost measures the load that an observation puts on the server and this machine. The clock of the probes adds to
// it from one goroutine at a time.
type cost struct {
	began      time.Time
	processor  time.Duration // ours, at the begin
	perReading atomic.Int64
	queries    int64
	waited     float64
}

// total returns the cost so far, including the file as written.
func (s *cost) total(file *runfile.Writer) (runfile.Cost, error) {
	c := runfile.Cost{
		Seconds: time.Since(s.began).Seconds(), Queries: s.queries, Waited: s.waited,
		Processor: (host.ProcessorTime() - s.processor).Seconds(),
	}
	unsynced := file.Sync() // what a full disk holds was written
	info, err := os.Stat(file.Path())
	if err != nil {
		return c, errors.Join(unsynced, fmt.Errorf("get the length of the run file: %w", err))
	}
	c.Bytes = info.Size()
	return c, unsynced
}

// inWords describes the cost per minute.
func inWords(c runfile.Cost) string {
	minutes := c.Seconds / 60
	if minutes <= 0 {
		return "Nothing was observed"
	}
	return fmt.Sprintf("Each minute of observing took %s queries, %s ms of waiting for answers, %s ms of processor "+
		"time here, and %s kB of file", printable.Count(float64(c.Queries)/minutes),
		printable.Count(1000*c.Waited/minutes), printable.Count(1000*c.Processor/minutes),
		printable.Count(float64(c.Bytes)/1000/minutes))
}
