package output

import "github.com/realiops/realiops/internal/measure/load/engine"

// Report is a finished load.
type Report struct {
	Asked  Asked
	Result engine.Result
	Status Status
	Gates  []Verdict // in the order of the flags
}

// Status is the end state of a load.
type Status string

// The end states. All but the first leave partial figures.
const (
	Complete    Status = "complete"
	Interrupted Status = "interrupted" // by the user
	Aborted     Status = "aborted"     // some client gave up
)

// attempted counts the transactions that were done, failed or skipped.
func attempted(t engine.Totals) int64 { return t.Transactions + t.Skipped + t.Failed() }

func (r Report) seconds() float64 { return r.Result.Elapsed.Seconds() }

// perSecond returns a rate over the whole run, or 0 for a run that took no time.
func (r Report) perSecond(count int64) float64 {
	if r.seconds() <= 0 {
		return 0
	}
	return float64(count) / r.seconds()
}

// achieved returns the share of the requested rate that was reached. It is unknown without a rate.
func (r Report) achieved() (share float64, known bool) {
	if r.Asked.Rate <= 0 || r.seconds() <= 0 {
		return 0, false
	}
	return r.perSecond(r.Result.Transactions) / r.Asked.Rate, true
}

// percent returns part of whole in percent, or 0 if whole is 0.
func percent(part, whole int64) float64 {
	if whole == 0 {
		return 0
	}
	return 100 * float64(part) / float64(whole)
}
