package experiment

import (
	"context"
	"fmt"
	"time"

	"github.com/realiops/realiops/internal/printable"
)

// pace records how far a run has come.
type pace struct {
	began time.Time
	done  int            // repetitions
	of    map[string]int // repetitions by load
}

// Run does the plan, and after it what Next adds. When it returns an error, the repetition it happened in is marked as
// failed and all earlier ones are whole.
func (e *Experiment) Run(ctx context.Context) error {
	if rest := resting(e.Plan); rest != 0 {
		e.Doing("resting")
		e.Tell(fmt.Sprintf("Resting for %s, so that a source which moves in steps shows nothing of before",
			printable.About(rest)))
		if err := Wait(ctx, rest); err != nil {
			return err
		}
	}
	err := e.warmUp(ctx)
	for err != nil && ctx.Err() == nil { // the server may have been taken from it while it rested, too
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

// extend runs what Next names, one repetition at a time, while there is time for it.
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

// count runs a repetition, and once more where the server was taken from it and came back, or others disturbed it.
func (e *Experiment) count(ctx context.Context, p *pace, s step) error {
	p.done++
	p.of[s.load.Name]++
	err := e.repetition(ctx, s)
	for err != nil && ctx.Err() == nil {
		why := "lost its server"
		if disturbed, ok := err.(*disturbedError); ok { //nolint:errorlint // nothing else failed beside it
			if !e.again(p, s, disturbed) {
				return nil
			}
			why = "was disturbed"
		} else if err := e.recover(ctx, err); err != nil {
			return err
		}
		number := max(e.Plan.Repetitions, p.of[s.load.Name]) + 1
		s = step{s.load, number, fmt.Sprintf("repetition %d of it %s", s.repetition, why)}
		p.of[s.load.Name] = number
		p.done++
		e.Tell(fmt.Sprintf("%s is run again: %s", s.load.Name, s.added))
		err = e.repetition(ctx, s)
	}
	return err
}

// recover waits for a server that takes a load again; what failed for another reason stays failed.
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

// again reports whether there is time to try once more what was disturbed, and says so.
func (e *Experiment) again(p *pace, s step, disturbed *disturbedError) bool {
	message := fmt.Sprintf("Repetition %d of %s is left out, because %s", s.repetition, s.load.Name, disturbed.why)
	may := e.spoiled < mostDisturbed && e.timeFor(1, p, e.grace(p))
	e.spoiled++
	if may {
		message += ", and there is time to run it again"
	}
	e.Tell(message)
	return may
}

// mostRepeats is the number of times that a run tolerates the loss of its server.
const mostRepeats = 5

// mostDisturbed is the number of times that a run repeats disturbed repetitions; after that it leaves them out.
const mostDisturbed = 5

// timeFor reports whether that many more repetitions fit into the time, give or take the grace, if they take as long
// as those until now.
func (e *Experiment) timeFor(repetitions int, p *pace, grace time.Duration) bool {
	if e.Until.IsZero() {
		return true
	}
	each := time.Since(p.began) / time.Duration(p.done)
	return time.Now().Add(each * time.Duration(repetitions)).Before(e.Until.Add(grace))
}

// grace returns by how much a run may outlast its budget for the sake of a whole repetition: a tenth.
func (e *Experiment) grace(p *pace) time.Duration { return e.Until.Sub(p.began) / 10 }

// Calibrate measures what lies between two loads here, by settling twice with nothing to write.
func (e *Experiment) Calibrate(ctx context.Context) (Pause, error) {
	pause := DefaultPause()
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

// besides is the overhead of a repetition: to make and drop its table, to connect, to read twice.
const besides = 100 * time.Millisecond
