package sizing

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/realiops/realiops/internal/analyze/catalog"
)

// Cap is what the class of machine lets through, beside what the volume does.
type Cap struct {
	Instance catalog.Instance
	Path           // past any cache of the host, which is the way of all writes
	Burst    *Path // while both have credits, which the machine has for half an hour a day at least; nil: it does not burst
	Cached   *Path // by the host's cache; nil: the machine or the volume has no such way
	Carries  bool  // the first one does
}

// Path is what goes one way to volumes, for good: operations and bytes apart, the less of the volumes' sum and of the
// machine's cap.
type Path struct {
	IOPS, MiBps float64
	Binds       string // volume or instance
}

// machine finds a class of instance, in any case, with db. before it or without.
func machine(class string, all []catalog.Instance) (*catalog.Instance, error) {
	if class == "" {
		return nil, nil //nolint:nilnil // no machine is asked for
	}
	name := strings.TrimPrefix(class, "db.")
	i := slices.IndexFunc(all, func(m catalog.Instance) bool {
		return strings.EqualFold(m.Class, name) || strings.EqualFold(m.Class, "Standard_"+name)
	})
	if i < 0 {
		return nil, &UnknownInstance{Class: class, Known: all}
	}
	return &all[i], nil
}

// UnknownInstance is a class of machine that the catalog does not have.
type UnknownInstance struct {
	Class string
	Known []catalog.Instance
}

func (e *UnknownInstance) Error() string {
	return fmt.Sprintf("no limits are known of the instance class %s", e.Class)
}

// behind tells whether a kind of volume can be behind a class of machine.
func behind(m catalog.Instance, v catalog.Volume) bool {
	return m.Provider == v.Provider || m.Provider == "ebs" && v.Provider == "rds"
}

// capped holds an order against the machine: both must let a need through.
func capped(m catalog.Instance, f Fitted, need Requirement) *Cap {
	c := &Cap{Instance: m, Path: Through(m.BaseIOPS, m.BaseMB, f.Capacity)}
	if m.Bursts {
		fast := Capacity{IOPS: f.Capacity.BurstIOPS, MiBps: f.Capacity.BurstMiBps}
		c.Burst = new(Through(m.MostIOPS, m.MostMB, fast))
	}
	if m.Cached != nil && f.Volume.HostCache {
		c.Cached = new(Through(m.Cached.IOPS, m.Cached.MB, f.Capacity))
	}
	c.Carries = c.IOPS >= need.IOPS && c.MiBps >= need.MiBps
	return c
}

// Through is what volumes let through together on one way, of which the machine lets so many operations and MB (10^6) a
// second by. NaN is not known, and no bound.
func Through(iops, mb float64, volumes ...Capacity) Path {
	var sum Capacity
	for _, v := range volumes {
		sum.IOPS, sum.MiBps = sum.IOPS+v.IOPS, sum.MiBps+v.MiBps
	}
	const megabyte = 1e6
	capIOPS, capMiBps := bound(iops), bound(mb*megabyte/mib)
	p := Path{IOPS: min(sum.IOPS, capIOPS), MiBps: min(sum.MiBps, capMiBps), Binds: "volume"}
	if capIOPS < sum.IOPS || capMiBps < sum.MiBps {
		p.Binds = "instance"
	}
	return p
}

func bound(v float64) float64 {
	if math.IsNaN(v) {
		return math.Inf(1)
	}
	return v
}
