// Package billing computes the cost of an Aurora cluster in its two storage configurations, Standard and I/O-Optimized,
// from its activity hour by hour.
//
// A [Use] holds its reads, writes, storage and instances in each hour, as CloudWatch counted them. [Compare] charges
// both configurations for the same hours by their prices. An hour with any unknown value is not compared: missing is
// never zero. The point at which the two cost the same follows from the prices alone.
package billing

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/realiops/realiops/internal/metric"
	"github.com/realiops/realiops/internal/runfile"
)

// Use is a cluster's activity in each hour from a moment on. Unknown values are NaN.
type Use struct {
	From          time.Time
	Reads, Writes []float64 // billed operations
	Bytes         []float64 // billed storage
	Instances     []Instance
	Stated        bool // a month given as totals, spread evenly, so its days say nothing

	Gone    []float64 // hours of unnamed instances, in each hour; NaN: instances were not counted
	Stopped []bool    // no sign of life in the hour, so the cluster counts as stopped
	Thin    int       // hours with fewer samples than their instances publish: points are missing
	Period  float64   // hours of the longest period that nothing counts the samples of

	// Elsewhere has the flags that advice names; empty: the command that answers.
	Elsewhere Command
}

// Command is a command of realiops.
type Command string

// flag returns a flag for advice, with its command.
func (c Command) flag(name string) string {
	if c == "" {
		return name
	}
	return name + " of " + string(c)
}

// Instance is a present or past instance of a cluster.
type Instance struct {
	Name  string
	Class string    // db.r6g.large, or db.serverless; empty: unknown
	Units []float64 // billed in each hour: hours, or capacity units times hours
	Ran   []Run     // when it ran, if given; empty: by metrics
}

// Run is a time in which an instance ran.
type Run struct{ From, To time.Time }

// Serverless is the class of instances that are billed by capacity units.
const Serverless = "db.serverless"

const (
	reads    = metric.CloudWatchVolumeReadIOPs
	writes   = metric.CloudWatchVolumeWriteIOPs
	bytes    = metric.CloudWatchVolumeBytesUsed
	capacity = metric.CloudWatchServerlessDatabaseCapacity
	alive    = metric.CloudWatchCPUUtilization // every running instance has it
)

// samplesInHour is the number of samples that a running instance publishes.
const samplesInHour = 60

// fewSamples is the share of the samples of an hour below which points are missing.
const fewSamples = 0.6

// slack is the part of an hour whose samples may be lost.
const slack = 0.05

// lookBack is the number of hours for which the last VolumeBytesUsed holds: it comes late and with holes, and changes
// slowly.
const lookBack = 3

// FromPeriods returns the use of the hours from one moment to another. instances have a known class; others in the
// periods do not.
func FromPeriods(periods []runfile.Period, from, to time.Time, instances []Instance) Use {
	from = from.UTC().Truncate(time.Hour)
	s := sheet{from: from, hours: int(math.Ceil(to.Sub(from).Hours())), periods: map[string]map[span]runfile.Period{}}
	for _, p := range periods {
		key := p.Metric + p.Dimensions[instanceDimension]
		if p.Statistic == runfile.SampleCount {
			key = counted + p.Dimensions[instanceDimension]
		}
		if s.periods[key] == nil {
			s.periods[key] = map[span]runfile.Period{}
		}
		// of several for one stretch the last counts, as in a run file
		s.periods[key][span{p.From.Unix(), p.To.Unix()}] = p
	}
	u := Use{From: from, Gone: make([]float64, s.hours)}
	for _, i := range s.named(instances) {
		if i.Units = s.units(i); len(i.Ran) > 0 {
			i.Units = s.within(i.Ran)
		}
		u.Instances = append(u.Instances, i)
	}
	for _, p := range periods {
		if len(s.periods[counted]) == 0 {
			u.Period = max(u.Period, p.To.Sub(p.From).Hours())
		}
	}
	u.Stopped = s.stopped(u.Instances)
	u.Reads, u.Writes, u.Bytes = s.sums(reads, u.Stopped), s.sums(writes, u.Stopped), heldOn(s.means(bytes), u.Stopped)
	s.settle(&u)
	return u
}

// counted is the number of samples that all instances of the cluster published.
const counted = "samples of " + alive

