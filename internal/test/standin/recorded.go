package standin

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"time"
)

// recorded is a sample in a file: the time, the WAL position, the statements' buffers, and
// the work in the order of [kinds].
type recorded struct {
	At    time.Time `json:"at"`
	Quiet bool      `json:"quiet,omitempty"`
	Done  []float64 `json:"done"`
}

// kinds returns the kinds of a recorded sample, in order.
func kinds() []Kind { return slices.Concat(OfWrites(), OfReads(), Blind()) }

// Save writes the course, so that other draws can publish it later. Of equal samples it keeps the first and the last.
func (c *Course) Save(w io.Writer) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	alike := func(i, j int) bool {
		a, b := c.samples[i].recorded(), c.samples[j].recorded()
		return a.Quiet == b.Quiet && slices.Equal(a.Done, b.Done)
	}
	lines := json.NewEncoder(w)
	for i := range c.samples {
		if i > 0 && i < len(c.samples)-1 && alike(i-1, i) && alike(i, i+1) {
			continue
		}
		if err := lines.Encode(c.samples[i].recorded()); err != nil {
			return fmt.Errorf("save a course: %w", err)
		}
	}
	return nil
}

func (s sample) recorded() recorded {
	r := recorded{At: s.at.UTC(), Quiet: s.quiet, Done: []float64{s.position, s.looked}}
	for _, kind := range kinds() {
		r.Done = append(r.Done, s.counts[kind])
	}
	return r
}

// Load reads a saved course.
func Load(from io.Reader) (*Course, error) {
	c := &Course{}
	lines := bufio.NewScanner(from)
	for lines.Scan() {
		var r recorded
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			return nil, fmt.Errorf("load a course: %w", err)
		}
		if len(r.Done) != 2+len(kinds()) {
			return nil, fmt.Errorf("load a course: a sample has %d figures", len(r.Done))
		}
		s := sample{at: r.At, position: r.Done[0], looked: r.Done[1], quiet: r.Quiet, counts: map[Kind]float64{}}
		for i, kind := range kinds() {
			s.counts[kind] = r.Done[2+i]
		}
		c.samples = append(c.samples, s)
	}
	return c, lines.Err()
}
