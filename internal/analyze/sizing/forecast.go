package sizing

// Forecast is what a load on this machine would show and cost on Aurora.
type Forecast struct {
	WriteIOPS    *float64 // WAL records a second; nil: not known
	BilledWrites Range    // a second
	BilledReads  float64  // pages a second, as the device read them here; on Aurora they depend on its cache
	Calibration  Calibration
}

// Range is an estimate with what it may be at least and at most.
type Range struct{ Value, Least, Most float64 }

// IO is what is billed in a second, reads and writes together.
func (f Forecast) IO() Range {
	w := f.BilledWrites
	return Range{w.Value + f.BilledReads, w.Least + f.BilledReads, w.Most + f.BilledReads}
}

// pageSize is what Aurora PostgreSQL bills as one read.
const pageSize = 8192

// ForecastAurora carries a calibration over to a load: by its bytes of WAL, which billed writes go with, and only where they are not
// known by its rows. The calibration that is given back has the way that was gone. It cannot where neither is known.
func ForecastAurora(rows, logBytes *float64, c Calibration) (Range, Calibration, bool) {
	switch {
	case c.OfLogUnits != nil && logBytes != nil:
		c.RowsPerWrite = nil
		return c.OfLogUnits.times(*logBytes / logUnit), c, true
	case c.RowsPerWrite != nil && rows != nil:
		c.OfLogUnits = nil
		r := *c.RowsPerWrite
		return Range{*rows / r.Value, *rows / r.Most, *rows / r.Least}, c, true
	}
	return Range{}, c, false
}

func (r Range) times(factor float64) Range {
	return Range{r.Value * factor, r.Least * factor, r.Most * factor}
}
