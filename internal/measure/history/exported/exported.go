// Package exported reads files with the AWS command line's answers about a cluster, offline:
//
//	aws cloudwatch get-metric-data
//	aws rds describe-db-clusters
//	aws rds describe-db-instances
//
// as JSON, in one or several files. An answer of get-metric-data does not repeat its request: the label of each
// series gives its metric, statistic and owner. [Query] writes a request with such labels.
package exported

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"

	"github.com/realiops/realiops/internal/measure/history"
	probe "github.com/realiops/realiops/internal/measure/probe/cloudwatch"
	"github.com/realiops/realiops/internal/measure/rds"
	"github.com/realiops/realiops/internal/metric"
	"github.com/realiops/realiops/internal/printable"
	"github.com/realiops/realiops/internal/runfile"
)

// Export is the combined content of the files.
type Export struct {
	// Flavor is rds or aurora, and all metrics of the server are read. Empty: the metrics of a cluster's bill are
	// read, in the statistics that a bill uses.
	Flavor   string
	Periods  []runfile.Period
	Clusters []rds.Cluster
	Warnings []string
	instance []rds.DBInstance
	known    map[point]float64

	clustered bool // a skipped series was of a cluster
}

// point is a point of any file and series: files may overlap, and labels repeat.
type point struct {
	metric, of, statistic string
	at                    time.Time
}

// Read adds a file. It leaves out points after now, which another clock stamped.
func (e *Export) Read(text []byte, now time.Time) error {
	var a answer
	if err := json.Unmarshal(text, &a); err != nil {
		a = answer{}
		if json.Unmarshal(withoutNotNumbers(text), &a) != nil {
			return notJSON(text, err)
		}
	}
	if a.MetricDataResults == nil && a.DBClusters == nil && a.DBInstances == nil {
		return errors.New("not the output of aws cloudwatch get-metric-data, aws rds describe-db-clusters or " +
			"describe-db-instances: its JSON has no MetricDataResults, DBClusters or DBInstances")
	}
	if aws.ToString(a.NextToken) != "" || aws.ToString(a.Marker) != "" {
		return errors.New("it is the first page of several (it has a NextToken or Marker); ask again without --no-paginate " +
			"and --max-items")
	}
	if slices.ContainsFunc(a.DBInstances, func(i rds.DBInstance) bool { return i.DBInstanceIdentifier == "" }) {
		return errors.New("an instance has no DBInstanceIdentifier; ask again without the option --query")
	}
	if slices.ContainsFunc(a.DBClusters, func(c rds.DBCluster) bool { return c.DBClusterIdentifier == "" }) {
		return errors.New("a cluster has no DBClusterIdentifier; ask again without the option --query")
	}
	if said := saidIn(a.Messages); said != "" {
		return fmt.Errorf("CloudWatch marked the answer as incomplete (%s); ask for fewer metrics or a shorter time, in "+
			"several files", said)
	}
	for _, i := range a.DBInstances {
		if again, err := described(e.instance, i, func(i rds.DBInstance) string { return i.DBInstanceIdentifier }); err != nil {
			return err
		} else if !again {
			e.instance = append(e.instance, i)
		}
	}
	for _, c := range a.DBClusters {
		this := rds.ClusterOf(c)
		if again, err := described(e.Clusters, this, func(c rds.Cluster) string { return c.Name }); err != nil {
			return err
		} else if !again {
			e.Clusters = append(e.Clusters, this)
		}
	}
	return e.metrics(a.MetricDataResults, now)
}

// described reports whether a description is already known. Another one of the same name is an error: it may be of
// another region or account, or of another day.
func described[D any](known []D, this D, name func(D) string) (again bool, err error) {
	for _, before := range known {
		if name(before) != name(this) {
			continue
		}
		if !reflect.DeepEqual(before, this) {
			return true, fmt.Errorf("it describes %s a second time, differently; pass only one description", name(this))
		}
		return true, nil
	}
	return false, nil
}

