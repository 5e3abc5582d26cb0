package command

import (
	"fmt"
	"math"
	"strconv"
	"time"
)

// Stretch is a time with days and weeks: 30d, 12w, 36h.
type Stretch time.Duration

// Longest is for how long CloudWatch keeps anything.
const Longest = 455 * 24 * time.Hour

func (s *Stretch) Set(text string) error {
	days := map[byte]float64{'d': 1, 'w': 7}
	d, err := time.ParseDuration(text)
	if text != "" && days[text[len(text)-1]] != 0 {
		var n float64
		n, err = strconv.ParseFloat(text[:len(text)-1], 64)
		if n *= days[text[len(text)-1]]; !(n <= Longest.Hours()/24) {
			n = math.Inf(1)
		}
		d = time.Duration(min(n, Longest.Hours()/24+1) * 24 * float64(time.Hour))
	}
	if err != nil || d < time.Hour || d > Longest {
		return fmt.Errorf("a time like 30d, 12w or 36h, at least an hour, at most 455d")
	}
	*s = Stretch(d)
	return nil
}

func (s *Stretch) String() string { return fmt.Sprintf("%gd", time.Duration(*s).Hours()/24) }

func (s *Stretch) Type() string { return "time" }

const Day = 24 * time.Hour
