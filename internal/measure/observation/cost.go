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

// inWords describes the cost per minute, or that of a shorter time, whose begin and end cost more than the rest.
func inWords(c runfile.Cost) string {
	observing, minutes := "Each minute of observing", c.Seconds/60
	if !c.Lasts() {
		lasted := time.Duration(c.Seconds * float64(time.Second)).Round(100 * time.Millisecond)
		observing, minutes = printable.Duration(lasted)+" of observing", 1
	}
	return fmt.Sprintf("%s took %s queries, %s ms of waiting for answers, %s ms of processor time here, and %s kB of "+
		"file", observing, printable.Count(float64(c.Queries)/minutes), printable.Count(1000*c.Waited/minutes),
		printable.Count(1000*c.Processor/minutes), printable.Count(float64(c.Bytes)/1000/minutes))
}