// longestStop is the longest time for which a cluster may be stopped: AWS starts it again after seven days.
// https://docs.aws.amazon.com/AmazonRDS/latest/AuroraUserGuide/aurora-cluster-stop-start.html
const longestStop = 7*24 + 1

// stopped returns the hours between signs of life in which neither an instance nor the volume showed any. A running
// volume always does: an idle server writes some WAL. Stopping and starting take minutes, so hours between two in which
// instances ran throughout are missing.
func (s *sheet) stopped(instances []Instance) []bool {
	if len(instances) == 0 || len(s.periods[reads]) == 0 || len(s.periods[writes]) == 0 {
		return make([]bool, s.hours)
	}
	keys := []string{reads, writes, counted}
	for _, i := range instances {
		keys = append(keys, alive+i.Name, capacity+i.Name)
	}
	signs := make([]float64, s.hours)
	for _, key := range keys {
		_, covered := s.cover(key, true)
		for h := range signs {
			signs[h] += covered[h]
		}
	}
	samples, _ := s.cover(counted, true)
	full := func(h int) bool { // instances ran from its beginning to its end
		n := samples[h] / samplesInHour
		return math.Round(n) >= 1 && math.Abs(n-math.Round(n)) <= slack
	}
	none, begin := make([]bool, s.hours), -1
	for h, sign := range signs {
		if sign == 0 {
			continue
		}
		if begin >= 0 && h-begin-1 <= longestStop && !(full(begin) && full(h)) {
			for k := begin + 1; k < h; k++ {
				none[k] = true
			}
		}
		begin = h
	}
	return none
}

// settle fills unknown hours of instances from the cluster's samples: an instance did not run while the cluster was
// stopped, or while the instances known to run account for all samples. Other samples are from deleted instances.
func (s *sheet) settle(u *Use) {
	samples, covered := s.cover(counted, true)
	shown := make([][]float64, len(u.Instances)) // share of each hour with a known capacity
	for k, i := range u.Instances {
		_, shown[k] = s.cover(capacity+i.Name, false)
	}
	for h := range s.hours {
		ran, paused, open := 0.0, 0.0, false
		for k, i := range u.Instances {
			switch units := i.Units[h]; {
			case math.IsNaN(units):
				open = true
			case i.Class == Serverless && units == 0:
				if shown[k][h] > 0 { // otherwise the instance or its metric was missing
					paused++
				}
			case i.Class == Serverless:
				ran++
			default:
				ran += units
			}
		}
		there := samples[h] / samplesInHour
		if covered[h] > 1-rounding && there < fewSamples*ran {
			u.Thin++
		}
		stopped := u.Stopped[h] || beside(u.Stopped, h) && ran == 0 && paused == 0 && there == 0
		if open && (stopped || there > 0 && there <= ran+slack) {
			for _, i := range u.Instances {
				if math.IsNaN(i.Units[h]) {
					i.Units[h] = 0
				}
			}
			open = false
		}
		switch {
		case covered[h] == 0 && !stopped:
			u.Gone[h] = math.NaN()
		case !open && there-ran-paused > slack:
			u.Gone[h] = there - ran - paused
		}
	}
}

// sheet holds periods by metric and instance.
type sheet struct {
	from    time.Time
	hours   int
	periods map[string]map[span]runfile.Period // by metric and instance
}

type span struct{ from, to int64 }

const instanceDimension = "DBInstanceIdentifier"

// named returns the known instances, and those only in the periods.
func (s *sheet) named(known []Instance) []Instance {
	all := slices.Clone(known)
	for _, of := range s.periods {
		for _, p := range of {
			name := p.Dimensions[instanceDimension]
			if name != "" && !slices.ContainsFunc(all, func(i Instance) bool { return i.Name == name }) {
				all = append(all, Instance{Name: name})
			}
			break
		}
	}
	slices.SortFunc(all[len(known):], func(a, b Instance) int {
		return cmp.Or(cmp.Compare(len(a.Name), len(b.Name)), strings.Compare(a.Name, b.Name))
	})
	for i := range all {
		if all[i].Class == "" && len(s.periods[capacity+all[i].Name]) > 0 {
			all[i].Class = Serverless
		}
	}
	return all
}

