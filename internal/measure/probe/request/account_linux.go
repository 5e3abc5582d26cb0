package request

import "github.com/realiops/realiops/internal/metric"

type counts struct{ reads, readBytes, writes, writeBytes float64 }

func countsOf(e *event) (c counts) {
	c.add(e)
	return c
}

func (c *counts) add(e *event) {
	size := float64(e.Bytes)
	if e.operation() == opRead {
		c.reads, c.readBytes = c.reads+1, c.readBytes+size
		return
	}
	c.writes, c.writeBytes = c.writes+1, c.writeBytes+size
}

func (c *counts) plus(more counts) {
	c.reads, c.readBytes = c.reads+more.reads, c.readBytes+more.readBytes
	c.writes, c.writeBytes = c.writes+more.writes, c.writeBytes+more.writeBytes
}

func (c counts) values(view string, into map[string]float64) {
	into[view+"/reads"], into[view+"/read_bytes"] = c.reads, c.readBytes
	into[view+"/writes"], into[view+"/write_bytes"] = c.writes, c.writeBytes
}

// account sums up all requests since it was opened.
type account struct {
	kinds                  [kinds]counts
	disk                   counts  // all requests, as /proc/diskstats counts them: flushes are writes
	flushes, serverFlushes float64 // done by the disks; requested by the server's processes
	lost                   float64
}

// total counts a request as /proc/diskstats does. For a write that the kernel does in steps, such as with a flush
// before it, it counts the bytes when they are written and the write when all steps are done.
func (a *account) total(e *event, flushing uint32) {
	step := e.Flags&flushing != 0
	switch op := e.operation(); {
	case op == opFlush:
		a.flushes++
	case op == opRead:
		a.disk.add(e)
	case e.writes() && step:
		a.disk.writeBytes += float64(e.Bytes)
	case e.writes():
		a.disk.add(e)
	}
}

func (a *account) values() map[string]float64 {
	all := map[string]float64{}
	var server counts
	for kind, c := range a.kinds {
		c.values(Name+"."+Kind(kind).String(), all)
		if Kind(kind).ofServer() {
			server.plus(c)
		}
	}
	server.values(metric.RequestServer, all)
	all[metric.RequestServer+"/flushes"] = a.serverFlushes
	a.disk.values(Name, all)
	all[Name+"/flushes"], all[Name+"/lost"] = a.flushes, a.lost
	return all
}
