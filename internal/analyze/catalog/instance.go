package catalog

import (
	_ "embed"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
)

// Instance holds the limits of a machine class for its volumes, or RDS's offer with it, as a separate row under the
// name with db.
type Instance struct {
	Class       string  `json:"class"`
	Provider    string  `json:"provider"`
	BaseIOPS    float64 `json:"base_iops,omitempty"`
	MostIOPS    float64 `json:"most_iops,omitempty"`
	BaseMB      float64 `json:"base_mb"` // 10^6 bytes per second
	MostMB      float64 `json:"most_mb,omitempty"`
	Bursts      bool    `json:"bursts,omitempty"`      // the maximum holds for at least 30 minutes in 24 hours
	Unpublished bool    `json:"unpublished,omitempty"` // the class exists, but its provider publishes no limits
	Disks       int     `json:"disks,omitempty"`       // data disks that it can have; 0: unknown
	Sold        []Sold  `json:"sold,omitempty"`        // with a class of RDS; none: unknown
	// through the host's cache instead of past it; nil: it has none
	Cached  *Path    `json:"cached,omitempty"`
	Sources []string `json:"sources"`
}

// Path is one way to the volumes with its own caps.
type Path struct {
	IOPS float64 `json:"iops"`
	MB   float64 `json:"mb"` // 10^6 bytes per second
}

// Sold holds the smallest and the largest values of a volume type offered with a machine class. If both are 0, none are
// published.
type Sold struct {
	Volume string     `json:"volume"` // name in Volumes
	GiB    [2]float64 `json:"gib"`
	IOPS   [2]float64 `json:"iops"`
	MiBps  [2]float64 `json:"mibps"`
}

//go:embed instances.json
var instancesFile []byte

// Instances returns all machine classes.
func Instances() []Instance { return decode[Instance](instancesFile) }

// ReadLimits parses a list of machine classes in the program's own format.
func ReadLimits(r io.Reader) ([]Instance, error) {
	all, err := readList[Instance](r, "limits")
	if err != nil {
		return nil, err
	}
	for i, m := range all {
		if err := m.check(); err != nil {
			return nil, fmt.Errorf("class %d, %s: %w", i+1, m.Class, err)
		}
	}
	return all, nil
}

// Before returns the first list followed by the second, without the second's classes that the first has.
func Before(first, second []Instance) []Instance {
	known := map[string]bool{}
	for _, m := range first {
		known[strings.ToLower(m.Class)] = true
	}
	return append(slices.Clone(first), slices.DeleteFunc(slices.Clone(second), func(m Instance) bool {
		return known[strings.ToLower(m.Class)]
	})...)
}

func (m Instance) check() error {
	switch {
	case m.Class == "" || !slices.Contains([]string{"ebs", "rds", "azure"}, m.Provider):
		return errors.New("class is required, and provider must be ebs, rds or azure")
	case m.Provider == "rds":
		return m.checkSold()
	case m.Unpublished:
		return nil
	case !(m.BaseIOPS > 0 && m.BaseMB > 0):
		return errors.New("base_iops and base_mb must be above 0, unless the limits are unpublished")
	case m.MostIOPS > absurdAmount || m.MostMB > absurdAmount:
		return errors.New("most_iops or most_mb is more than any machine can do")
	case m.MostIOPS < m.BaseIOPS || m.MostMB < m.BaseMB:
		return errors.New("most_iops and most_mb must be at least base_iops and base_mb")
	}
	return nil
}

// checkSold returns an error for values that no class of RDS can have.
func (m Instance) checkSold() error {
	if !strings.HasPrefix(m.Class, "db.") || len(m.Sold) == 0 {
		return errors.New("an RDS class must begin with db. and list the storage sold with it")
	}
	for _, s := range m.Sold {
		for name, r := range map[string][2]float64{"gib": s.GiB, "iops": s.IOPS, "mibps": s.MiBps} {
			if r[0] < 0 || r[1] < r[0] || r[1] > absurdAmount {
				return fmt.Errorf("%s of %s goes from %g to %g; put the lower number first", name, s.Volume, r[0], r[1])
			}
		}
	}
	return nil
}

// Bare returns a machine class without its provider's prefix, db. or Standard_.
func Bare(class string) string {
	for _, before := range []string{"db.", "standard_"} {
		if len(class) > len(before) && strings.EqualFold(class[:len(before)], before) {
			return class[len(before):]
		}
	}
	return class
}

// googleClass matches Google's machine types: n2-standard-8, e2-medium, n2-custom-4-8192.
var googleClass = regexp.MustCompile(`^(?i)([a-z]\d{1,2}[a-z]{0,2}-)?` +
	`(standard|high[a-z]+|mega[a-z]+|ultra[a-z]+|hyper[a-z]+|edge[a-z]+|max[a-z]+|custom|micro|small|medium|metal)(-.*)?$`)

// azureClass matches Azure's sizes, with and without Standard_: D8s_v5.
var azureClass = regexp.MustCompile(`^(?i)(standard_[a-z]+\d+[a-z0-9_-]*|[a-z]{1,3}\d+[a-z0-9-]*(_v\d+)?)$`)

// ProviderOf returns the provider of a machine class's volumes: rds with db. before it, ebs, azure or google.
func ProviderOf(class string) string {
	switch {
	case len(class) > 3 && strings.EqualFold(class[:3], "db."):
		return "rds"
	case strings.Contains(class, "."):
		return "ebs"
	case googleClass.MatchString(class):
		return "google"
	case azureClass.MatchString(class):
		return "azure"
	}
	return ""
}

// MachineOf describes a class by the provider of its volumes.
func MachineOf(provider string) string {
	switch provider {
	case "ebs":
		return "a machine of EC2"
	case "rds":
		return "a class of RDS or Aurora"
	}
	return "a machine of " + CloudOf(provider).Title()
}

// Family returns a class without its size: m7g for m7g.4xlarge, DSv2 for DS13_v2.
func (m Instance) Family() string {
	if m.Provider == "azure" {
		return regexp.MustCompile(`\d+(_|$)`).ReplaceAllString(Bare(m.Class), "$1")
	}
	family, _, _ := strings.Cut(Bare(m.Class), ".")
	return strings.ToLower(family)
}

// BeforeNitro reports whether a class is of a family without AWS's Nitro system, which limits volumes to 32,000 IOPS.
func (m Instance) BeforeNitro() bool {
	old := []string{"c1", "c3", "c4", "d2", "f1", "g3", "g3s", "h1", "i2", "i3", "m1", "m2", "m3", "m4", "p2", "p3",
		"r3", "r4", "t1", "t2", "x1", "x1e"}
	return m.Provider == "ebs" && slices.Contains(old, m.Family()) && !strings.HasSuffix(m.Class, ".metal")
}
