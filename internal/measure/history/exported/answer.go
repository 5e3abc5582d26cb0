package exported

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	cw "github.com/aws/aws-sdk-go-v2/service/cloudwatch/types"

	"github.com/realiops/realiops/internal/input"
	"github.com/realiops/realiops/internal/measure/account"
	"github.com/realiops/realiops/internal/measure/rds"
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