// metrics reads the results. It joins those with the same label, since the command line
// writes each page's part separately.
func (e *Export) metrics(all []results, now time.Time) error {
	byLabel := map[string]*points{}
	var labels []string
	for _, r := range all {
		key := aws.ToString(r.Label) + "\x00" + aws.ToString(r.Id)
		if byLabel[key] == nil {
			byLabel[key] = &points{id: aws.ToString(r.Id), label: aws.ToString(r.Label), values: map[time.Time]float64{}}
			labels = append(labels, key)
		}
		byLabel[key].add(r)
	}
	for _, key := range labels {
		if err := e.series(byLabel[key], now); err != nil {
			return err
		}
	}
	return nil
}

// series reads the periods of one series.
func (e *Export) series(p *points, now time.Time) error {
	of, taken, err := e.subjectOf(p)
	if err != nil || !taken {
		return err
	}
	if p.unpaired {
		return fmt.Errorf("series %q does not have one value for each time; export it again", p.label)
	}
	if p.said != "" {
		return fmt.Errorf("series %q is incomplete: CloudWatch added %s; export it again", p.label, p.said)
	}
	if len(p.values) == 0 {
		e.warn("Series %q is empty; check the spelling of its dimension.", p.label)
		return nil
	}
	if len(p.values) == 1 && e.Flavor != "" {
		e.clustered = e.clustered || of.meaning.Dimension == ofCluster
		e.warn("Skipped series %q: it has only one point, so its period is unknown; ask for several.", p.label)
		return nil
	}
	length, err := p.period()
	if err != nil {
		return fmt.Errorf("series %q %w", p.label, err)
	}
	if p.part != "" && e.Flavor != "" { // a partial one would look like the begin of the history
		return fmt.Errorf("series %q is incomplete: CloudWatch answered %s; export all pages again", p.label, p.part)
	}
	if p.part != "" {
		e.warn("CloudWatch returned only part of %q (%s).", p.label, p.part)
	}
	return e.addPeriods(p, of, length, now)
}

// subject is the metric of a series, and its owner.
type subject struct {
	meaning       metric.Meaning
	statistic, id string
	scale         float64 // to the metric's base unit
}

// subjectOf parses the label of a series. taken is false if the series is left out.
func (e *Export) subjectOf(p *points) (s subject, taken bool, err error) {
	meaning, statistic, id, known := parse(p.label, e.taken())
	if !known {
		e.warn("Skipped series %q: its label names no metric %s.", p.label, e.of())
		return s, false, nil
	}
	_, _, scale := meaning.InBase()
	if e.Flavor == "" && statistic == runfile.SampleCount { // of all instances of the cluster
		meaning.Dimension, scale = ofCluster, 1
	} else if id == "" && meaning.Level == "instance" {
		id = p.id
	}
	if statistic == "" {
		statistic = meaning.Statistics[0]
		e.warn("Label %q has no statistic; it counts as %s.", p.label, statistic)
	} else if e.Flavor == "" && statistic != meaning.Statistics[0] && meaning.Metric != "CPUUtilization" {
		return s, false, fmt.Errorf("series %q is the %s of %s, but a bill needs the %s", p.label, statistic, meaning.Metric,
			meaning.Statistics[0])
	} else if e.Flavor != "" && !slices.Contains(meaning.Statistics, statistic) {
		e.warn("Skipped series %q: it is the %s of %s, and only the %s is read.", p.label, statistic, meaning.Metric,
			strings.Join(meaning.Statistics, " and the "))
		return s, false, nil
	}
	return subject{meaning, statistic, id, scale}, true, nil
}

