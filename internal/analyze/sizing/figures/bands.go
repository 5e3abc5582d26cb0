package figures

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Bands are the edges of latency, in seconds, from excellent to what should be looked into. The last, 15 ms, is a
// published rule of thumb; the others are customary.
type Bands [3]float64

// DefaultBands are below 5 ms, to 10, to 15, and above.
func DefaultBands() Bands { return Bands{0.005, 0.010, 0.015} }

// Of names the band of a latency.
func (b Bands) Of(latency float64) string {
	for i, name := range []string{"excellent", "good", "fair"} {
		if latency < b[i] {
			return name
		}
	}
	return "look into it"
}

// QueueBands are the edges of how long a queue is for one disk: from the first on for long, and from the second on at
// all, published rules see a bottleneck.
type QueueBands [2]float64

// DefaultQueueBands are below two, to five, and above.
func DefaultQueueBands() QueueBands { return QueueBands{2, 5} }

// Of names the band of a queue.
func (b QueueBands) Of(queue float64) string {
	switch {
	case queue < b[0]:
		return "short"
	case queue < b[1]:
		return "a bottleneck if it lasts"
	default:
		return "a bottleneck"
	}
}

// Rules are the edges by which figures are judged.
type Rules struct {
	Latency Bands
	Queue   QueueBands
}

// DefaultRules returns the published and customary ones.
func DefaultRules() Rules { return Rules{DefaultBands(), DefaultQueueBands()} }

// ParseRules reads edges as people write them, in milliseconds and in requests: 5,10,15 and 2,5. An empty one is the
// default.
func ParseRules(latency, queue string) (Rules, error) {
	r := DefaultRules()
	if err := edges(latency, r.Latency[:], 1000); err != nil {
		return Rules{}, err
	}
	return r, edges(queue, r.Queue[:], 1)
}

// edges reads as many ascending numbers as there are, so many of which make one.
func edges(text string, into []float64, perUnit float64) error {
	if text == "" {
		return nil
	}
	wrong := fmt.Errorf("%s: want %d ascending numbers separated by commas", text, len(into))
	parts := strings.Split(text, ",")
	if len(parts) != len(into) {
		return wrong
	}
	for i, part := range parts {
		v, err := strconv.ParseFloat(strings.TrimSpace(part), 64)
		if err != nil || !(v > 0 && v < 1e9) {
			return wrong
		}
		into[i] = v / perUnit
	}
	if !slices.IsSorted(into) {
		return wrong
	}
	return nil
}
