package reading

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/realiops/realiops/internal/analyze/catalog"
	"github.com/realiops/realiops/internal/analyze/number"
	"github.com/realiops/realiops/internal/cli/command"
	"github.com/realiops/realiops/internal/metric"
)

type metricAmount struct {
	text    string // as given
	name    string
	amount  float64
	written string  // "/" and the time; empty: none was given
	seconds float64 // time of a sum; 0: it is a rate
}

// parseAmounts parses NAME=AMOUNT and NAME=AMOUNT/TIME, separated by commas. An amount may have thousands separators.
func parseAmounts(text string) (all []metricAmount, err error) {
	for _, part := range command.Figures(text) {
		a := metricAmount{text: strings.TrimSpace(part)}
		name, value, _ := strings.Cut(a.text, "=")
		digits, time, timed := strings.Cut(value, "/")
		if a.name = strings.TrimSpace(name); slices.ContainsFunc(all, func(other metricAmount) bool {
			return strings.EqualFold(other.name, a.name)
		}) {
			return nil, fmt.Errorf("--from-metric %s= is given twice", a.name)
		}
		const most = 1e15
		units := number.Counted()
		if countsBytes(a.name) {
			units = number.Bytes(1).With(units)
		}
		a.amount, err = number.Read(digits, units)
		if err != nil && strings.ContainsAny(digits, "0123456789") {
			return nil, fmt.Errorf("--from-metric %s: %w", a.text, err)
		}
		if a.amount >= most {
			return nil, fmt.Errorf("--from-metric %s: want an amount below %s", a.text, number.Grouped(most, 0))
		}
		if err != nil || !(a.amount == 0 || a.amount >= leastFigure) {
			return nil, fmt.Errorf("--from-metric %s: want NAME=AMOUNT of 0 or more, and for a sum its time: NAME=AMOUNT/month",
				a.text)
		}
		if timed {
			a.written = "/" + time
			if a.seconds = secondsIn(strings.TrimSpace(time)); a.seconds == 0 {
				return nil, fmt.Errorf("--from-metric %s: after the / want s, min, 5min, h, day, week or month", a.text)
			}
		}
		all = append(all, a)
	}
	if !slices.ContainsFunc(all, func(a metricAmount) bool { return a.amount > 0 }) {
		return nil, fmt.Errorf("--from-metric %s: 0 is no I/O, whatever the metric counts; give the amount of a busy time", text)
	}
	return all, nil
}

// given reports whether a metric is among the amounts.
func given(all []metricAmount, name string) bool {
	return slices.ContainsFunc(all, func(a metricAmount) bool { return strings.EqualFold(a.name, name) })
}

// countsBytes reports whether a metric counts bytes: of other metrics, 2.43B means billions.
func countsBytes(name string) bool {
	return slices.ContainsFunc(metric.MeaningsOf(name), func(m metric.Meaning) bool {
		_, unit, _ := m.InBase()
		return unit == "bytes"
	})
}

// month is the length in seconds of a month in providers' prices.
const month = catalog.HoursInMonth * metric.Hour

// secondsIn returns the length of a sum's time: month, 5min, 300s; 0: invalid.
func secondsIn(text string) float64 {
	unit := strings.ToLower(strings.TrimLeft(text, "0123456789 "))
	n := 1.0
	if digits := strings.TrimSpace(text[:len(text)-len(unit)]); digits != "" {
		n, _ = strconv.ParseFloat(digits, 64)
	}
	const day = 24 * metric.Hour
	if n > month {
		return 0
	}
	return n * map[string]float64{
		"s": 1, "sec": 1, "second": 1, "seconds": 1, "min": 60, "minute": 60, "minutes": 60, "h": metric.Hour,
		"hour": metric.Hour, "hours": metric.Hour,
		"d": day, "day": day, "days": day, "w": 7 * day, "week": 7 * day, "weeks": 7 * day, "month": month,
		"months": month,
	}[unit]
}

// over determines the time of a sum, and rejects one that is impossible or unknown.
func (a metricAmount) over(m metric.Meaning) (metricAmount, error) {
	switch {
	case !m.Summed() && a.seconds > 1:
		return a, fmt.Errorf("%s is a mean per second, not a sum; leave out %s", m.Metric, a.written)
	case !m.Summed():
		a.seconds = 0
		return a, impossibleRate(a.amount, m)
	case a.seconds == 0 && a.amount == 0:
		a.seconds = m.Period // in any time
	case a.seconds == 0:
		return a, a.ask(m)
	}
	return a, impossibleSum(a.amount/a.seconds, m)
}

