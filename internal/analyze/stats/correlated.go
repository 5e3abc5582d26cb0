package stats

// Correlated returns the excess variance of the mean of readings over independent ones, as a first-order
// autoregression: n readings with a correlation r of neighbours are worth n(1-r)/(1+r). off are the readings in order
// of time, less the means of their groups, which take turns. The estimate of r is corrected for its bias of -(1+4r)/n
// (Kendall 1954) and is at least zero.
func Correlated(off []float64, groups int) float64 {
	const fewest = 8
	n, freedom := float64(len(off)), float64(len(off)-groups)
	if len(off) < fewest || freedom < 1 {
		return 0
	}
	var squares, products float64
	for i, v := range off {
		squares += v * v
		if i > 0 {
			products += v * off[i-1]
		}
	}
	if squares == 0 {
		return 0
	}
	const most = 0.9
	r := min(most, (products/squares*n+1)/(n-4))
	if r <= 0 {
		return 0
	}
	return squares / freedom / n * ((1+r)/(1-r) - 1)
}