// cover returns the share of each hour that periods cover, and their sum or mean.
func (s *sheet) cover(key string, sum bool) (values, covered []float64) {
	values, covered = make([]float64, s.hours), make([]float64, s.hours)
	for _, p := range s.periods[key] {
		length := p.To.Sub(p.From).Hours()
		begin := p.From.Sub(s.from).Hours()
		for h := max(0, int(math.Floor(begin))); h < s.hours && float64(h) < begin+length; h++ {
			within := min(float64(h+1), begin+length) - max(float64(h), begin)
			covered[h] += within
			if sum {
				values[h] += p.Value * within / length
			} else {
				values[h] += p.Value * within
			}
		}
	}
	return values, covered
}

// rounding is the largest error of adding up parts of an hour.
const rounding = 1e-6

// sums returns the sums of hours that are known completely, or as far as the cluster was not stopped.
func (s *sheet) sums(metric string, stopped []bool) []float64 {
	values, covered := s.cover(metric, true)
	for h := range values {
		if covered[h] < 1-rounding && !stopped[h] && !(beside(stopped, h) && covered[h] > 0) {
			values[h] = math.NaN()
		}
	}
	return values
}

// beside reports whether the cluster was stopped in the hour before or after.
func beside(stopped []bool, h int) bool {
	return h > 0 && stopped[h-1] || h+1 < len(stopped) && stopped[h+1]
}

// means returns the means of hours of which at least half is known.
func (s *sheet) means(key string) []float64 {
	const half = 0.5
	values, covered := s.cover(key, false)
	for h := range values {
		values[h] /= covered[h]
		if covered[h] < half {
			values[h] = math.NaN()
		}
	}
	return values
}

// units returns the billed units of an instance in each hour. It did not exist before its first sample and after its
// last; gaps in between are unknown.
func (s *sheet) units(i Instance) []float64 {
	values := s.means(capacity + i.Name)
	if i.Class != Serverless {
		var covered []float64
		if values, covered = s.cover(alive+i.Name, false); len(s.periods[alive+i.Name]) == 0 {
			covered = make([]float64, s.hours)
		}
		for h := range values {
			values[h] = 1
			if covered[h] == 0 {
				values[h] = math.NaN()
			}
		}
	}
	return outside(values)
}

func (s *sheet) within(runs []Run) []float64 {
	values := make([]float64, s.hours)
	for _, r := range runs {
		from, to := r.From.Sub(s.from).Hours(), r.To.Sub(s.from).Hours()
		for h := range values {
			within := min(to, float64(h+1)) - max(from, float64(h))
			values[h] = min(values[h]+max(0, within), 1)
		}
	}
	return values
}

// outside sets everything before the first value and after the last to 0.
func outside(values []float64) []float64 {
	known := func(v float64) bool { return !math.IsNaN(v) }
	first := slices.IndexFunc(values, known)
	if first < 0 {
		return values
	}
	last := len(values) - 1
	for !known(values[last]) {
		last--
	}
	clear(values[:first])
	clear(values[last+1:])
	return values
}

// heldOn repeats the last value for up to lookBack hours, and while the cluster was stopped.
func heldOn(values []float64, stopped []bool) []float64 {
	since := lookBack + 1 // nothing is repeated before the first value
	for h := range values {
		if !math.IsNaN(values[h]) {
			since = 0
			continue
		}
		if !stopped[h] {
			since++
		}
		if since <= lookBack {
			values[h] = values[h-1]
		}
	}
	return values
}

// InAMonth returns the use of a month given as totals; NaN means unknown. The instances run all the time.
func InAMonth(readOperations, writeOperations, held float64, instances []Instance) Use {
	evenly := func(each float64) []float64 { return slices.Repeat([]float64{each}, month) }
	u := Use{Reads: evenly(readOperations / month), Writes: evenly(writeOperations / month),
		Bytes: evenly(held), Stated: true}
	return u.Always(instances)
}

// Always adds instances that ran all the time.
func (u Use) Always(instances []Instance) Use {
	for _, i := range instances {
		i.Units = slices.Repeat([]float64{1}, len(u.Reads))
		u.Instances = append(u.Instances, i)
	}
	return u
}
