package counts

import (
	"fmt"
	"slices"
)

// OthersShare returns the largest share of a load's work that may be from others: over its used repetitions, of rows,
// commits and WAL; 0 if none is known.
func (r *Run) OthersShare(load string) (share float64) {
	for _, o := range r.Others {
		if o.Load == load {
			share = max(share, o.Share())
		}
	}
	return share
}

// OthersUncounted reports whether others wrote under a load without a counter of how much.
func (r *Run) OthersUncounted(load string) bool {
	return slices.ContainsFunc(r.Others, func(o OthersWorked) bool { return o.Load == load && len(o.Writing) > 0 })
}

// OthersText says, for all outputs, how much of the run's counts may be the work of others; empty if none is known.
func (r *Run) OthersText() string {
	if len(r.Others) == 0 {
		return ""
	}
	most := r.Others[0]
	for _, o := range r.Others {
		if o.Share() > most.Share() {
			most = o
		}
	}
	used := 0
	for _, a := range r.Loads {
		used += len(a.Repetitions)
	}
	return fmt.Sprintf("Other sessions worked on the server in %d of %d repetitions, and every number here includes "+
		"their work; most in repetition %d of %s: %s.", len(r.Others), used, most.Repetition, most.Load, most.String())
}
