package drivers

import (
	"fmt"

	"github.com/realiops/realiops/internal/runfile"
)

// OthersWorked is a repetition during which others worked on the server, and how much.
type OthersWorked struct {
	Arm       string
	Replicate int
	runfile.Others
}

// OthersText says for every output how much of what a run counted may be the work of others; empty: nothing that is known.
func (r *Run) OthersText() string {
	if len(r.Others) == 0 {
		return ""
	}
	var most OthersWorked
	for _, o := range r.Others {
		if max(o.RowsShare, o.CommitsShare) > max(most.RowsShare, most.CommitsShare) {
			most = o
		}
	}
	used := 0
	for _, a := range r.Arms {
		used += len(a.Replicates)
	}
	return fmt.Sprintf("Others worked on the server in %d of %d repetitions, and what they did is in every number here; most in repetition %d of %s: %s.",
		len(r.Others), used, most.Replicate, most.Arm, most.String())
}