// addPeriods adds the points of a series. For a bill each must be an amount; for a history others are left out.
func (e *Export) addPeriods(p *points, of subject, length time.Duration, now time.Time) error {
	ahead, lost := 0, []string{}
	if e.known == nil {
		e.known = map[point]float64{}
	}
	for _, at := range p.times() {
		v := p.values[at]
		if e.Flavor == "" && v < 0 {
			return fmt.Errorf("series %q is %g at %s, but a billed amount cannot be negative", p.label, v,
				at.Format(time.RFC3339))
		}
		if e.Flavor == "" && math.IsNaN(v) {
			return fmt.Errorf("series %q has no number at %s, so the bill would lack that time", p.label,
				at.Format(time.RFC3339))
		}
		if e.Flavor == "" && v > mostShown {
			return fmt.Errorf("series %q is %g at %s, more than any database can do", p.label, v, at.Format(time.RFC3339))
		}
		if e.Flavor == "" && of.meaning.Metric == "VolumeBytesUsed" && v > 0 && v < leastVolume {
			return fmt.Errorf("the series %q shows %g bytes at %s, less than an empty cluster has; give bytes, as "+
				"CloudWatch does", p.label, v, at.Format(time.RFC3339))
		}
		if !(v >= 0 && v <= mostShown) {
			lost = append(lost, fmt.Sprintf("%g at %s", v, at.Format(time.RFC3339)))
			continue
		}
		if at.Add(length).After(now) {
			ahead++
			continue
		}
		this := point{of.meaning.Row().Name, of.meaning.Dimension + "=" + of.id, of.statistic, at}
		if before, again := e.known[this]; again {
			if before != v {
				p.twice++
			}
			continue
		}
		e.known[this] = v
		e.Periods = append(e.Periods, runfile.Period{From: at, To: at.Add(length), Probe: metric.CloudWatch,
			Metric:     of.meaning.Row().Name,
			Dimensions: map[string]string{of.meaning.Dimension: of.id}, Statistic: of.statistic, Value: p.values[at] * of.scale})
	}
	if len(lost) > 0 {
		e.warn("Skipped %s of %s points of %q with invalid amounts (%s); activity at those times is unknown.",
			printable.Count(len(lost)), printable.Count(len(p.values)), p.label, lost[0])
	}
	if p.twice > 0 {
		e.warn("Conflicting values for %s of %q; the first one counts.", printable.Counted(p.twice, "point"), p.label)
	}
	if ahead > 0 {
		e.warn("Skipped points in the future by this machine's clock: %s of %q.", printable.Counted(ahead, "point"), p.label)
	}
	return nil
}

// ofCluster is the dimension with the name of a cluster.
const ofCluster = "DBClusterIdentifier"

// leastVolume is far below any Aurora volume in bytes, and above most in GiB or MiB.
const leastVolume = 1e6

// mostShown is far above any value in CloudWatch: 10^15 operations in a period, or a PB.
const mostShown = 1e15

func (e *Export) warn(format string, values ...any) {
	if text := fmt.Sprintf(format, values...); !slices.Contains(e.Warnings, text) {
		e.Warnings = append(e.Warnings, text)
	}
}

func billed() []metric.Meaning {
	names := []string{"VolumeReadIOPs", "VolumeWriteIOPs", "VolumeBytesUsed", "ServerlessDatabaseCapacity",
		"CPUUtilization"}
	return slices.DeleteFunc(metric.Meanings(), func(m metric.Meaning) bool {
		return m.Service != metric.CloudWatch || m.On != "aurora" || !slices.Contains(names, m.Metric)
	})
}

func (e *Export) taken() []metric.Meaning {
	if e.Flavor == "" {
		return billed()
	}
	return slices.DeleteFunc(metric.Meanings(), func(m metric.Meaning) bool {
		return m.Service != metric.CloudWatch || m.On != e.Flavor || m.Unread
	})
}

// of names the owner of the metrics.
func (e *Export) of() string {
	if e.Flavor == "" {
		return "of a cluster's bill"
	}
	return "that CloudWatch has of " + metric.Flavor(e.Flavor)
}

// parse splits a label into metric, statistic and the rest: "VolumeReadIOPs Sum shop".
func parse(label string, taken []metric.Meaning) (m metric.Meaning, statistic, id string, known bool) {
	var rest []string
	for word := range strings.FieldsSeq(label) {
		i := slices.IndexFunc(taken, func(m metric.Meaning) bool { return m.Metric == word })
		switch {
		case i >= 0:
			m, known = taken[i], true
		case slices.Contains([]string{runfile.Sum, runfile.Average, runfile.Maximum, runfile.Minimum,
			runfile.SampleCount}, word):
			statistic = word
		default:
			rest = append(rest, word)
		}
	}
	return m, statistic, strings.Join(rest, " "), known
}

