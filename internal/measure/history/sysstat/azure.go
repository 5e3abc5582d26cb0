package sysstat

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// azure is the output of az monitor metrics list.
type azure struct {
	Interval string        `json:"interval"`
	Value    []azureMetric `json:"value"`
}

type azureMetric struct {
	ID   string `json:"id"`
	Name struct {
		Value string `json:"value"`
	} `json:"name"`
	Series []azureSeries `json:"timeseries"`
	Error  string        `json:"errorCode"`
}

type azureSeries struct {
	Of []struct {
		Value string `json:"value"`
	} `json:"metadatavalues"` // the disk; none: a mean over all disks
	Data []struct {
		At      time.Time `json:"timeStamp"`
		Average *float64  `json:"average"`
	} `json:"data"`
}

func (s azureSeries) disk() string {
	var all []string
	for _, of := range s.Of {
		all = append(all, of.Value)
	}
	return strings.Join(all, " ")
}

// azureSets lists the metrics of a machine's disks, of one disk, and of a flexible server: reads, writes, and bytes
// of both. A machine's data disks are means over its disks, unless split by disk.
var azureSets = []struct {
	of    string
	split bool
	names [4]string
}{
	{"data disks", true, [4]string{"Data Disk Read Operations/Sec", "Data Disk Write Operations/Sec",
		"Data Disk Read Bytes/sec", "Data Disk Write Bytes/sec"}},
	{"a disk", false, [4]string{"Composite Disk Read Operations/sec", "Composite Disk Write Operations/sec",
		"Composite Disk Read Bytes/sec", "Composite Disk Write Bytes/sec"}},
	{"a flexible server", false, [4]string{"read_iops", "write_iops", "read_throughput", "write_throughput"}},
}

const askAzure = `az monitor metrics list --resource ID --interval PT1M --aggregation Average --filter "LUN eq '*'" --metrics "Data Disk Read Operations/Sec" ` +
	`"Data Disk Write Operations/Sec" "Data Disk Read Bytes/sec" "Data Disk Write Bytes/sec"`

// azureIntervals lists the intervals in which Azure keeps metrics.
var azureIntervals = map[string]time.Duration{
	"PT1M": time.Minute, "PT5M": 5 * time.Minute, "PT15M": 15 * time.Minute, "PT30M": 30 * time.Minute,
	"PT1H": time.Hour,
}

// host converts an answer of Azure Monitor. It drops incomplete intervals.
func (a azure) host() (Host, error) {
	length := azureIntervals[a.Interval]
	if length == 0 {
		return Host{}, fmt.Errorf("invalid interval %q; use PT1M, PT5M, PT15M, PT30M or PT1H", a.Interval)
	}
	for _, set := range azureSets {
		byName := map[string]azureMetric{}
		for _, m := range a.Value {
			for _, name := range set.names {
				if strings.EqualFold(m.Name.Value, name) {
					byName[name] = m
				}
			}
		}
		if len(byName) == 0 {
			continue
		}
		var all sums
		var host Host
		for k, name := range set.names {
			m, ok := byName[name]
			if !ok {
				return host, fmt.Errorf("for %s, metric %q is missing; run %s", set.of, name, askAzure)
			}
			if m.Error != "" && m.Error != "Success" {
				return host, fmt.Errorf("metric %q has the error %s; run %s", name, m.Error, askAzure)
			}
			host.Name = cmp.Or(host.Name, machineOf(m.ID))
			for _, s := range m.Series {
				if set.split && len(s.Of) == 0 {
					return host, errors.New(name + " is not split by disk, so Azure averaged over the disks; run " + askAzure)
				}
				for _, d := range s.Data {
					if d.At.IsZero() {
						return host, errors.New(name + " has a value without a time")
					}
					if err := all.add(k, s.disk(), d.At, d.Average); err != nil {
						return host, err
					}
				}
			}
		}
		return host, host.fill(all, length)
	}
	return Host{}, errors.New("no known answer about disks; run " + askAzure)
}

// point is a disk in the interval that begins at a moment.
type point struct {
	disk string
	at   int64
}

// sum is a sum over the disks of a machine.
type sum struct {
	total  float64
	n      int
	broken bool // one of its parts is unknown
}

// sums holds a machine's four sums by the begin of the interval.
type sums struct {
	of   map[time.Time]*[4]sum
	seen [4]map[point]float64
}

// add adds a disk's number. Files of overlapping days may repeat it.
func (s *sums) add(k int, disk string, at time.Time, v *float64) error {
	if s.of == nil {
		s.of = map[time.Time]*[4]sum{}
	}
	if at = at.UTC(); s.of[at] == nil {
		s.of[at] = &[4]sum{}
	}
	if s.seen[k] == nil {
		s.seen[k] = map[point]float64{}
	}
	to := &s.of[at][k]
	if v == nil {
		to.broken = true
		return nil
	}
	if !(*v >= 0) {
		return fmt.Errorf("%g a second of disk %s at %s is more than any disk does", *v, disk, at.Format(time.RFC3339))
	}
	before, twice := s.seen[k][point{disk, at.Unix()}]
	if twice && before != *v {
		return fmt.Errorf("disk %s has two values at %s, %g and %g; leave one out", disk, at.Format(time.RFC3339), before, *v)
	}
	if !twice {
		s.seen[k][point{disk, at.Unix()}] = *v
		to.total += *v
		to.n++
	}
	return nil
}

// fill makes intervals from sums. It records incomplete intervals separately: their work is
// unknown, but the file covers them.
func (h *Host) fill(all sums, length time.Duration) error {
	if h.Name == "" {
		return errors.New("it does not name its machine")
	}
	whole := map[int64]bool{} // by time
	for at, s := range all.of {
		known := true
		for _, sum := range s {
			known = known && sum.n > 0 && !sum.broken && sum.n == s[0].n
		}
		if whole[at.Unix()] = known; known {
			h.Intervals = append(h.Intervals, Interval{at, at.Add(length), s[0].total, s[1].total, s[2].total, s[3].total})
		} else {
			h.partial = append(h.partial, span{at, at.Add(length)})
		}
	}
	slices.SortFunc(h.Intervals, func(a, b Interval) int { return a.From.Compare(b.From) })
	h.disks = map[string]int{}
	for of := range all.seen[0] {
		if whole[of.at] {
			h.disks[of.disk]++
		}
	}
	return nil
}

// machineOf returns the machine's name in a metric's ID: /…/virtualMachines/NAME/providers/Microsoft.Insights/….
func machineOf(id string) string {
	resource, _, _ := strings.Cut(id, "/providers/Microsoft.Insights/")
	return resource[strings.LastIndexByte(resource, '/')+1:]
}
