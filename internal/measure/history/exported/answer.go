package exported

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	cw "github.com/aws/aws-sdk-go-v2/service/cloudwatch/types"

	"github.com/realiops/realiops/internal/input"
	"github.com/realiops/realiops/internal/measure/account"
	"github.com/realiops/realiops/internal/measure/rds"
	"github.com/realiops/realiops/internal/printable"
)

// answer is any of the three answers, by its members.
type answer struct {
	MetricDataResults []results
	Messages          []cw.MessageData
	NextToken         *string
	DBClusters        []rds.DBCluster
	DBInstances       []rds.DBInstance
	Marker            *string
}

// results is a [cw.MetricDataResult] whose values may be missing.
type results struct {
	Id, Label  *string
	Timestamps []time.Time
	Values     []sample
	StatusCode cw.StatusCode
	Messages   []cw.MessageData
}

// sample is a value from some program; NaN: none.
type sample float64

// UnmarshalJSON reads null and text that is not a number as NaN.
func (s *sample) UnmarshalJSON(text []byte) error {
	*s = sample(math.NaN())
	if text[0] == '{' || text[0] == '[' {
		return fmt.Errorf("invalid value %s", text)
	}
	if v, err := strconv.ParseFloat(strings.Trim(string(text), `"`), 64); err == nil {
		*s = sample(v)
	}
	return nil
}

// notNumbers matches the spellings of NaN and infinity, which JSON lacks, and strings, in which they stay.
var notNumbers = regexp.MustCompile(`("(?:[^"\\]|\\.)*")|-?\b(?:NaN|Infinity|inf|nan)\b`)

// withoutNotNumbers replaces them by null.
func withoutNotNumbers(text []byte) []byte {
	return notNumbers.ReplaceAllFunc(text, func(found []byte) []byte {
		if found[0] == '"' {
			return found
		}
		return []byte("null")
	})
}

// saidIn returns what CloudWatch says of an answer, such as MaxMetricsExceeded; empty for a whole one.
func saidIn(messages []cw.MessageData) string {
	var all []string
	for _, m := range messages {
		all = append(all, account.Clean(aws.ToString(m.Code)+": "+aws.ToString(m.Value)))
	}
	return strings.Join(all, "; ")
}

// notJSON distinguishes a page or a table from broken JSON.
func notJSON(text []byte, err error) error {
	switch begin := strings.TrimSpace(string(text[:min(len(text), 64)])); {
	case begin == "":
		return errors.New("the file is empty")
	case begin[0] == '<':
		return errors.New("it is a web page, not JSON; did a proxy answer instead of AWS?")
	case begin[0] != '{':
		return errors.New("it is not JSON; use --output json")
	}
	return input.NotJSON(err)
}

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
		return 0, errors.New("has only one point, so its period is unknown; ask for several")
	case length < time.Minute || length > 31*24*time.Hour:
		return 0, fmt.Errorf("has points %s apart, but CloudWatch's periods are a minute to a day",
			printable.Duration(length))
	}
	return length, nil
}
