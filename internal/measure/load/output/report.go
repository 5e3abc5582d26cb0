package output

import "github.com/realiops/realiops/internal/measure/load/engine"

// Report is a load, told when it is over.
type Report struct {
	Asked  Asked
	Result engine.Result
	Status Status
	Gates  []Verdict // in the order in which they were asked for
}

// Status is the end state of a load.
type Status string

// The ways in which a load ends. All but the first leave figures of a part.
const (
	Complete    Status = "complete"
	Interrupted Status = "interrupted" // by the user
	Aborted     Status = "aborted"     // by errors: some client gave up before its time
)

// attempted counts the transactions that were done, failed or skipped.
func attempted(t engine.Totals) int64 { return t.Transactions + t.Skipped + t.Failed() }

func (r Report) seconds() float64 { return r.Result.Elapsed.Seconds() }

// perSecond returns a rate over the whole run, and 0 for a run that took no time.
func (r Report) perSecond(count int64) float64 {
	if r.seconds() <= 0 {
		return 0
	}
	return float64(count) / r.seconds()
}

// achieved returns which part of the asked rate was reached; without a rate there is no answer.
func (r Report) achieved() (share float64, known bool) {
	if r.Asked.Rate <= 0 || r.seconds() <= 0 {
		return 0, false
	}
	return r.perSecond(r.Result.Transactions) / r.Asked.Rate, true
}

// percent returns a part of a whole in percent, and 0 of nothing.
func percent(part, whole int64) float64 {
	if whole == 0 {
		return 0
	}
	return 100 * float64(part) / float64(whole)
}
