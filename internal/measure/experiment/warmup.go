package experiment

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"github.com/realiops/realiops/internal/measure/load"
	"github.com/realiops/realiops/internal/runfile"
)

// longestWarmUp is enough to fill WAL of the usual size.
const longestWarmUp = 5 * time.Second

// warmUp runs the load that writes most before anything is counted. A server zero-fills its WAL files
// when it first needs them, and recycles them later. Without a warm-up, the first loads would pay for
// that with up to twice their writes.
func (e *Experiment) warmUp(ctx context.Context) error {
	if err := e.fillAhead(ctx); err != nil {
		return err
	}
	load := heaviest(e.Plan.Loads)
	if load.Idle() {
		return nil
	}
	w, err := e.workload(load)
	if err != nil {
		return err
	}
	if err := w.Create(ctx, e.Control); err != nil {
		return err
	}
	err = w.Run(ctx, e.Connect, e.Engine, min(e.loadLength(), longestWarmUp), func(runfile.Work) error { return nil })
	if err == nil {
		err = context.Cause(ctx)
	}
	if err == nil {
		err = e.Gone(ctx)
	}
	return errors.Join(err, e.clear(ctx, w))
}

// fillAhead makes the table of the loads that read before all loads if sources report periods: otherwise the work
// would show in the period in which a load begins.
func (e *Experiment) fillAhead(ctx context.Context) error {
	i := slices.IndexFunc(e.Plan.Loads, func(a runfile.Load) bool { return load.Reads(a.Method) })
	if e.Period == 0 || i < 0 {
		return nil
	}
	w, err := e.workload(e.Plan.Loads[i])
	if err != nil {
		return err
	}
	return w.Create(ctx, e.Control)
}

// heaviest returns the load that writes most per row: wide rows before many indexes, many transactions before few.
func heaviest(loads []runfile.Load) runfile.Load {
	return slices.MaxFunc(loads, func(a, b runfile.Load) int {
		return cmp.Or(cmp.Compare(a.Width, b.Width), cmp.Compare(a.Indexes, b.Indexes),
			cmp.Compare(a.RowsPerTx, b.RowsPerTx))
	})
}
