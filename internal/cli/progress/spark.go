package progress

import "slices"

// levels are the heights of a sparkline, as block elements of Unicode.
var levels = []rune("▁▂▃▄▅▆▇█")

// remembered is how many seconds a sparkline shows.
const remembered = 10

// sparkline draws values, one character each, relative to the highest.
func sparkline(values []float64) string {
	if len(values) == 0 {
		return ""
	}
	highest := slices.Max(values)
	line := make([]rune, len(values))
	for i, v := range values {
		line[i] = levels[0]
		if highest > 0 && v > 0 {
			line[i] = levels[min(int(v/highest*float64(len(levels))), len(levels)-1)]
		}
	}
	return string(line)
}

// recent holds the values of the last seconds.
type recent []float64

func (r *recent) add(value float64) {
	*r = append(*r, value)
	if extra := len(*r) - remembered; extra > 0 {
		*r = slices.Delete(*r, 0, extra)
	}
}
