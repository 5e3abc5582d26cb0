package counts

import (
	"fmt"
	"math"

	"github.com/realiops/realiops/internal/metric"
	"github.com/realiops/realiops/internal/series"
)

// otherRecords returns the quantity of WAL records for a run without PostgreSQL's own count: Aurora refuses it, and
// version 13 has none. It uses the records counted in the WAL if it was read, and a model of the work otherwise.
func (r *Run) otherRecords() (Quantity, bool) {
	if r.counts(metric.StatWALRecords) {
		return Quantity{}, false
	}
	known, modelled := false, false
	for _, a := range r.loaded() {
		for _, repetition := range a.Repetitions {
			if log, err := a.records(repetition); err == nil {
				known, modelled = true, modelled || log.Source == Model
			}
		}
	}
	d := Quantity{Name: metric.WALRecords, Side: Logical, Unit: "records", Modelled: modelled, count: recordsOf,
		standardError: errorOfRecords}
	if modelled {
		d.Help = "records that our clients' work must have added to the WAL: modelled, not counted"
		return d, known
	}
	d.Help, d.From = "records in the WAL, as it was read", []string{metric.AnatomyRecords}
	return d, known
}

// records returns the anatomy of a repetition if it bounds the number of records.
func (a Load) records(r Repetition) (Anatomy, error) {
	log, err := a.Anatomy(r)
	if err == nil && (math.IsInf(log.Sum.High, 0) || !(log.Sum.Records > 0)) {
		err = &series.Missing{Reason: series.NeverRead, Detail: "too little of the WAL was read under this load"}
	}
	return log, err
}

func recordsOf(a Load, r Repetition) (float64, error) {
	log, err := a.records(r)
	return log.Sum.Records, err
}

// errorOfRecords takes the half-width of the 95% interval for two standard deviations.
func errorOfRecords(a Load, r Repetition) float64 {
	log, err := a.records(r)
	if err != nil {
		return 0
	}
	return max(log.Sum.High-log.Sum.Records, log.Sum.Records-log.Sum.Low) / 2
}

// Modelled describes the quantities of this run that were modelled, and their largest error; empty if all were counted.
func (r *Run) Modelled() string {
	d, other := r.otherRecords()
	if !other || !d.Modelled {
		return ""
	}
	worst, where := 0.0, ""
	for _, a := range r.loaded() {
		for _, repetition := range a.Repetitions {
			if n, err := d.Count(a, repetition); err == nil && 2*d.StandardError(a, repetition)/n > worst {
				worst, where = 2*d.StandardError(a, repetition)/n, " in "+a.Name
			}
		}
	}
	return fmt.Sprintf("WAL records were not counted (%s). They are modelled from the clients' work: one record "+
		"for each row or page of a COPY, each index entry, each commit and each 33 values of a sequence. The "+
		"model's error is at most %.2g%%%s", r.whyNot(metric.StatWALRecords), 100*worst, where)
}

// whyNot returns why a metric has no count, from the first repetition that says so.
func (r *Run) whyNot(metric string) *series.Missing {
	for _, a := range r.loaded() {
		for _, repetition := range a.Repetitions {
			if c, known := repetition.Counts[metric]; known && c.Missing != nil {
				return c.Missing
			}
		}
	}
	return &series.Missing{Reason: NotRecorded, Detail: notRead(metric)}
}
