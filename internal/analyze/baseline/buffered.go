package baseline

import (
	"math"
	"time"

	"github.com/realiops/realiops/internal/analyze/counts"
	"github.com/realiops/realiops/internal/metric"
	"github.com/realiops/realiops/internal/series"
)

// Buffered compares a write through the page cache with the device's work, in bytes per second.
type Buffered struct {
	Said    float64 `json:"said"`           // by the writer: what dd would print
	Direct  float64 `json:"direct"`         // by the same write past the page cache; NaN: not done
	Device  float64 `json:"device"`         // what the device wrote meanwhile; NaN: unknown
	Bytes   float64 `json:"bytes"`          // that the writer wrote
	Behind  float64 `json:"behind_bytes"`   // not yet on the device when the writer was done; NaN: unknown
	Flushed float64 `json:"behind_seconds"` // seconds until they were; NaN: unknown
}

const bufferedLoad = "buffered-write"

// buffered compares the load that writes like dd with the one that writes directly.
func (b Baseline) buffered(run *counts.Run) *Buffered {
	row, shown := b.Row(bufferedLoad)
	load, _ := run.Load(bufferedLoad)
	if !shown || len(load.Repetitions) == 0 {
		return nil
	}
	r := load.Repetitions[0]
	shownBytes := r.Counts[metric.FioWriteBytes].Raw
	v := &Buffered{Said: row.Fio.Rate.WriteBytes, Direct: math.NaN(), Device: math.NaN(), Bytes: shownBytes,
		Behind: math.NaN(), Flushed: math.NaN()}
	if direct, done := b.Row("sequential-write"); done {
		v.Direct = direct.Fio.Rate.WriteBytes
	}
	written := doneAt(run.Series(metric.FioWriteBytes), r)
	whole := r.Counts[metric.BlockWriteBytes]
	if written.IsZero() || whole.Missing != nil {
		return v
	}
	if meanwhile, err := run.Series(metric.BlockWriteBytes).Delta(r.Begin, written); err == nil {
		v.Device = min(meanwhile.Amount/row.Seconds, v.Said)
		v.Behind = max(0, whole.Raw-meanwhile.Amount)
		v.Flushed = r.End.Sub(written).Seconds()
	}
	return v
}

// doneAt returns when a counter first stopped rising within a repetition.
func doneAt(s series.Series, r counts.Repetition) (at time.Time) {
	for change, err := range s.Changes(r.Begin, r.End) {
		switch {
		case err != nil:
		case change.Amount > 0:
			at = time.Time{}
		case at.IsZero():
			at = change.To
		}
	}
	return at
}
