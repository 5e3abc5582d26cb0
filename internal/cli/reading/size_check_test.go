package reading

import (
	"math"
	"testing"
)

// FuzzFigures: what people type as figures becomes numbers that there can be.
func FuzzFigures(f *testing.F) {
	for _, text := range []string{"iops=489 kbps=62598 kb=4 ms=62.1 queue=30", "r/s=1,w_await=inf", "iops=1e400", "buffered", "ms=-0"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if figures, err := parseFigures(text); err == nil {
			for _, v := range []float64{figures.Operations, figures.Bytes, figures.Latency, figures.Queue} {
				if v < 0 || math.IsInf(v, 0) {
					t.Errorf("%q: %+v", text, figures)
				}
			}
		}
	})
}
