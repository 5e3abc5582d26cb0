package exported

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"time"

	cw "github.com/aws/aws-sdk-go-v2/service/cloudwatch/types"

	"github.com/realiops/realiops/internal/printable"
)

// points are the values of one series, from all its pages.
type points struct {
	id, label string
	values    map[time.Time]float64
	twice     int    // duplicate points with another value
	said      string // by CloudWatch, of why it is not whole
	part      cw.StatusCode
	unpaired  bool // it has different numbers of times and values
}

func (p *points) add(r results) {
	p.unpaired = p.unpaired || len(r.Timestamps) != len(r.Values)
	for i, at := range r.Timestamps[:min(len(r.Timestamps), len(r.Values))] {
		v := float64(r.Values[i])
		if before, known := p.values[at.UTC()]; known && before != v && !math.IsNaN(before) {
			if !math.IsNaN(v) {
				p.twice++
			}
			continue
		}
		p.values[at.UTC()] = v
	}
	p.said = cmp.Or(p.said, saidIn(r.Messages))
	if p.part = r.StatusCode; p.part == cw.StatusCodeComplete {
		p.part = ""
	}
}

func (p *points) times() []time.Time {
	return slices.SortedFunc(maps.Keys(p.values), time.Time.Compare)
}

// period returns the length of the periods, which begin on a grid of that length: the longest that every distance
// between two points is a multiple of.
func (p *points) period() (time.Duration, error) {
	times, length := p.times(), time.Duration(0)
	for i := 1; i < len(times); i++ {
		// what lies centuries apart is refused by Kept
		for apart := times[i].Sub(times[i-1]); apart != 0 && apart != math.MaxInt64; {
			length, apart = apart, length%apart
		}
	}
	switch {
	case length == 0:
		return 0, errors.New("has only one point, so its period is unknown; ask for several, or pass a month's sums with " +
			"--month")
	case length < time.Minute || length > 31*24*time.Hour:
		return 0, fmt.Errorf("has points %s apart, but CloudWatch's periods are a minute to a day",
			printable.Duration(length))
	}
	return length, nil
}
