package report

import (
	"encoding/csv"
	"fmt"
	"io"
	"math"
)

// BaselineCSV writes a line for each job, both accounts of it, without rounding: rates a second, times in seconds.
func BaselineCSV(w io.Writer, b Baseline) error {
	lines := [][]string{baselineHeader()}
	for _, j := range b.Jobs {
		lines = append(lines, j.csv())
	}
	if err := csv.NewWriter(w).WriteAll(lines); err != nil {
		return fmt.Errorf("write the report: %w", err)
	}
	return nil
}

func baselineHeader() []string {
	header := []string{"job", "seconds", "fio reads", "fio writes", "fio flushes", "fio read bytes", "fio write bytes"}
	for _, kind := range []string{"read", "write", "flush"} {
		for _, of := range []string{"mean", "p50", "p95", "p99", "p99.9"} {
			header = append(header, "fio "+kind+" "+of)
		}
	}
	return append(header, "device reads", "device writes", "device flushes", "device merged", "device read bytes", "device write bytes",
		"device read mean", "device write mean", "device flush mean", "device queue", "requests per operation", "flushes per flush")
}

func (j BaselineJob) csv() []string {
	line := []string{j.Name}
	add := func(values ...*float64) {
		for _, v := range values {
			text := ""
			if v != nil {
				text = exactly(*v)
			}
			line = append(line, text)
		}
	}
	f := j.Fio
	add(&j.Seconds, &f.Reads, &f.Writes, &f.Syncs, &f.ReadBytes, &f.WriteBytes)
	for _, l := range []*BaselineLatency{f.Read, f.Write, f.Sync} {
		if l == nil {
			l = &BaselineLatency{Mean: math.NaN()}
		}
		add(&l.Mean, l.P50, l.P95, l.P99, l.P999)
	}
	if d := j.Device; d != nil {
		add(&d.Reads, &d.Writes, d.Flushes, &d.Merged, &d.ReadBytes, &d.WriteBytes, d.ReadLatency, d.WriteLatency, d.FlushLatency, &d.Queue)
	} else {
		add(make([]*float64, 10)...)
	}
	add(j.Factor, j.Flushed)
	return line
}
