package prometheus

import (
	"fmt"
	"maps"
	"math"
	"net"
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
