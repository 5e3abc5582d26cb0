package metric

import (
	"cmp"
	_ "embed" // cloud.json
	"encoding/json"
	"fmt"
	"slices"
	"sync"
)

// Meanings returns everything documented about metrics of cloud services, and what others have published about them.
func Meanings() (all []Meaning) {
	for _, g := range fromFile().Groups {
		all = append(all, g.meanings()...)
	}
	return all
}

// MeaningsOf returns the meanings of a metric by any of its names: WriteIOPS, cloudwatch/WriteIOPS, CloudWatch
// WriteIOPS.
func MeaningsOf(typed string) []Meaning {
	var rows Table
	for _, m := range Meanings() {
		rows = append(rows, m.Row())
	}
	names := rows.Named(typed)
	return slices.DeleteFunc(Meanings(), func(m Meaning) bool { return !slices.Contains(names, m.Name()) })
}

// SameNumbers returns pairs of metrics of different services that are said to be the same number on a flavor, by their
// names in a run file.
func SameNumbers(flavor string) (pairs [][2]string) {
	for _, m := range Meanings() {
		if m.SameAs != "" && m.On == flavor {
			pairs = append(pairs, [2]string{m.Name(), m.SameAs})
		}
	}
	return pairs
}

// cloud returns the metrics of cloud services that probes read.
func cloud() (rows []Metric) {
	for _, m := range Meanings() {
		if !m.Unread {
			rows = append(rows, m.Row())
		}
	}
	return rows
}

// cloudFile is cloud.json: the documented meanings of cloud metrics, what others published about them, and the sources
// of meanings, prices and limits.
type cloudFile struct {
	Sources []Source     `json:"sources"`
	Groups  []cloudGroup `json:"groups"`
}

// cloudGroup holds the metrics of one service, at one level, for one flavor of server.
type cloudGroup struct {
	Service   string     `json:"service"`
	On        string     `json:"on"`
	Level     string     `json:"level"`
	Dimension string     `json:"dimension"`
	Metrics   []cloudRow `json:"metrics"`
}

// cloudRow is a metric in the file, without the values that its group shares, and with those that realiops explain
// never shows.
type cloudRow struct {
	Meaning
	Says       Quantity `json:"says,omitempty"`
	Statistics []string `json:"statistics,omitempty"`
	Only       Having   `json:"only,omitempty"`
	Unread     bool     `json:"unread,omitempty"`
	Caveat     string   `json:"caveat,omitempty"`
	UnderLoad  bool     `json:"only_under_load,omitempty"`
}

//go:embed cloud.json
var cloudJSON []byte

// fromFile parses cloud.json, which is embedded.
var fromFile = sync.OnceValue(func() (f cloudFile) {
	if err := json.Unmarshal(cloudJSON, &f); err != nil {
		panic(fmt.Sprintf("cloud.json: %v", err)) // a test parses it
	}
	return f
})

func (g cloudGroup) meanings() (all []Meaning) {
	for _, r := range g.Metrics {
		m := r.Meaning
		m.Service, m.On, m.Level, m.Dimension = g.Service, g.On, g.Level, g.Dimension
		m.Says, m.Statistics, m.Only, m.Unread, m.Caveat, m.UnderLoad = r.Says, r.Statistics, r.Only, r.Unread,
			r.Caveat, r.UnderLoad
		m.Statistic = "avg"
		if g.Service == CloudWatch {
			m.Statistic, m.Delay = m.Statistics[0], "a new point may be missing or too low for ten minutes and more"
		}
		m.Period = cmp.Or(m.Period, Minute)
		all = append(all, m)
	}
	return all
}

// Source is the origin of a row, and the state in which it was read.
type Source struct {
	Key     string `json:"key"`
	Title   string `json:"title"`
	Address string `json:"address"`
	State   string `json:"state"` // date: of the text, as read
}

// SourceOf returns the source with the given key.
func SourceOf(key string) (Source, bool) {
	for _, s := range Sources() {
		if s.Key == key {
			return s, true
		}
	}
	return Source{}, false
}

// Sources returns the sources of the meanings of metrics, the limits of volumes and the prices.
func Sources() []Source { return slices.Concat(fromFile().Sources, dictionary().Sources) }
