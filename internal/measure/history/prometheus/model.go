package prometheus

import (
	"fmt"
	"maps"
	"math"
	"net"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A store's answers. Prometheus' own types need protocol buffers, which take 5 s of CPU time to compile.
type (
	// labelSet holds the labels of a series.
	labelSet map[string]string
	// instant is a time in milliseconds since 1970.
	instant int64
	// samplePair is a sample with its time.
	samplePair struct {
		Timestamp instant
		Value     float64
	}
	// sampleStream is a series with its samples.
	sampleStream struct {
		Metric labelSet
		Values []samplePair
	}
)

// Labels of every series.
const (
	metricName    = "__name__"
	instanceLabel = "instance"
)

// hostOf returns the machine in an instance label: the part before the port.
func hostOf(instance string) string {
	if host, _, err := net.SplitHostPort(instance); err == nil && host != "" {
		return host
	}
	return instance
}

func (l labelSet) String() string {
	var all []string
	for _, name := range slices.Sorted(maps.Keys(l)) {
		all = append(all, fmt.Sprintf("%s=%q", name, l[name]))
	}
	return "{" + strings.Join(all, ", ") + "}"
}

func (i instant) Time() time.Time { return time.UnixMilli(int64(i)) }

// instantOf parses seconds since 1970.
func instantOf(text string) (instant, error) {
	seconds, err := strconv.ParseFloat(text, 64)
	if err == nil && !(math.Abs(seconds) < 1e12) {
		err = fmt.Errorf("invalid timestamp %s", text)
	}
	return instant(math.Round(seconds * 1000)), err
}

func valuesOf(sets []labelSet, label string) (values []string) {
	for _, set := range sets {
		if v := set[label]; v != "" && !slices.Contains(values, v) {
			values = append(values, v)
		}
	}
	slices.Sort(values)
	return values
}

// allOf returns the values of a label, "" for series that lack it.
func allOf(sets []labelSet, label string) (values []string) {
	for _, set := range sets {
		values = append(values, set[label])
	}
	slices.Sort(values)
	return slices.Compact(values)
}

// selector returns the selector of a metric with label matchers, some of which may be empty.
func selector(name string, matchers ...string) string {
	all := slices.DeleteFunc(slices.Clone(matchers), func(m string) bool { return m == "" })
	return name + "{" + strings.Join(all, ",") + "}"
}

func anyOf(label string, values []string) string { return label + "=~" + alternatives(values) }

func alternatives(values []string) string {
	quotedValues := make([]string, len(values))
	for i, v := range values {
		quotedValues[i] = regexp.QuoteMeta(v)
	}
	return quoted(strings.Join(quotedValues, "|"))
}

func quoted(value string) string { return fmt.Sprintf("%q", value) }

// match is a condition of a selector.
type match struct {
	label, how, value string
}

var matcher = regexp.MustCompile(`^\s*([a-zA-Z_][a-zA-Z0-9_]*)(=~|!~|!=|=)("(?:[^"\\]|\\.)*")\s*,?`)

func parseMatchers(text string) (all []match, err error) {
	for strings.TrimSpace(text) != "" {
		part := matcher.FindStringSubmatch(text)
		if part == nil {
			return nil, fmt.Errorf("invalid label matchers %s", text)
		}
		value, err := strconv.Unquote(part[3])
		if err != nil {
			return nil, fmt.Errorf("invalid label value %s", part[3])
		}
		all, text = append(all, match{part[1], part[2], value}), text[len(part[0]):]
	}
	return all, nil
}
