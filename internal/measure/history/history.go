// Package history writes what a source kept of one server as a run file of the kind that realiops observe writes, so that
// everything that reads one reads this. The sources are the packages below it.
package history

import (
	"errors"
	"time"

	"github.com/realiops/realiops/internal/runfile"
)

// Told is what a source tells of a server, each list in order.
type Told struct {
	Metrics  []runfile.Metric
	Readings []runfile.Reading
	Gaps     []runfile.Gap
	Interval time.Duration // between two readings, usually
}

// Write makes the run file.
func Write(path string, head runfile.Run, told Told) error {
	head.Observed, head.Plan = true, runfile.Plan{Name: "history", Arms: []runfile.Arm{}}
	if len(told.Readings) > 0 {
		head.Start = told.Readings[0].At
	}
	if head.Parameters == nil {
		head.Parameters = map[string]string{}
	}
	head.Parameters["interval"] = told.Interval.String() // which says how long windows must be
	w, err := runfile.Create(path)
	if err != nil {
		return err
	}
	if err := write(w, head, told); err != nil {
		return errors.Join(err, w.Discard())
	}
	return w.Close()
}

func write(w *runfile.Writer, head runfile.Run, told Told) error {
	records := []runfile.Record{head}
	for _, m := range told.Metrics {
		records = append(records, m)
	}
	gaps := told.Gaps
	for _, r := range told.Readings {
		for len(gaps) > 0 && !gaps[0].At.After(r.At) {
			records, gaps = append(records, gaps[0]), gaps[1:]
		}
		records = append(records, r)
	}
	for _, g := range gaps {
		records = append(records, g)
	}
	for _, record := range records {
		if err := w.Write(record); err != nil {
			return err
		}
	}
	end := runfile.EndOf(nil, false)
	if n := len(told.Readings); n > 0 {
		end.At = told.Readings[n-1].At
	}
	return w.Write(end)
}
