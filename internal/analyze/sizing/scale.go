package sizing

import "fmt"

// Span is a rate with what it may be at least and at most.
type Span struct{ Value, Least, Most Rate }

// Scale carries a need over to another load of the same kind.
type Scale struct {
	Factor float64 // of rows
	// Shared is how many commits share a flush of the log in the arm, at least 1: with fewer of them fewer can share.
	Shared float64
	Law    []string // what was taken to go with it, in sentences
}

// ScaleTo is the scale from so many rows a second to others, with growth in percent on top.
func ScaleTo(from, to, growth float64) (Scale, error) {
	if to == 0 {
		to = from
	}
	factor := 1 + growth/100
	if from > 0 {
		factor *= to / from
	} else if to > 0 {
		return Scale{}, fmt.Errorf("the arm has no rows to scale from")
	}
	s := Scale{Factor: factor, Shared: 1}
	if factor != 1 {
		s.Law = []string{
			fmt.Sprintf("%.3g times the rows: bytes go with the rows.", factor),
			requestsLaw(factor),
			"Pages written at checkpoints go with the rows at most: the same page may take several.",
		}
	}
	return s, nil
}

func requestsLaw(factor float64) string {
	if factor > 1 {
		return "Requests and flushes lie between staying as they are, as more commits share one flush of the log, and going with the rows; the larger is ordered for."
	}
	return "Requests and flushes lie between going with the rows and as many as if no two commits shared a flush of the log any more; the larger is ordered for."
}

// Apply carries a rate over.
func (s Scale) Apply(r Rate) Span {
	all := r.Times(s.Factor)
	other := all
	factor := 1.0 // more rows, and as many requests
	if s.Factor < 1 {
		factor = min(1, s.Factor*max(1, s.Shared))
	}
	other.Writes, other.Flushes = r.Writes*factor, r.Flushes*factor
	if s.Factor < 1 {
		return Span{Value: all, Least: all, Most: other}
	}
	return Span{Value: all, Least: other, Most: all}
}
