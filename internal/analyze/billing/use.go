// Package billing says what an Aurora cluster costs in its two storage configurations, Standard and I/O-Optimized, from
// what it did hour by hour.
//
// A [Use] is what it read, wrote, held and ran in each hour, as CloudWatch counted it. [Compare] charges both
// configurations for the same hours by their prices. An hour of which anything is not known is not compared: what is
// missing is never nothing. Where the two cost the same follows from the prices alone.
package billing

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/realiops/realiops/internal/runfile"
)

// Use is what a cluster did in each hour from a moment on. What is not known is NaN.
type Use struct {
	From          time.Time
	Reads, Writes []float64 // billed operations
	Bytes         []float64 // billed storage
	Instances     []Instance
	Told          bool // a month as somebody says it, spread evenly: its days say nothing
}

// Instance is one that belongs to a cluster, or did.
type Instance struct {
	Name  string
	Class string    // db.r6g.large, or db.serverless; empty: not known
	Units []float64 // billed in each hour: hours, or capacity units times hours
}

// Serverless is the class of instances that are billed by capacity units.
const Serverless = "db.serverless"

// The metrics that a bill is made of.
const (
	reads    = "cloudwatch/VolumeReadIOPs"
	writes   = "cloudwatch/VolumeWriteIOPs"
	bytes    = "cloudwatch/VolumeBytesUsed"
	capacity = "cloudwatch/ServerlessDatabaseCapacity"
	alive    = "cloudwatch/CPUUtilization" // which every instance shows while it runs
)

// lookBack is for how long the last VolumeBytesUsed holds: it comes late and with holes, and changes slowly.
const lookBack = 3

// FromPeriods is what periods say of the hours from one moment to another. The instances are those whose class is known;
// of others that the periods name it is not.
func FromPeriods(periods []runfile.Period, from, to time.Time, instances []Instance) Use {
	from = from.UTC().Truncate(time.Hour)
	s := sheet{from: from, hours: int(math.Ceil(to.Sub(from).Hours())), periods: map[string]map[span]runfile.Period{}}
	for _, p := range periods {
		key := p.Metric + p.Dimensions[instanceDimension]
		if s.periods[key] == nil {
			s.periods[key] = map[span]runfile.Period{}
		}
		s.periods[key][span{p.From.Unix(), p.To.Unix()}] = p // of several for one stretch the last counts, as in a run file
	}
	u := Use{From: from, Reads: s.sums(reads), Writes: s.sums(writes), Bytes: heldOn(s.means(bytes))}
	for _, i := range s.named(instances) {
		if i.Units == nil {
			i.Units = s.units(i)
		}
		u.Instances = append(u.Instances, i)
	}
	return u
}

// sheet is periods by what they are of.
type sheet struct {
	from    time.Time
	hours   int
	periods map[string]map[span]runfile.Period // by metric and instance
}

type span struct{ from, to int64 }

const instanceDimension = "DBInstanceIdentifier"

// named are the instances that are known, and those that only periods tell of.
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

// cover is how much of each hour periods tell of, and the sum or the mean of what they tell.
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

// rounding is what is left of adding up parts of an hour.
const rounding = 1e-6

// sums are of the hours of which every part is known.
func (s *sheet) sums(metric string) []float64 {
	values, covered := s.cover(metric, true)
	for h := range values {
		if covered[h] < 1-rounding {
			values[h] = math.NaN()
		}
	}
	return values
}

// means are of the hours of which at least a half is known.
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

// units are what an instance is billed for in each hour. Before it first showed anything and after it last did it was not
// there; what is missing in between is not known.
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

// outside sets what lies before the first value and after the last to nothing.
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

// heldOn has the last value go on for as long as one may look back.
func heldOn(values []float64) []float64 {
	since := lookBack + 1
	for h := range values {
		if !math.IsNaN(values[h]) {
			since = 0
			continue
		}
		if since++; since <= lookBack {
			values[h] = values[h-1]
		}
	}
	return values
}

// InAMonth is the use of a month that somebody says: amounts that are not known are NaN, and the instances run all the time.
func InAMonth(readOperations, writeOperations, held float64, instances []Instance) Use {
	evenly := func(each float64) []float64 { return slices.Repeat([]float64{each}, month) }
	u := Use{Reads: evenly(readOperations / month), Writes: evenly(writeOperations / month), Bytes: evenly(held), Told: true}
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
