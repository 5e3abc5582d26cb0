package report

import (
	"fmt"
	"strings"

	"github.com/realiops/realiops/internal/analyze/number"
	"github.com/realiops/realiops/internal/analyze/sizing"
)

func sizeAurora(a *sizing.AuroraAnswer) *SizeAurora {
	if a == nil {
		return nil
	}
	w, c := a.Forecast.BilledWrites, a.Forecast.Calibration
	v := &SizeAurora{
		WriteIOPS: a.Forecast.WriteIOPS, BilledWrites: [3]float64{w.Least, w.Value, w.Most}, BilledReads: a.Forecast.BilledReads,
		IOCost: a.IOCost, Calibration: calibrationText(c), Calibrated: c.Run,
	}
	if b := a.Bills; b != nil {
		v.Standard = &[3]float64{b[0].Standard, b[1].Standard, b[2].Standard}
		v.Optimized, v.BreakEven = &b[0].Optimized, &b[0].BreakEven
	}
	return v
}

// calibrationText says what billed writes are estimated by, and of one's own run also how far that is sure.
func calibrationText(c sizing.Calibration) string {
	var ways []string
	if r := c.RowsPerWrite; r != nil {
		ways = append(ways, fmt.Sprintf("one billed write for %s rows%s", number.Rate(r.Value), within(c, *r, number.Rate)))
	}
	if r := c.OfLogUnits; r != nil {
		two := func(v float64) string { return fmt.Sprintf("%.2f", v) }
		ways = append(ways, fmt.Sprintf("%s for 4,096 bytes of WAL%s", two(r.Value), within(c, *r, two)))
	}
	return strings.Join(ways, ", or ") + ", in " + restsOn(c)
}

// within is the span of one's own calibration; that of the published one is in the estimate alone.
func within(c sizing.Calibration, r sizing.Range, write func(float64) string) string {
	if c.Run == "" {
		return ""
	}
	return fmt.Sprintf(" (%s to %s)", write(r.Least), write(r.Most))
}

func restsOn(c sizing.Calibration) string {
	if c.Run == "" {
		return "the one run that was published"
	}
	replicates := "1 repetition"
	if c.Replicates != 1 {
		replicates = fmt.Sprintf("%d repetitions", c.Replicates)
	}
	if c.Arm != "" {
		return fmt.Sprintf("%s of %s of your run %s", replicates, c.Arm, c.Run)
	}
	return fmt.Sprintf("%s of your run %s", replicates, c.Run)
}
