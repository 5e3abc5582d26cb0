package prometheustest

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"math"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Made is a store of any number of RDS instances, whose series are computed on request. It answers realiops
// fleet's queries and rejects others.
type Made struct {
	Instances int
	Asked     int // range queries so far
}

// step is the interval between samples from exporters of CloudWatch.
const step = 5 * time.Minute

// Instance returns the name of an instance.
func Instance(i int) string { return fmt.Sprintf("db-%04d", i+1) }

// madeMetrics returns the metrics, with their value for one request a second.
func madeMetrics() map[string]float64 {
	const size = 32 << 10 // of a request
	return map[string]float64{"read_iops": 0.6, "write_iops": 0.4, "read_throughput": 0.6 * size,
		"write_throughput": 0.4 * size}
}

// value returns a metric's value at a time: higher by day than by night, and much higher on one evening of the week.
func value(instance, metric string, at time.Time) float64 {
	h := fnv.New32a()
	h.Write([]byte(instance))
	base := 20 * math.Pow(100, float64(h.Sum32()%1000)/1000) // from 20 to 2,000 requests a second
	hour := float64(at.Unix()%86400) / 3600
	rate := base * (1 + 0.5*math.Sin((hour-9)/24*2*math.Pi))
	if at.UTC().Weekday() == time.Saturday && at.UTC().Hour() == 20 {
		rate *= 3
	}
	return math.Round(rate * madeMetrics()[metric])
}

// Sampled returns the same series as a real store would have scraped them.
func (m *Made) Sampled(from, to time.Time) (all []Series) {
	for i := range m.Instances {
		for metric := range madeMetrics() {
			s := Series{Name: "aws_rds_" + metric + "_average", Labels: `dimension_DBInstanceIdentifier="` +
				Instance(i) + `"`}
			for at := from; !at.After(to); at = at.Add(step) {
				s.Samples = append(s.Samples, Sample{at, value(Instance(i), metric, at)})
			}
			all = append(all, s)
		}
	}
	return all
}

// ServeHTTP answers as Prometheus does.
func (m *Made) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	var data any = []string{}
	switch path := strings.TrimPrefix(r.URL.Path, "/api/v1/"); path {
	case "series":
		all := []map[string]string{}
		for i := range m.Instances {
			if strings.Contains(r.FormValue("match[]"), exists) {
				all = append(all, map[string]string{"__name__": exists, "dimension_DBInstanceIdentifier": Instance(i)})
			}
		}
		data = all
	case "label/__name__/values":
	case "query_range":
		result, err := m.hours(r)
		if err != nil {
			w.WriteHeader(http.StatusBadRequest)
			_ = json.NewEncoder(w).Encode(map[string]any{"status": "error", "errorType": "bad_data",
				"error": err.Error()})
			return
		}
		data = map[string]any{"resultType": "matrix", "result": result}
	default:
		http.NotFound(w, r)
		return
	}
	_ = json.NewEncoder(w).Encode(map[string]any{"status": "success", "data": data})
}

// exists is a metric that each instance has.
const exists = "aws_rds_write_iops_average"

// asks matches the queries that are understood, and covers those for the twelfths of an hour with samples. Of
// alternative metrics, the last one exists.
var (
	asks = regexp.MustCompile(`^(?:max .*\) or )?(?:max|min) by \(dimension_DBInstanceIdentifier\) ` +
		`\((avg|max|min)_over_time\(aws_rds_(\w+)_average\{[^}]*=~"([^"]*)"[^}]*\}\[59m59s999ms\]\)\)$`)
	covers = regexp.MustCompile(`^max by \(dimension_DBInstanceIdentifier\) ` +
		`\(sum_over_time\(\((count)_over_time\(aws_rds_(\w+)_average\{[^}]*=~"([^"]*)"[^}]*\}\[6m\]\) > bool 0\)\[59m59s999ms:5m\]\)\)$`)
)

// mostPoints is the number of points of a series beyond which a store refuses.
const mostPoints = 11_000

// series is a series of an answer.
type series struct {
	Metric map[string]string `json:"metric"`
	Values [][2]any          `json:"values"`
}

// hours answers a range query.
func (m *Made) hours(r *http.Request) ([]series, error) {
	m.Asked++
	if strings.HasPrefix(r.FormValue("query"), "min_over_time((min by (dimension_DBInstanceIdentifier) ({__name__=~") {
		return []series{}, nil
	}
	ask := asks.FindStringSubmatch(r.FormValue("query"))
	if ask == nil {
		ask = covers.FindStringSubmatch(r.FormValue("query"))
	}
	if ask == nil {
		return nil, fmt.Errorf("nothing here answers %s", r.FormValue("query"))
	}
	var times [3]float64
	for i, name := range []string{"start", "end", "step"} {
		v, err := strconv.ParseFloat(strings.TrimSuffix(r.FormValue(name), "s"), 64)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		times[i] = v
	}
	if (times[1]-times[0])/times[2] > mostPoints {
		return nil, fmt.Errorf("exceeded maximum resolution of 11,000 points per timeseries")
	}
	all := []series{}
	for name := range strings.SplitSeq(strings.ReplaceAll(ask[3], `\\`, ``), "|") {
		s := series{Metric: map[string]string{"dimension_DBInstanceIdentifier": name}, Values: [][2]any{}}
		for at := times[0]; at <= times[1] && madeMetrics()[ask[2]] > 0; at += times[2] {
			s.Values = append(s.Values,
				[2]any{at, strconv.FormatFloat(over(ask[1], name, ask[2], time.Unix(int64(at), 0)), 'g', -1, 64)})
		}
		if len(s.Values) > 0 {
			all = append(all, s)
		}
	}
	return all, nil
}

// over applies a function to the samples of the hour up to a moment.
func over(function, instance, metric string, at time.Time) float64 {
	var values []float64
	for i := range 12 {
		values = append(values, value(instance, metric, at.Add(-time.Duration(i)*step)))
	}
	switch function {
	case "max":
		return slices.Max(values)
	case "min":
		return slices.Min(values)
	case "count":
		return float64(len(values))
	}
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return sum / float64(len(values))
}
