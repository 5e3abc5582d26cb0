package runfiletest

import (
	"maps"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/realiops/realiops/internal/metric"
	"github.com/realiops/realiops/internal/runfile"
)

// BesideOtherProgram returns a run as if another program had written to its device, on average perSecond times 16 KiB
// a second, unsteadily, each with a flush. The original requests then belong to the server's files, and are counted
// apart from the other program's.
func BesideOtherProgram(records []runfile.Record, perSecond float64) (all []runfile.Record) {
	const size = 16 << 10
	moods := rand.New(rand.NewPCG(1, 2))
	var last time.Time
	written := 0.0
	for _, record := range records {
		reading, is := record.(runfile.Reading)
		if !is || reading.Probe != "block" {
			all = append(all, record)
			continue
		}
		if !last.IsZero() {
			written += 2 * moods.Float64() * perSecond * reading.At.Sub(last).Seconds()
		}
		last = reading.At
		own := reading.Values
		device := map[string]float64{}
		maps.Copy(device, own)
		device[metric.BlockWrites] += 2 * written // each flush is one more
		device[metric.BlockFlushes] += written
		device[metric.BlockWriteBytes] += size * written
		reading.Values = device
		followed := runfile.Reading{At: reading.At, Probe: "request", Values: map[string]float64{
			metric.ServerReads: own[metric.BlockReads], metric.ServerReadBytes: own[metric.BlockReadBytes],
			metric.ServerFlushes:    own[metric.BlockFlushes],
			metric.ServerWrites:     metric.Requests(own[metric.BlockWrites], own[metric.BlockFlushes]),
			metric.ServerWriteBytes: own[metric.BlockWriteBytes], metric.RequestsLost: 0,
			"request.other_programs/writes": written, "request.other_programs/reads": 0, metric.JournalWrites: 0,
			metric.JournalWriteBytes: 0,
		}}
		all = append(all, reading, followed)
	}
	var announced []runfile.Record
	for _, view := range metric.RequestViews() {
		for _, m := range metric.All().View(view).Announced() {
			announced = append(announced, m)
		}
	}
	return slices.Insert(all, 1, announced...)
}