// Cluster returns the files' cluster, or the named one, and drops other clusters' periods.
func (e *Export) Cluster(name string) (rds.Cluster, error) {
	names := e.named(ofCluster)
	if len(names) == 0 {
		for _, c := range e.Clusters {
			names = append(names, c.Name)
		}
		names = distinct(names)
	}
	switch {
	case name == "" && len(names) > 1:
		return rds.Cluster{}, fmt.Errorf("the files describe several clusters; choose one of %s with --cluster",
			strings.Join(names, ", "))
	case name == "" && len(names) == 1:
		name = names[0]
	case name != "" && len(names) > 0 && !slices.Contains(names, name):
		return rds.Cluster{}, fmt.Errorf("the files do not describe cluster %s, only %s", name, strings.Join(names, ", "))
	}
	c := rds.Cluster{Name: name}
	for _, known := range e.Clusters {
		if known.Name == name {
			c = known
		}
	}
	others := map[string]bool{}
	for _, i := range e.instance {
		if i.DBClusterIdentifier == c.Name || c.Name == "" {
			c.Add(i)
		} else {
			others[i.DBInstanceIdentifier] = true
		}
	}
	e.Periods = slices.DeleteFunc(e.Periods, func(p runfile.Period) bool {
		of := p.Dimensions[ofCluster]
		return of != "" && c.Name != "" && of != c.Name || others[p.Dimensions["DBInstanceIdentifier"]]
	})
	return c, nil
}

func (e *Export) named(dimension string) (all []string) {
	for _, p := range e.Periods {
		all = append(all, p.Dimensions[dimension])
	}
	return distinct(all)
}

func distinct(names []string) []string {
	slices.Sort(names)
	return slices.DeleteFunc(slices.Compact(names), func(s string) bool { return s == "" })
}

// Check rejects points further apart than CloudWatch keeps them, and warns of sums that look like sums of a longer time
// than the other series have.
func (e *Export) Check() error {
	e.warnOfSparseSums()
	const slack = 24 * time.Hour
	from, to := e.Span()
	if to.Sub(from) <= probe.Longest+slack {
		return nil
	}
	return fmt.Errorf("the points of the files reach from %s to %s, but CloudWatch keeps %.0f days; are they all from "+
		"CloudWatch?", from.Format(time.DateOnly), to.Format(time.DateOnly), probe.Longest.Hours()/24)
}

// warnOfSparseSums warns of sums with fewer points than other series: an answer does not say whether they stand for a
// longer time, or whether points are missing. CloudWatch has a volume's sums only each five minutes.
func (e *Export) warnOfSparseSums() {
	shortest, sums := time.Duration(math.MaxInt64), map[string]time.Duration{}
	for _, p := range e.Periods {
		length := p.To.Sub(p.From)
		shortest = min(shortest, length)
		if known, seen := sums[p.Metric]; p.Statistic == runfile.Sum && (!seen || length < known) {
			sums[p.Metric] = length
		}
	}
	for _, name := range slices.Sorted(maps.Keys(sums)) {
		if apart := sums[name]; apart > max(shortest, 5*time.Minute) {
			e.warn("The points of %s are %s apart, and those of other series %s: each counts as the sum of %s. If points are "+
				"missing, there was more I/O.", strings.TrimPrefix(name, metric.CloudWatch+"/"), printable.Duration(apart),
				printable.Duration(shortest), printable.Duration(apart))
		}
	}
}

// Span returns the begin of the first period and the end of the last.
func (e *Export) Span() (from, to time.Time) { return history.Data{Periods: e.Periods}.Span() }

// Instances returns the PostgreSQL instances with their own storage.
func (e *Export) Instances() (all []runfile.Cloud) {
	for _, i := range e.instance {
		if c, ok := rds.CloudOf(regionOf(i), i); ok {
			all = append(all, c)
		}
	}
	return all
}

// Region returns the region of a cluster's instances, or "" if the files do not say or they differ.
func (e *Export) Region(cluster string) string {
	var all []string
	for _, i := range e.instance {
		if cluster == "" || i.DBClusterIdentifier == cluster {
			all = append(all, regionOf(i))
		}
	}
	if all = distinct(all); len(all) == 1 {
		return all[0]
	}
	return ""
}

// regionOf returns the region of an instance's availability zone: eu-west-1a is in eu-west-1.
func regionOf(i rds.DBInstance) string {
	return strings.TrimRight(i.AvailabilityZone, "abcdefghijklmnopqrstuvwxyz")
}
