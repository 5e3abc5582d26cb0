package diagnosis

import (
	"fmt"
	"slices"
	"strings"

	"github.com/realiops/realiops/internal/analyze/document"
	"github.com/realiops/realiops/internal/analyze/number"
	"github.com/realiops/realiops/internal/metric"
	"github.com/realiops/realiops/internal/printable"
)

// StoreSchema names the version of a [Store]'s JSON.
const StoreSchema = "realiops.store/1"

// Store lists the conclusions that the history in a store of metrics could support, server by server.
type Store struct {
	Schema  string   `json:"schema"`
	Servers []Stored `json:"servers"`
}

// Stored describes a store's history of one server.
type Stored struct {
	Machine   string   `json:"machine"`
	Instances []string `json:"instances"`
	Exporters []string `json:"exporters"`
	Devices   []string `json:"devices"`
	Samples   int      `json:"samples"`
	Sizes     bool     `json:"sizes"`    // it has the storage's work
	Verdicts  bool     `json:"verdicts"` // it has work on both sides, so that metrics may be told apart
	Lacks     []Lack   `json:"lacks"`
}

// Lack is data that a store does not have of a server, and how to get it.
type Lack struct {
	What   string `json:"what"`
	Remedy string `json:"remedy"`
}

// want is data that conclusions need.
type want struct {
	purpose, remedy string
	metrics         []string
	physical        bool
}

// wants returns the data that conclusions need.
func wants() []want {
	const wal = "CloudNativePG's own exporter shows pg_stat_wal, and so do pg_exporter, and postgres_exporter with " +
		"the queries of docs/reference/stores.md (--extend.query-path)"
	return []want{
		{"rows and commits", "run postgres_exporter beside the server: its collector stat_database is on by default",
			[]string{metric.CommitsOfAll, metric.ClusterTupInserted}, false},
		{"WAL records and bytes", wal, []string{metric.StatWALRecords, metric.StatWALBytes}, false},
		{"WAL writes and fsyncs", wal + "; from PostgreSQL 18 on they are in pg_stat_io",
			[]string{metric.StatWALWrite, metric.StatWALSync}, true},
		{"pages written by checkpoints", "start postgres_exporter with --collector.stat_checkpointer, which " +
			"PostgreSQL 17 and later take", []string{metric.CheckpointerBuffersWritten}, true},
		{"device requests and bytes",
			"run node_exporter on the server's machine: its collector diskstats is on by default",
			deviceMetrics(), true},
		{"device flushes", "node_exporter shows them on Linux 5.5 and later", []string{metric.BlockFlushes}, true},
	}
}

// varies names the condition that no survey of names can check.
const varies = "verdicts: all metrics that they need are there. They also need three kinds of load, each for at " +
	"least fifteen scrapes; realiops history says which it found."

func deviceMetrics() []string { return []string{metric.BlockWrites, metric.BlockWriteBytes} }

// NewStored returns what a server's metrics in a store allow.
func NewStored(s Stored, metrics []string) Stored {
	has := func(names []string) bool {
		return !slices.ContainsFunc(names, func(name string) bool { return !slices.Contains(metrics, name) })
	}
	logical, physical := false, false
	for _, w := range wants() {
		if !has(w.metrics) {
			s.Lacks = append(s.Lacks, Lack{w.purpose, w.remedy})
			continue
		}
		logical, physical = logical || !w.physical, physical || w.physical
	}
	s.Sizes, s.Verdicts = has(deviceMetrics()), logical && physical
	return s
}

// Concludes reports whether some server's history allows a conclusion.
func (s Store) Concludes() bool {
	return slices.ContainsFunc(s.Servers, func(server Stored) bool { return server.Sizes || server.Verdicts })
}

// Document renders the store as text.
func (s Store) Document() document.Document {
	t := document.Table{Columns: []document.Column{{Header: "machine", Words: true}, {Header: "exporters", Words: true},
		{Header: "samples"}, {Header: "size", Words: true}, {Header: "verdicts", Words: true}}}
	yes := map[bool]string{true: "yes", false: "no"}
	lacks := map[Lack][]string{}
	var order []Lack
	for _, server := range s.Servers {
		t.Rows = append(t.Rows, document.Row{
			Cells: []document.Cell{document.Name(server.Machine), document.Words(strings.Join(server.Exporters, ", ")),
				document.Number(number.Grouped(float64(server.Samples), 0), float64(server.Samples)),
				document.Words(yes[server.Sizes]), document.Words(yes[server.Verdicts])}})
		for _, lack := range server.Lacks {
			if lacks[lack] == nil {
				order = append(order, lack)
			}
			lacks[lack] = append(lacks[lack], server.Machine)
		}
	}
	d := document.Document{Title: "What a store of metrics could conclude", Heading: "What a store of metrics could " +
		"conclude", Blocks: []document.Block{t, document.Notes{}, document.Paragraph{Style: document.Faint,
		Text: varies}}}
	var points document.Points
	for _, lack := range order {
		points = append(points, document.Point{Text: lack.What + ": " + whom(lacks[lack], len(s.Servers)),
			Below: []string{lack.Remedy + "."}})
	}
	if len(points) > 0 {
		d.Blocks = append(d.Blocks, document.Titled("What is missing, and how to get it", points))
	}
	return d
}

// whom names the servers that lack something.
func whom(machines []string, all int) string {
	if len(machines) == all && all > 1 {
		return fmt.Sprintf("of all %d", all)
	}
	return "of " + printable.Listed(machines)
}
