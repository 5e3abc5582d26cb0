package experiment

import (
	"context"
	"fmt"
	"time"

	"github.com/realiops/realiops/internal/printable"
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
