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

// ForecastAurora carries a calibration over to a load in two ways, by its rows and by its bytes of WAL, and takes what
// lies between and around them. It cannot where neither is
// known.
func ForecastAurora(rows, logBytes *float64, c Calibration) (Range, bool) {
	var ways []Range
	if c.OfLogUnits != nil && logBytes != nil {
		ways = append(ways, c.OfLogUnits.times(*logBytes/logUnit))
	}
	if c.RowsPerWrite != nil && rows != nil {
		r := *c.RowsPerWrite
		ways = append(ways, Range{*rows / r.Value, *rows / r.Most, *rows / r.Least})
	}
	if len(ways) == 0 {
		return Range{}, false
	}
	f := ways[0]
	for _, way := range ways {
		f.Least, f.Most = min(f.Least, way.Least), max(f.Most, way.Most)
	}
	return f, true
}

func (r Range) times(factor float64) Range {
	return Range{r.Value * factor, r.Least * factor, r.Most * factor}
}
