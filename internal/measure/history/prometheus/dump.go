package prometheus

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/realiops/realiops/internal/runfile"
)

// dump is promtool's dump of a store. It answers the queries for one server's history.
type dump struct {
	source  // nil: other queries are not answered
	streams map[string]*sampleStream
}

// OpenDump reads the output of promtool tsdb dump or dump-openmetrics, and returns the span of its
// samples. It skips unknown metrics.
func OpenDump(name string, text []byte) (s *Store, from, to time.Time, err error) {
	d := &dump{streams: map[string]*sampleStream{}}
	known := map[string]bool{}
	for _, row := range rows() {
		known[row.Name] = true
	}
	for _, m := range versions() {
		known[m.metric] = true
	}
	lines, n := bufio.NewScanner(bytes.NewReader(text)), 0
	lines.Buffer(nil, longestLine)
	for lines.Scan() {
		n++
		line := strings.TrimSpace(lines.Text())
		if line == "" || line[0] == '#' {
			continue
		}
		labels, sample, err := parseSample(line)
		if err != nil {
			return nil, from, to, fmt.Errorf("%s: line %d: %w", name, n, err)
		}
		if !known[labels[metricName]] || math.IsNaN(sample.Value) { // promtool writes a marker of an end as NaN
			continue
		}
		key := labels.String()
		if d.streams[key] == nil {
			d.streams[key] = &sampleStream{Metric: labels}
		}
		d.streams[key].Values = append(d.streams[key].Values, sample)
	}
	if err := lines.Err(); err != nil {
		return nil, from, to, fmt.Errorf("%s: %w", name, err)
	}
	if len(d.streams) == 0 {
		return nil, from, to, fmt.Errorf("%s has no samples of PostgreSQL or of a disk that realiops knows", name)
	}
	if from, to, err = d.order(); err != nil {
		return nil, from, to, fmt.Errorf("%s: %w", name, err)
	}
	if to.Sub(from) > longestDump {
		return nil, from, to, fmt.Errorf("%s: its samples reach from %s to %s, too long for a dump; is a timestamp wrong?",
			name, from.UTC().Format(time.DateOnly), to.UTC().Format(time.DateOnly))
	}
	if from.Before(time.Unix(1e9, 0)) {
		return nil, from, to, fmt.Errorf("%s: its samples begin on %s; promtool tsdb dump writes times in milliseconds, "+
			"OpenMetrics in seconds", name, from.UTC().Format(time.DateOnly))
	}
	return &Store{source: d, host: name}, from, to, nil
}

// longestDump exceeds what stores keep, and is short enough to read in chunks.
const longestDump = 3 * 366 * 24 * time.Hour

// longestLine bounds a line.
const longestLine = 64 << 10

// order sorts the samples of each series, without duplicates, and returns their span. Two values at one time are an
// error.
func (d *dump) order() (from, to time.Time, err error) {
	var all runfile.Stretch
	at := func(a, b samplePair) int { return int(a.Timestamp - b.Timestamp) }
	for _, s := range d.streams {
		slices.SortStableFunc(s.Values, at)
		s.Values = slices.CompactFunc(s.Values, func(a, b samplePair) bool {
			if a.Timestamp == b.Timestamp && a.Value != b.Value {
				err = fmt.Errorf("%s has two values at %s; does it join the dumps of two stores?", s.Metric,
					a.Timestamp.Time().UTC().Format(time.RFC3339))
			}
			return a.Timestamp == b.Timestamp
		})
		all.Extend(s.Values[0].Timestamp.Time(), s.Values[len(s.Values)-1].Timestamp.Time())
	}
	return all.From, all.To, err
}

var sampleLine = regexp.MustCompile(`^([a-zA-Z_:][a-zA-Z0-9_:]*)?(?:\{(.*)\})? +([^ ]+)(?: +([^ ]+))?(?: +#.*)?$`)

// parseSample parses a line. Without a name before the braces it is from promtool tsdb dump, with times in
// milliseconds; OpenMetrics has seconds.
func parseSample(line string) (labels labelSet, sample samplePair, err error) {
	part := sampleLine.FindStringSubmatch(line)
	if part == nil {
		return nil, sample, errors.New("not a sample as promtool tsdb dump or dump-openmetrics writes it")
	}
	matchers, err := parseMatchers(part[2])
	if err != nil {
		return nil, sample, err
	}
	labels, scale := labelSet{}, 1000.0
	for _, m := range matchers {
		if m.how != "=" {
			return nil, sample, errors.New("not a sample: a label appears twice")
		}
		labels[m.label] = m.value
	}
	if part[1] != "" {
		labels[metricName] = part[1]
	} else {
		scale = 1
	}
	v, err := strconv.ParseFloat(part[3], 64)
	if err != nil {
		return nil, sample, fmt.Errorf("invalid value %q", part[3])
	}
	at, err := strconv.ParseFloat(part[4], 64)
	if err != nil || !(math.Abs(at*scale) < latest) {
		return nil, sample, fmt.Errorf("invalid timestamp %q", part[4])
	}
	return labels, samplePair{Timestamp: instant(math.Round(at * scale)), Value: v}, nil
}

// latest bounds a time in milliseconds: the year 9999.
const latest = 2.5e14

// those returns the series that match a selector, in order.
func (d *dump) those(selector string) (all []*sampleStream, err error) {
	name, matchers, _ := strings.Cut(strings.TrimSuffix(selector, "}"), "{")
	conditions, err := parseMatchers(matchers)
	if err != nil {
		return nil, err
	}
	if name != "" {
		conditions = append(conditions, match{metricName, "=", name})
	}
	for _, key := range slices.Sorted(maps.Keys(d.streams)) {
		picked := true
		for _, c := range conditions {
			value := d.streams[key].Metric[c.label]
			pattern, err := regexp.Compile("^(?:" + c.value + ")$")
			if err != nil && strings.HasSuffix(c.how, "~") {
				return nil, fmt.Errorf("invalid regular expression %s", c.value)
			}
			switch c.how {
			case "=":
				picked = picked && value == c.value
			case "!=":
				picked = picked && value != c.value
			case "=~":
				picked = picked && pattern.MatchString(value)
			case "!~":
				picked = picked && !pattern.MatchString(value)
			}
		}
		if picked {
			all = append(all, d.streams[key])
		}
	}
	return all, nil
}

func (d *dump) series(_ context.Context, selector string, _, _ time.Time, _ uint64) (sets []labelSet,
	_ []string, err error) {
	all, err := d.those(selector)
	for _, s := range all {
		sets = append(sets, s.Metric)
	}
	return sets, nil, err
}

// at answers a range selector: the samples from its begin to end.
func (d *dump) at(ctx context.Context, query string, end time.Time) (found result, _ []string, err error) {
	selector, back, _ := strings.Cut(strings.TrimSuffix(query, "]"), "}[")
	length, err := time.ParseDuration(back)
	if err != nil {
		return found, nil, fmt.Errorf("a dump cannot answer %s", query)
	}
	all, err := d.those(selector)
	if err = cmp.Or(ctx.Err(), err); err != nil {
		return found, nil, err
	}
	found.Type = matrix
	for _, s := range all {
		part := &sampleStream{Metric: s.Metric}
		for _, v := range s.Values {
			if t := v.Timestamp.Time(); t.After(end.Add(-length)) && !t.After(end) {
				part.Values = append(part.Values, v)
			}
		}
		found.Series = append(found.Series, part)
	}
	return found, nil, nil
}
