package output

import (
	"fmt"
	"math"
	"strings"

	"github.com/realiops/realiops/internal/measure/load/engine"
	"github.com/realiops/realiops/internal/measure/load/session"
	"github.com/realiops/realiops/internal/measure/postgres"
	"github.com/realiops/realiops/internal/printable"
)

// Troubles reports errors as they happen: why clients give up and, if asked, every error of a transaction.
type Troubles struct {
	Say     func(format string, values ...any) // writes a line on standard error
	Asked   Asked
	Verbose bool // --verbose-errors

	aborts int
}

// fewAborts is how many aborted clients are shown one by one. The rest is counted, since
// all abort when a server dies.
const fewAborts = 5

// Tell reports one error. It is the function for [engine.Options].
func (t *Troubles) Tell(x engine.Trouble) {
	if x.Then == engine.Aborts {
		t.aborts++
		switch {
		case t.aborts <= fewAborts || t.Verbose:
			t.Say("error: client %d script %d aborted in command %d: %s", x.Client, x.Script, x.Command, line(x.Err))
			t.tellDetails(x)
		case t.aborts == fewAborts+1:
			t.Say("error: more clients aborted; --verbose-errors shows all of them")
		}
		return
	}
	if !t.Verbose {
		return
	}
	t.Say("client %d got an error in command %d of script %d; %s", x.Client, x.Command, x.Script, line(x.Err))
	t.tellDetails(x)
	action := "ends the failed transaction"
	if x.Then == engine.TriesAgain {
		action = "repeats the transaction after the error"
	}
	t.Say("client %d %s (%s)", x.Client, action, t.try(x))
}

// tellDetails adds the server's details of an error to its message.
func (t *Troubles) tellDetails(x engine.Trouble) {
	for _, detail := range postgres.Details(x.Err, x.Statement) {
		t.Say("%s", printable.Line(detail))
	}
}

// try names the try, the limit of tries, and the share of their time used.
func (t *Troubles) try(x engine.Trouble) string {
	text := fmt.Sprintf("try %d", x.Try)
	if n := t.Asked.tries(); n > 0 {
		text += fmt.Sprintf("/%d", n)
	}
	if limit := t.Asked.LatencyLimit; limit > 0 {
		text += fmt.Sprintf(", %.3f%% of the maximum time of tries was used", 100*float64(x.Latency)/float64(limit))
	}
	return text
}

// line joins the lines of an error's text.
func line(err error) string { return printable.Line(strings.Join(strings.Fields(err.Error()), " ")) }

// Faults returns the number of errors of each kind, except serialization failures and deadlocks, which the report
// counts, and those that [Troubles] has shown one by one.
func (r Report) Faults() (lines []string) {
	for _, f := range r.Result.Faults {
		if f.Kind == session.Serialization || f.Kind == session.Deadlock || !r.Asked.ContinueOnError &&
			f.Count <= fewAborts {
			continue
		}
		code := f.Code
		if code != "" {
			code = " (" + code + ")"
		}
		lines = append(lines, fmt.Sprintf("%s%s: %d times, first: %s", f.Kind, code, f.Count, line(f.First)))
	}
	return lines
}

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
