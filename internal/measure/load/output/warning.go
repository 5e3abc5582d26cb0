package output

import (
	"fmt"
	"math"
)

// enough is the part of the requested rate below which a warning is due. Above it, or within three deviations of a
// Poisson process at that rate, a difference is chance.
const enough = 0.99

// Warnings returns what a reader should know before trusting the figures.
func (r Report) Warnings() (warnings []string) {
	if text, ok := r.slow(); ok {
		warnings = append(warnings, text)
	}
	if r.Status == Complete && attempted(r.Result.Totals) == 0 {
		warnings = append(warnings, "no transaction ended during the measurement; there is nothing to report")
	}
	if t := r.Result; r.Status == Complete && t.Transactions == 0 && attempted(t.Totals) > 0 {
		warnings = append(warnings, fmt.Sprintf("no transaction succeeded: %d failed, %d were skipped",
			t.Failed(), t.Skipped))
	}
	return warnings
}

// slow compares the achieved rate with the requested one.
func (r Report) slow() (text string, ok bool) {
	share, known := r.achieved()
	if !known || share >= enough {
		return "", false
	}
	asked := r.Asked.Rate * r.seconds()
	if asked-float64(r.Result.Transactions) < 3*math.Sqrt(asked) {
		return "", false
	}
	text = fmt.Sprintf("the rate was not achieved: %.1f of %.1f transactions per second (%.1f%%)",
		r.perSecond(r.Result.Transactions), r.Asked.Rate, 100*share)
	if r.Result.Skipped > 0 {
		text += fmt.Sprintf("; %d were skipped because they were already late", r.Result.Skipped)
	}
	return text, true
}
