// Package dashboard finds the metrics that the panels of a Grafana dashboard draw, in queries of Prometheus, InfluxDB,
// CloudWatch, Azure Monitor and Google Cloud. It does not say what they count.
package dashboard

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/realiops/realiops/internal/input"
)

// Panel is a panel with a query.
type Panel struct {
	Title   string
	Metrics []string // by the names in queries, each once
}

// Read returns the panels of a dashboard, as exported by Grafana or returned by its API, in order.
func Read(text []byte) ([]Panel, error) {
	var file struct {
		board
		Dashboard *board `json:"dashboard"` // in an answer of the API
	}
	if err := json.Unmarshal(text, &file); err != nil {
		return nil, fmt.Errorf("not a Grafana dashboard: %w", input.NotJSON(err))
	}
	if file.Dashboard != nil {
		file.board = *file.Dashboard
	}
	if file.Panels == nil && file.Rows == nil {
		return nil, errors.New("not a Grafana dashboard: it has no panels")
	}
	panels := file.Panels
	for _, row := range file.Rows {
		panels = append(panels, row.Panels...)
	}
	return withQueries(panels), nil
}

type board struct {
	Panels []panel `json:"panels"`
	Rows   []struct {
		Panels []panel `json:"panels"`
	} `json:"rows"` // in old versions
}

type panel struct {
	Title   string   `json:"title"`
	Targets []target `json:"targets"`
	Panels  []panel  `json:"panels"` // of a folded row
}

// target is a query, with the fields of all sources of data.
type target struct {
	Expr       string `json:"expr"`
	Namespace  string `json:"namespace"`
	MetricName string `json:"metricName"`
	Azure      struct {
		MetricName string `json:"metricName"`
	} `json:"azureMonitor"`
	Google struct {
		Filters []string `json:"filters"`
	} `json:"timeSeriesList"`
	Measurement string          `json:"measurement"` // of InfluxDB
	Select      json.RawMessage `json:"select"`      // in the editor for InfluxQL
	Query       json.RawMessage `json:"query"`       // a text in InfluxQL or Flux; others have objects
}

func withQueries(panels []panel) (all []Panel) {
	for _, p := range panels {
		read := Panel{Title: p.Title}
		for _, t := range p.Targets {
			for _, name := range t.metrics() {
				if !slices.Contains(read.Metrics, name) {
					read.Metrics = append(read.Metrics, name)
				}
			}
		}
		if len(read.Metrics) > 0 {
			all = append(all, read)
		}
		all = append(all, withQueries(p.Panels)...)
	}
	return all
}

func (t target) metrics() []string {
	names := metricsIn(t.Expr)
	if t.MetricName != "" {
		names = append(names, strings.TrimSpace(t.Namespace+" "+t.MetricName))
	}
	if t.Azure.MetricName != "" {
		names = append(names, t.Azure.MetricName)
	}
	for _, filter := range t.Google.Filters {
		if strings.Contains(filter, ".googleapis.com/") {
			names = append(names, filter)
		}
	}
	return append(names, t.influx()...)
}

var (
	influxQL    = regexp.MustCompile(`(?is)^\s*select\s+(.*?)\s+from\s+(?:"[^"]*"\.)*"?([\w.-]+)`)
	alias       = regexp.MustCompile(`(?i)\bas\s+(?:"[^"]*"|\w+)`)
	field       = regexp.MustCompile(`"([^"]+)"|\b([a-zA-Z_]\w*)\b(\s*\()?`)
	measurement = regexp.MustCompile(`_measurement["\]]*\s*==\s*"([^"]+)"`)
	fluxField   = regexp.MustCompile(`_field["\]]*\s*==\s*"([^"]+)"`)
)

// influx returns the fields of InfluxDB in a query, each after its measurement, as Telegraf writes them for Prometheus:
// diskio_writes.
func (t target) influx() (names []string) {
	var parts [][]struct {
		Type   string `json:"type"`
		Params []any  `json:"params"`
	}
	var text string
	if json.Unmarshal(t.Select, &parts) != nil {
		parts = nil
	}
	if json.Unmarshal(t.Query, &text) != nil {
		text = ""
	}
	for _, part := range slices.Concat(parts...) {
		if part.Type == "field" && len(part.Params) > 0 && t.Measurement != "" {
			names = append(names, fmt.Sprintf("%s_%v", t.Measurement, part.Params[0]))
		}
	}
	if query := influxQL.FindStringSubmatch(text); query != nil {
		for _, found := range field.FindAllStringSubmatch(alias.ReplaceAllString(query[1], ""), -1) {
			if found[3] == "" { // no function
				names = append(names, query[2]+"_"+found[1]+found[2])
			}
		}
	}
	for _, of := range measurement.FindAllStringSubmatch(text, -1) {
		for _, found := range fluxField.FindAllStringSubmatch(text, -1) {
			names = append(names, of[1]+"_"+found[1])
		}
	}
	return names
}

var (
	quoted   = regexp.MustCompile(`"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|` + "`[^`]*`")
	apart    = regexp.MustCompile(`\{[^}]*\}|\[[^\]]*\]`) // labels, times
	grouping = regexp.MustCompile(`\b(?:by|without|on|ignoring|group_left|group_right)\s*\([^)]*\)`)
	name     = regexp.MustCompile(`\b[a-zA-Z_:][a-zA-Z0-9_:]*\s*\(?`)
)

// operators are words of PromQL that may stand where a metric may.
var operators = []string{"and", "or", "unless", "bool", "offset", "by", "without", "on", "ignoring", "group_left",
	"group_right", "inf", "nan"}

func metricsIn(expression string) (names []string) {
	bare := grouping.ReplaceAllString(apart.ReplaceAllString(quoted.ReplaceAllString(expression, ""), ""), "")
	for _, found := range name.FindAllString(bare, -1) {
		if word := strings.TrimSpace(found); !strings.HasSuffix(word, "(") &&
			!slices.Contains(operators, strings.ToLower(word)) {
			names = append(names, word)
		}
	}
	return names
}
