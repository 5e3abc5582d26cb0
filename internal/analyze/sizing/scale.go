package sizing

import (
	"fmt"

	"github.com/realiops/realiops/internal/analyze/number"
	"github.com/realiops/realiops/internal/analyze/sizing/needs"
)

// Span is a rate with its bounds.
type Span struct{ Value, Least, Most needs.Rate }

// Scale converts a need to another load of the same kind.
type Scale struct {
	Factor float64 // of rows
	// Shared is the number of commits per WAL flush in the load, at least 1. With fewer commits, fewer can share one.
	Shared float64
	// Pages is the share of the bytes written that is not WAL.
	Pages float64
	Law   []string // what was assumed to scale with the rows, in sentences
}

// ScaleTo returns the scale from one rate of rows to another, with growth in percent on top.
func ScaleTo(from, to, growth float64) (Scale, error) {
	if to == 0 {
		to = from
	}
	factor := 1 + growth/100
	if from > 0 {
		factor *= to / from
	} else if to > 0 {
		return Scale{}, fmt.Errorf("the load has no rows to scale from")
	}
	s := Scale{Factor: factor, Shared: 1}
	if factor != 1 {
		requests := "growing with the rows, and no two commits sharing a flush of the WAL"
		if factor > 1 {
			requests = "staying the same, as more commits share a flush of the WAL, and growing with the rows"
		}
		s.Law = []string{
			number.Short(factor, 3) + " times the rows: WAL bytes and reads grow with the rows.",
			"Requests and flushes lie between " + requests + "; the larger is ordered for.",
			"Pages written at checkpoints lie between staying the same, as a page takes several rows, and growing " +
				"with the rows.",
		}
	}
	return s, nil
}

// of sets how the need's commits share flushes, and how much of its bytes written is WAL.
func (s *Scale) of(n needs.Need) {
	if n.Commits != nil && n.Mean.Flushes > 0 {
		s.Shared = *n.Commits / n.Mean.Flushes
	}
	if n.WALBytes != nil && n.Mean.WriteBytes > 0 {
		s.Pages = max(0, 1-needs.BytesPerWALByte**n.WALBytes/n.Mean.WriteBytes)
	}
}

// Apply scales a rate. WAL and reads are proportional to rows. Flushes, their requests, and pages may stay the same if
// rows increase, and need not decrease with them.
func (s Scale) Apply(r needs.Rate) Span {
	all := r.Times(s.Factor)
	other := all
	factor := 1.0 // with more rows, possibly as many requests
	if s.Factor < 1 {
		factor = min(1, s.Factor*max(1, s.Shared))
	}
	other.Writes, other.Flushes = r.Writes*factor, r.Flushes*factor
	other.WriteBytes = r.WriteBytes * (s.Pages + (1-s.Pages)*s.Factor)
	if s.Factor < 1 {
		return Span{Value: all, Least: all, Most: other}
	}
	return Span{Value: all, Least: other, Most: all}
}

// raise takes the maximum of each number.
func (s *Span) raise(other Span) {
	s.Value.Raise(other.Value)
	s.Least.Raise(other.Least)
	s.Most.Raise(other.Most)
}
