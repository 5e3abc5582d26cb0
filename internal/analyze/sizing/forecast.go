package sizing

import "math"

// Forecast predicts the metrics and billed I/O on Aurora of a load measured here.
type Forecast struct {
	WriteIOPS    *float64 // WAL records per second; nil: unknown
	BilledWrites Range    // per second
	BilledReads  Range    // per second; depends on Aurora's buffers
	// per second, not in shared_buffers here; nil: not counted, and billed reads follow the device's reads
	PagesAsked  *float64
	Calibration Calibration
}

// IO returns the billed reads and writes per second.
func (f Forecast) IO() Range {
	w, r := f.BilledWrites, f.BilledReads
	return Range{w.Value + r.Value, w.Least + r.Least, w.Most + r.Most}
}

// pageSize is the size in bytes of one read on Aurora PostgreSQL's bill.
const pageSize = 8192

// Billed reads per page missed in the buffers, in the three loads with published figures of both (docs/evidence.md),
// and the most that AWS documents.
const (
	LeastReadsOfPage = 0.34
	otherReadsOfPage = 0.36
	MostReadsOfPage  = 0.64
	documentedReads  = 1
)

// readsOfPages returns the geometric mean of the published figures, with the documented maximum.
func readsOfPages() Range {
	return Range{Value: math.Cbrt(LeastReadsOfPage * otherReadsOfPage * MostReadsOfPage), Least: LeastReadsOfPage,
		Most: documentedReads}
}

// ForecastAurora applies a calibration to a load: by its bytes of WAL, which billed writes follow, or if these are
// unknown by its rows. The returned calibration has only the way used. ok is false if neither is known.
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
