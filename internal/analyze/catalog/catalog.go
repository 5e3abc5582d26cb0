// Package catalog knows what metrics are documented to mean: on which flavor of server, in which unit, over which
// period, which traps their names set, and what runs that others published have shown of them.
//
// It is data, each row with its sources and their state; nothing here was measured by the run at hand. A name may have
// several meanings: WriteIOPS counts disk operations on RDS and log records on Aurora.
package catalog

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// Meaning is what one metric means on one flavor.
type Meaning struct {
	Metric    string   `json:"metric"`
	Service   string   `json:"service"`   // that shows it: cloudwatch, insights
	On        string   `json:"on"`        // flavor: aurora, rds, ebs
	Level     string   `json:"level"`     // instance, cluster, volume, machine
	Dimension string   `json:"dimension"` // that names the instance, cluster or volume
	Unit      string   `json:"unit"`
	Period    float64  `json:"period_seconds"` // the shortest that tells something
	Statistic string   `json:"statistic"`      // that answers how much
	Side      string   `json:"side"`           // logical, physical, or none where it is no amount of work
	Counts    string   `json:"counts"`
	Basis     Basis    `json:"basis"` // of side and counts
	Means     string   `json:"means"`
	Twin      string   `json:"twin,omitempty"` // of another service, by its name in a run file: documented or seen to show the same
	Delay     string   `json:"delay,omitempty"`
	Traps     []string `json:"traps,omitempty"`
	Shown     []Shown  `json:"shown,omitempty"`
	Sources   []string `json:"sources"` // keys
}

// Basis is what a reading of a metric rests on.
type Basis string

// What a reading may rest on.
const (
	Documented Basis = "documented" // the vendor says so
	Measured   Basis = "measured"   // others have published measurements
	Inferred   Basis = "inferred"   // it follows from other documented facts
)

// Shown is what a published run has shown of a metric.
type Shown struct {
	Text   string `json:"text"`
	Source string `json:"source"` // key
}

// Source is where a row comes from, in which state.
type Source struct {
	Key     string `json:"key"`
	Title   string `json:"title"`
	Address string `json:"address"`
	State   string `json:"state"` // date: of the text, as it was read
}

// Catalog is all meanings and their sources.
type Catalog struct {
	Meanings []Meaning
	Sources  []Source
}

//go:embed metrics.json
var metricsFile []byte

//go:embed sources.json
var sourcesFile []byte

// Read gives the catalog that is built into the program.
func Read() (Catalog, error) {
	var c Catalog
	if err := decode(metricsFile, &c.Meanings); err != nil {
		return Catalog{}, fmt.Errorf("read the catalog of metrics: %w", err)
	}
	if err := decode(sourcesFile, &c.Sources); err != nil {
		return Catalog{}, fmt.Errorf("read the sources of the catalog: %w", err)
	}
	return c, nil
}

func decode(text []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	return d.Decode(into)
}

// Of finds all meanings of a name, in whatever case it is typed and with or without the service before it:
// WriteIOPS, cloudwatch/writeiops.
func (c Catalog) Of(name string) []Meaning {
	var found []Meaning
	for _, m := range c.Meanings {
		if strings.EqualFold(name, m.Metric) || strings.EqualFold(name, m.Name()) {
			found = append(found, m)
		}
	}
	return found
}

// Twins are pairs of metrics of different services that are said to show the same on a flavor, by their names in a run file.
func (c Catalog) Twins(flavor string) (pairs [][2]string) {
	for _, m := range c.Meanings {
		if m.Twin != "" && m.On == flavor {
			pairs = append(pairs, [2]string{m.Name(), m.Twin})
		}
	}
	return pairs
}

// Name is the metric's name in a run file: cloudwatch/WriteIOPS.
func (m Meaning) Name() string { return m.Service + "/" + m.Metric }

// Source finds a source by its key.
func (c Catalog) Source(key string) (Source, bool) {
	i := slices.IndexFunc(c.Sources, func(s Source) bool { return s.Key == key })
	if i < 0 {
		return Source{}, false
	}
	return c.Sources[i], true
}
