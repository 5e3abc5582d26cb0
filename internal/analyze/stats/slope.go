package stats

import "math"

// Point is a pair of values.
type Point struct{ X, Y float64 }

// fewestToSlope is the number of degrees of freedom needed for a slope.
const fewestToSlope = 4

// SlopeWithin returns the common slope of points within their groups, and the half-width of its interval; ok is false
// if there are too few.
func SlopeWithin(groups [][]Point, level float64) (slope, half float64, ok bool) {
	var xx, xy, yy, freedom float64
	for _, group := range groups {
		mean := centre(group)
		for _, p := range group {
			x, y := p.X-mean.X, p.Y-mean.Y
			xx, xy, yy = xx+x*x, xy+x*y, yy+y*y
		}
		freedom += float64(len(group) - 1)
	}
	if freedom < fewestToSlope || xx == 0 {
		return 0, 0, false
	}
	slope = xy / xx
	variance := max(0, yy-slope*xy) / (freedom - 1) / xx
	return slope, Student(level, freedom-1) * math.Sqrt(variance), true
}

// centre returns the mean of points.
func centre(points []Point) (mean Point) {
	for _, p := range points {
		mean.X, mean.Y = mean.X+p.X, mean.Y+p.Y
	}
	n := float64(len(points))
	return Point{mean.X / n, mean.Y / n}
}

// Mean returns the mean of values; NaN if there are none.
func Mean(values []float64) float64 {
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return sum / float64(len(values))
}
