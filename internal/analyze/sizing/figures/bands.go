package figures

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Bands are the thresholds of latency, in seconds, between excellent, good, fair and the rest. The last, 15 ms, is a
// published rule of thumb; the others are customary.
type Bands [3]float64

// DefaultBands returns 5, 10 and 15 ms.
func DefaultBands() Bands { return Bands{0.005, 0.010, 0.015} }

// Of returns the band of a latency.
func (b Bands) Of(latency float64) string {
	for i, name := range []string{"excellent", "good", "fair"} {
		if latency < b[i] {
			return name
		}
	}
	return "look into it"
}

// QueueBands are the thresholds of a disk's queue length: published rules see a bottleneck above the first if it lasts,
// and above the second at any time.
type QueueBands [2]float64

// DefaultQueueBands returns 2 and 5.
func DefaultQueueBands() QueueBands { return QueueBands{2, 5} }

// Of returns the band of a queue.
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

// Rules are the thresholds by which figures are judged.
type Rules struct {
	Latency Bands
	Queue   QueueBands
}

// DefaultRules returns the published and customary rules.
func DefaultRules() Rules { return Rules{DefaultBands(), DefaultQueueBands()} }

// ParseRules parses thresholds in milliseconds and in requests, such as 5,10,15 and 2,5. An empty text means the
// default.
func ParseRules(latency, queue string) (Rules, error) {
	r := DefaultRules()
	if err := edges(latency, r.Latency[:], 1000); err != nil {
		return Rules{}, err
	}
	return r, edges(queue, r.Queue[:], 1)
}

// edges parses as many ascending numbers as into holds, in units of 1/perUnit.
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
