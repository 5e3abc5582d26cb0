package experiment

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/realiops/realiops/internal/measure/postgres"
	"github.com/realiops/realiops/internal/printable"
	"github.com/realiops/realiops/internal/runfile"
)

// pace records the progress of a run.
type pace struct {
	began time.Time
	done  int            // repetitions
	of    map[string]int // repetitions by load
}

// Run runs the plan, then the loads that Next adds. If it returns an error, the current repetition is marked as
// failed; all earlier ones are complete.
func (e *Experiment) Run(ctx context.Context) error {
	if rest := resting(e.Plan); rest != 0 {
		e.Doing("resting")
		e.Tell(fmt.Sprintf("Resting for %s, so that metrics that move in steps show no earlier work",
			printable.About(rest)))
		if err := Wait(ctx, rest); err != nil {
			return err
		}
	}
	err := e.warmUp(ctx)
	for err != nil && ctx.Err() == nil { // the rest may have lost the server as well
		if err := e.recover(ctx, err); err != nil {
			return err
		}
		err = e.warmUp(ctx)
	}
	if err != nil {
		return err
	}
	defer e.lookingOn.Wait()
	p := &pace{began: time.Now(), of: map[string]int{}}
	for _, block := range blocks(e.Plan) {
		repetition := block[0].repetition
		if !e.Whole && repetition > LeastRepetitions && !e.timeFor(len(block), p, e.grace(p)) {
			e.Tell(fmt.Sprintf("The loads take longer than expected: no time is left for repetition %d of %d",
				repetition, e.Plan.Repetitions))
			break
		}
		for _, s := range block {
			if err := e.count(ctx, p, s); err != nil {
				return err
			}
		}
	}
	return e.extend(ctx, p)
}

// extend runs the loads that Next names, one repetition at a time, until time is up.
func (e *Experiment) extend(ctx context.Context, p *pace) error {
	for !e.Until.IsZero() && e.timeFor(1, p, 0) {
		next, ok := e.Next()
		if !ok {
			return nil
		}
		switch err := e.rehearse(ctx, next.Load); {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case err != nil:
			e.Tell(fmt.Sprintf("There is time to run %s once more, but that failed: %v", next.Load.Name, err))
			return nil
		}
		e.Tell(fmt.Sprintf("There is time to run %s once more: %s", next.Load.Name, next.Why))
		if err := e.count(ctx, p, step{next.Load, p.of[next.Load.Name] + 1, next.Why}); err != nil {
			return err
		}
	}
	return nil
}

// count runs a repetition, and runs it again if its server was lost and came back, or other sessions disturbed it.
func (e *Experiment) count(ctx context.Context, p *pace, s step) error {
	p.done++
	p.of[s.load.Name]++
	err := e.repetition(ctx, s)
	for err != nil && ctx.Err() == nil {
		why := "lost its server"
		if disturbed, ok := err.(*disturbedError); ok { //nolint:errorlint // never joined with another error
			if !e.again(p, s, disturbed) {
				return nil
			}
			why = "was disturbed"
		} else if err := e.recover(ctx, err); err != nil {
			return err
		}
		number := max(e.Plan.Repetitions, p.of[s.load.Name]) + 1
		s = step{s.load, number, fmt.Sprintf("its repetition %d %s", s.repetition, why)}
		p.of[s.load.Name] = number
		p.done++
		e.Tell(fmt.Sprintf("%s is run again: %s", s.load.Name, s.added))
		err = e.repetition(ctx, s)
	}
	return err
}

// recover waits until the server accepts loads again. It returns any other failure as it is.
func (e *Experiment) recover(ctx context.Context, failed error) error {
	if e.Recover == nil || e.repeated >= mostRepeats {
		return failed
	}
	control, err := e.Recover(ctx, failed)
	if err != nil {
		return err
	}
	e.Control = control
	e.repeated++
	return nil
}

// again reports whether there is time to repeat a disturbed repetition, and says so.
func (e *Experiment) again(p *pace, s step, disturbed *disturbedError) bool {
	message := fmt.Sprintf("Repetition %d of %s is left out, because %s", s.repetition, s.load.Name, disturbed.why)
	may := e.spoiled < mostDisturbed && e.timeFor(1, p, e.grace(p))
	e.spoiled++
	if may {
		message += "; it is run again"
	}
	e.Tell(message)
	return may
}

