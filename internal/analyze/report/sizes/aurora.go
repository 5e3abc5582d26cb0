package sizes

import (
	"fmt"
	"strings"

	"github.com/realiops/realiops/internal/analyze/number"
	"github.com/realiops/realiops/internal/analyze/sizing"
	"github.com/realiops/realiops/internal/printable"
	"github.com/realiops/realiops/internal/runfile"
)

func sizeAurora(a *sizing.AuroraAnswer) *SizeAurora {
	if a == nil {
		return nil
	}
	w, read, c := a.Forecast.BilledWrites, a.Forecast.BilledReads, a.Forecast.Calibration
	v := &SizeAurora{
		WriteIOPS: a.Forecast.WriteIOPS, BilledWrites: [3]float64{w.Least, w.Value, w.Most}, BilledReads: read.Value,
		ReadsSpan: [2]float64{read.Least, read.Most}, PagesAsked: a.Forecast.PagesAsked,
		IOCost: a.IOCost, Calibration: calibrationText(c), Calibrated: c.Run,
	}
	if b := a.Bills; b != nil {
		v.Standard = &[3]float64{b[0].Standard, b[1].Standard, b[2].Standard}
		v.Optimized, v.BreakEven = &b[0].Optimized, &b[0].BreakEven
	}
	return v
}

// calibrationText says how billed writes are estimated, and how accurately.
func calibrationText(c sizing.Calibration) string {
	var ways []string
	if r := c.OfWALUnits; r != nil {
		ways = append(ways, fmt.Sprintf("%.2f for 4,096 bytes of WAL (%.2f to %.2f)", r.Value, r.Least, r.Most))
	}
	if r := c.RowsPerWrite; r != nil {
		ways = append(ways, fmt.Sprintf("one billed write for %s rows (%s to %s)", number.Rate(r.Value),
			number.Rate(r.Least), number.Rate(r.Most)))
	}
	return strings.Join(ways, ", or where that is not known ") + ", in " + restsOn(c)
}

func restsOn(c sizing.Calibration) string {
	if c.Run == "" {
		return "published loads"
	}
	text := printable.Counted(c.Repetitions, "repetition")
	if c.Load != "" {
		text += " of " + c.Load
	}
	return text + " of your run " + runfile.ShownID(c.Run)
}
