package counts

// GrewBetween returns what a metric grew by over the whole run beyond what the repetitions let expect, which is a rate
// throughout and so much besides in each of them; 0: no more than that, or nothing tells. A source that moves late or
// in steps may show nothing in any repetition and yet move for the load.
func (r *Run) GrewBetween(m Metric, perSecond, besides float64) float64 {
	repetitions := 0
	for _, load := range r.Loads {
		repetitions += len(load.Repetitions)
	}
	var whole Growth
	for i, name := range m.From {
		grew, known := r.Grew(name)
		switch {
		case !known:
			return 0
		case i > 0 && m.how == subtraction:
			whole.Amount -= grew.Amount
		default:
			whole.Amount, whole.Seconds = whole.Amount+grew.Amount, max(whole.Seconds, grew.Seconds)
		}
	}
	if beyond := whole.Amount - perSecond*whole.Seconds; beyond > besides*float64(repetitions+1) {
		return beyond
	}
	return 0
}