// mostRepeats is how many losses of its server a run survives.
const mostRepeats = 5

// mostDisturbed is how many disturbed repetitions a run repeats; it leaves out the rest.
const mostDisturbed = 5

// timeFor reports whether that many more repetitions fit before Until plus grace, at the pace so far.
func (e *Experiment) timeFor(repetitions int, p *pace, grace time.Duration) bool {
	if e.Until.IsZero() {
		return true
	}
	each := time.Since(p.began) / time.Duration(p.done)
	return time.Now().Add(each * time.Duration(repetitions)).Before(e.Until.Add(grace))
}

// grace returns how far a run may exceed its budget to finish a repetition: a tenth.
func (e *Experiment) grace(p *pace) time.Duration { return e.Until.Sub(p.began) / 10 }

// Calibrate measures the pause between two loads on this server, by settling twice with nothing to write. What the
// server holds in memory by then, such as the user's own writes, is written first: later pauses do not have it.
func (e *Experiment) Calibrate(ctx context.Context) (Pause, error) {
	pause := DefaultPause()
	if err := e.writeOut(ctx); err != nil {
		return pause, err
	}
	began := time.Now()
	for range 2 {
		if err := e.writeOut(ctx); err != nil {
			return pause, err
		}
		if err := e.catchUp(ctx); err != nil {
			return pause, err
		}
	}
	pause.Fixed = time.Since(began) + besides
	return pause, nil
}

// besides is the rest of a repetition's overhead: creating and dropping its table, connecting, two readings.
const besides = 100 * time.Millisecond

// disturbedError reports a repetition whose numbers do not come from its load alone.
type disturbedError struct{ why, remedy string }

func (e *disturbedError) Error() string { return e.why + e.remedy }

func (e *Experiment) look(ctx context.Context, event runfile.Event) error {
	if e.Look == nil {
		return nil
	}
	return e.Look(ctx, event)
}

// disturbed returns why the repetition that just ended is useless, or nil.
func (e *Experiment) disturbed(others *runfile.Others) error {
	if e.Spoiled != nil {
		if why := e.Spoiled(); why != "" {
			return &disturbedError{why: why}
		}
	}
	if others != nil && !e.Shared {
		return &disturbedError{
			others.String(), ", which cannot be told from the load's work; --shared keeps such numbers, marked"}
	}
	return nil
}

const (
	// reportsAfter exceeds the least time between two reports of a session (PGSTAT_MIN_INTERVAL in pgstat.c).
	reportsAfter = 1100 * time.Millisecond
	// held keeps each session busy for a while, so that parallel queries reach as many others.
	// Opening one takes milliseconds.
	held = "/* realiops */ select pg_catalog.pg_sleep(0.3)"
	// besideClients is how many sessions of a pooler the run itself uses at once.
	besideClients = 5
)

// catchUp waits until the server's counters include all work done.
func (e *Experiment) catchUp(ctx context.Context) error {
	if e.Pooled {
		if err := Wait(ctx, reportsAfter); err != nil {
			return err
		}
		e.report(ctx)
	}
	return e.WaitForCounters(ctx)
}

// report makes the sessions of a pooler report what they did for us. A session reports at the end of a transaction
// if it has not in the last second; an idle one does after ten seconds, and never up to PostgreSQL 14. So report
// runs as many transactions at once as the load had sessions. If one is refused, its session's counts are missing,
// which the proof of the rows shows.
func (e *Experiment) report(ctx context.Context) {
	sessions := besideClients
	for _, l := range e.Plan.Loads {
		sessions = max(sessions, l.Clients+besideClients)
	}
	own, cancel := context.WithTimeout(context.WithoutCancel(ctx), answerWithin)
	defer cancel()
	var asked sync.WaitGroup
	for range sessions {
		asked.Go(func() {
			conn, err := e.Connect(own)
			if err != nil {
				return
			}
			defer conn.Close(own) //nolint:errcheck // it has done its work
			_ = postgres.Exec(own, conn, held)
		})
	}
	asked.Wait()
}
