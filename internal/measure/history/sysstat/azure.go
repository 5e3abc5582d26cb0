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
	Series []struct {
		Of   []struct{} `json:"metadatavalues"` // the disk; none: it is the mean over all of them
		Data []struct {
			At      time.Time `json:"timeStamp"`
			Average *float64  `json:"average"`
		} `json:"data"`
	} `json:"timeseries"`
}

// azureSets are the metrics of the disks of a machine, of one disk, and of a flexible server: reads, writes, and bytes
// of both. Those of a machine's data disks are means over its disks, where they are not asked for disk by disk.
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

// host returns what an answer of Azure Monitor says of a machine. A minute of which a part is missing is left out.
func (a azure) host() (Host, error) {
	length := azureIntervals[a.Interval]
	if length == 0 {
		return Host{}, fmt.Errorf("its interval %q is none of PT1M, PT5M, PT15M, PT30M and PT1H", a.Interval)
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
		sums := map[time.Time]*[4]sum{}
		var host Host
		for k, name := range set.names {
			m, ok := byName[name]
			if !ok {
				return host, fmt.Errorf("of %s the metric %q is missing: ask %s", set.of, name, askAzure)
			}
			host.Name = cmp.Or(host.Name, machineOf(m.ID))
			for _, s := range m.Series {
				if set.split && len(s.Of) == 0 {
					return host,
						errors.New(name + " is not told disk by disk, so Azure took the mean over the disks: ask " +
							askAzure)
				}
				for _, d := range s.Data {
					if sums[d.At] == nil {
						sums[d.At] = &[4]sum{}
					}
					sums[d.At][k].add(d.Average)
				}
			}
		}
		return host, host.fill(sums, length)
	}
	return Host{}, errors.New("it is not an answer about disks that is known: ask " + askAzure)
}

type sum struct {
	total  float64
	n      int
	broken bool // of one nothing is known
}

func (s *sum) add(v *float64) {
	if v == nil {
		s.broken = true
		return
	}
	s.total += *v
	s.n++
}

// fill makes intervals of sums that began at moments; those in which anything is missing are left out.
func (h *Host) fill(sums map[time.Time]*[4]sum, length time.Duration) error {
	if h.Name == "" {
		return errors.New("it does not say which machine it is about")
	}
	for at, s := range sums {
		whole := true
		for _, sum := range s {
			whole = whole && sum.n > 0 && !sum.broken && sum.n == s[0].n
		}
		if whole {
			h.Intervals = append(h.Intervals, Interval{at.UTC(), at.UTC().Add(length), s[0].total, s[1].total,
				s[2].total, s[3].total})
		}
	}
	slices.SortFunc(h.Intervals, func(a, b Interval) int { return a.From.Compare(b.From) })
	return nil
}

// machineOf returns the name in the middle of the identity of a metric:
// /…/virtualMachines/NAME/providers/Microsoft.Insights/….
func machineOf(id string) string {
	resource, _, _ := strings.Cut(id, "/providers/Microsoft.Insights/")
	return resource[strings.LastIndexByte(resource, '/')+1:]
}