// ask returns an error that asks for the period of the sum, with the rate per second for each possible one.
func (a metricAmount) ask(m metric.Meaning) error {
	times := []struct {
		words, written string
		seconds        float64
	}{{"a minute", "/min", 60}, {"5 minutes", "/5min", metric.FiveMinutes}, {"an hour", "/h", metric.Hour},
		{"a day", "/day", 24 * metric.Hour}, {"a month", "/month", month}}
	if m.Period == metric.FiveMinutes {
		times = times[1:]
	}
	var would, write []string
	for _, t := range times {
		text := number.Rate(a.amount/t.seconds) + " if in " + t.words
		if len(would) == 0 {
			text = number.Rate(a.amount/t.seconds) + " a second if in " + t.words
		}
		would, write = append(would, text), append([]string{t.written}, write...)
	}
	return fmt.Errorf("over what time was it summed? %s: write %s%s, or %s", strings.Join(would, ", "), a.text,
		write[0], strings.Join(write[1:], ", "))
}

// Bounds of a second, far above anything sold: an Aurora instance has at most 50 Gbit/s, and a cluster 16 instances.
// https://docs.aws.amazon.com/AmazonRDS/latest/AuroraUserGuide/Concepts.DBInstanceClass.Summary.html
const (
	bytesOfInstance = 100e9 / 8
	mostInstances   = 16
	pageRead        = 8192
	unitWritten     = 4096
	mostOfVolume    = 256_000 // io2
	leastRecord     = 24      // bytes of WAL, the header of a record
)

// more rejects a rate above the highest possible; than names its bound.
func more(perSecond, most float64, than string) error {
	if perSecond <= most {
		return nil
	}
	return errors.New(number.Grouped(perSecond, 0) + " a second are more than " +
		fmt.Sprintf(than, number.Grouped(most, 0)))
}

// impossibleRate rejects an impossible mean per second.
func impossibleRate(perSecond float64, m metric.Meaning) error {
	operations, bytes := strings.HasSuffix(m.Metric, "IOPS"), strings.HasSuffix(m.Metric, "Throughput")
	switch {
	case m.On == "rds" && operations:
		return more(perSecond, 4*mostOfVolume, "an RDS instance can do: %s, if each of its four volumes were io2")
	case m.On == "aurora" && m.Metric == "WriteIOPS":
		return more(perSecond, bytesOfInstance/leastRecord,
			"an Aurora writer can send: %s records of 24 bytes, if it passed 100 Gbit/s")
	case bytes && (m.On == "rds" || m.On == "aurora"):
		return more(perSecond, bytesOfInstance, "an instance can pass: %s bytes, at 100 Gbit/s")
	}
	return nil
}

// ImpossibleMonth rejects an impossible number of billed reads or writes in a month.
func ImpossibleMonth(name string, amount float64) error {
	metrics := map[string]string{"reads": "VolumeReadIOPs", "writes": "VolumeWriteIOPs"}
	return impossibleSum(amount/month, metric.Meaning{On: "aurora", Metric: metrics[name]})
}

// impossibleSum rejects an impossible sum, by its rate per second.
func impossibleSum(perSecond float64, m metric.Meaning) error {
	switch {
	case m.On == "aurora" && m.Metric == "VolumeReadIOPs":
		return more(perSecond, mostInstances*bytesOfInstance/pageRead,
			"an Aurora cluster can read: %s pages of 8 KiB, if each of its 16 instances passed 100 Gbit/s")
	case m.On == "aurora" && m.Metric != "":
		return more(perSecond, bytesOfInstance/unitWritten,
			"an Aurora cluster can write: %s units of 4 KiB, if its writer passed 100 Gbit/s")
	case m.Level == "volume" && strings.HasSuffix(m.Metric, "Ops"):
		return more(perSecond, mostOfVolume, "an EBS volume can do, %s")
	}
	return nil
}

// asPublished returns the amount in the metric's published period.
func (a metricAmount) asPublished(meanings []metric.Meaning) float64 {
	if len(meanings) != 1 || a.seconds == 0 {
		return a.amount
	}
	return a.amount / a.seconds * meanings[0].Period
}
