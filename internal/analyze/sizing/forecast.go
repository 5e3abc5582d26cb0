package sizing

import "math"

// Forecast predicts the metrics and billed I/O on Aurora of a load measured here.
type Forecast struct {
	WriteIOPS    *float64 // WAL records a second; nil: not known
	BilledWrites Range    // a second
	BilledReads  Range    // a second; how many depends on what Aurora's buffers hold
	// a second, that were not in shared_buffers here; nil: not counted, and billed reads follow from what the device
	// read
	PagesAsked  *float64
	Calibration Calibration
}

// IO returns what is billed in a second, reads and writes together.
func (f Forecast) IO() Range {
	w, r := f.BilledWrites, f.BilledReads
	return Range{w.Value + r.Value, w.Least + r.Least, w.Most + r.Most}
}

// pageSize is the size in bytes of one read on Aurora PostgreSQL's bill.
const pageSize = 8192

// Billed reads for each page that was not in the buffers, in the three loads of which anybody published both
// (docs/evidence.md), and as many as AWS documents.
const (
	LeastReadsOfPage = 0.34
	otherReadsOfPage = 0.36
	MostReadsOfPage  = 0.64
	documentedReads  = 1
)

// readsOfPages are in the middle of those published, on a scale of factors, and at most what is documented.
func readsOfPages() Range {
	return Range{Value: math.Cbrt(LeastReadsOfPage * otherReadsOfPage * MostReadsOfPage), Least: LeastReadsOfPage,
		Most: documentedReads}
}

// ForecastAurora carries a calibration over to a load: by its bytes of WAL, which billed writes go with, and only where
// they are not known by its rows. The calibration that is given back has the way that was gone. It cannot where neither
// is known.
func ForecastAurora(rows, walBytes *float64, c Calibration) (Range, Calibration, bool) {
	switch {
	case c.OfWALUnits != nil && walBytes != nil:
		c.RowsPerWrite = nil
		return c.OfWALUnits.times(*walBytes / walUnit), c, true
	case c.RowsPerWrite != nil && rows != nil:
		c.OfWALUnits = nil
		r := *c.RowsPerWrite
		return Range{*rows / r.Value, *rows / r.Most, *rows / r.Least}, c, true
	}
	return Range{}, c, false
}
