// Package history writes a source's data on one server as a run file like realiops observe's, which all readers of
// run files understand. The packages below it are the sources.
package history

import (
	"errors"
	"regexp"
	"time"

	"github.com/realiops/realiops/internal/runfile"
)

// Data is a source's data on a server: readings or periods, in order.
type Data struct {
	Metrics  []runfile.Metric
	Readings []runfile.Reading
	Periods  []runfile.Period
	Gaps     []runfile.Gap // in order
	Interval time.Duration // the usual time between two readings; 0: there are only periods
	Asked    runfile.Stretch
	Notices  []string // about the conversion
}

// Take adds a record of a backfill.
func (d *Data) Take(r runfile.Record) error {
	switch r := r.(type) {
	case runfile.Period:
		d.Periods = append(d.Periods, r)
	case runfile.Gap:
		d.Gaps = append(d.Gaps, r)
	}
	return nil
}

// Span returns the time of the first reading or period and of the last.
func (d Data) Span() (from, to time.Time) {
	var all runfile.Stretch
	if n := len(d.Readings); n > 0 {
		all = runfile.Stretch{From: d.Readings[0].At, To: d.Readings[n-1].At}
	}
	for _, p := range d.Periods {
		all.Extend(p.From, p.To)
	}
	return all.From, all.To
}

// Write writes the run file.
func Write(path string, head runfile.Run, data Data) error {
	head.Observed, head.Plan = true, runfile.Plan{Name: "history", Loads: []runfile.Load{}}
	head.Start, _ = data.Span()
	head.Asked = &data.Asked
	if head.Parameters == nil {
		head.Parameters = map[string]string{}
	}
	if data.Interval > 0 {
		head.Parameters["interval"] = data.Interval.String() // which determines the length of windows
	}
	_, end := data.Span()
	return WriteTo(path, head, data, end)
}

// WriteTo writes the data under a head of a run that ended at that time; zero: now.
func WriteTo(path string, head runfile.Run, data Data, at time.Time) error {
	records := []runfile.Record{head}
	for _, m := range data.Metrics {
		records = append(records, m)
	}
	gaps := data.Gaps
	for _, r := range data.Readings {
		for len(gaps) > 0 && !gaps[0].At.After(r.At) {
			records, gaps = append(records, gaps[0]), gaps[1:]
		}
		records = append(records, r)
	}
	for _, g := range gaps {
		records = append(records, g)
	}
	for _, p := range data.Periods {
		records = append(records, p)
	}
	end := runfile.EndOf(nil, false)
	if !at.IsZero() {
		end.At = at
	}
	w, err := runfile.Create(path)
	if err != nil {
		return err
	}
	for _, record := range append(records, end) {
		if err := w.Write(record); err != nil {
			return errors.Join(err, w.Discard())
		}
	}
	return w.Close()
}

// pathTo matches the name of one of several paths to an NVMe disk.
var pathTo = regexp.MustCompile(`^(nvme[0-9]+)c[0-9]+(n[0-9]+)$`)

// HeadOf returns the NVMe disk behind one of its paths: nvme0n1 for nvme0c1n1, or "" for other devices. Before Linux
// 6.3 the disk itself counts nothing.
func HeadOf(device string) string {
	if m := pathTo.FindStringSubmatch(device); m != nil {
		return m[1] + m[2]
	}
	return ""
}
