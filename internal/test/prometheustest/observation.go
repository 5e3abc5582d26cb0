package prometheustest

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/realiops/realiops/internal/measure/history/prometheus"
	"github.com/realiops/realiops/internal/runfile"
)

// exported returns the mapping's rows for exporting an observation of version 17, by our names.
func exported() map[string]prometheus.Row {
	rows := map[string]prometheus.Row{}
	for _, row := range prometheus.Mapping() {
		// if several exporters have a metric, one exports it; on 17 the metrics of 17
		others := []string{prometheus.PgExporter, prometheus.PgWatch, prometheus.PostgresReceiver,
			prometheus.HostMetrics}
		if !slices.Contains(others, row.Exporter) && row.Versions != "up to 16" {
			rows[row.Ours] = row
		}
	}
	return rows
}

// labelsOf returns the labels of an exporter's series. Rows of all databases are split into two.
func labelsOf(row prometheus.Row) (all []string) {
	switch row.Exporter {
	case prometheus.NodeExporter:
		return []string{`instance="db1:9100",device="vda"`}
	case prometheus.CloudNativePG:
		return []string{`instance="db1:9187",stats_reset="2026-11-01"`}
	}
	if row.Sum == "datname" {
		return []string{`instance="db1:9187",datname="app"`, `instance="db1:9187",datname="postgres"`}
	}
	return []string{`instance="db1:9187"`}
}

// Observation returns a run file's observation as exporters would show it, and the observation reduced to the same
// content, at the times that a store keeps.
func Observation(t testing.TB, observed string) (planted []Series, same []runfile.Record, last time.Time) {
	t.Helper()
	records, file, err := runfile.OpenRows(observed)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	rows, series := exported(), map[string]*Series{}
	for record, err := range records {
		if err != nil {
			t.Fatal(err)
		}
		switch r := record.(type) {
		case runfile.Row:
			reading := r.Reading()
			reading.At, last = r.At.Truncate(time.Millisecond), r.At
			for name, value := range reading.Values {
				if row, is := rows[name]; is {
					export(series, row, reading.At, value)
				} else {
					delete(reading.Values, name)
				}
			}
			same = append(same, reading)
		case runfile.Metric:
			if _, is := rows[r.Name]; is {
				same = append(same, r)
			}
		case runfile.Run, runfile.Ended:
			same = append(same, r)
		}
	}
	version := Series{Name: "pg_static", Labels: `instance="db1:9187",short_version="17.11.0"`,
		Samples: []Sample{{At: last.Truncate(time.Minute), Value: 1}}}
	planted = append(planted, version)
	for _, s := range series {
		planted = append(planted, *s)
	}
	slices.SortFunc(planted, func(a, b Series) int { return strings.Compare(a.Name+a.Labels, b.Name+b.Labels) })
	return planted, same, last
}

// export adds a value to the series of a row. If the row adds several up, two have half of it each.
func export(series map[string]*Series, row prometheus.Row, at time.Time, value float64) {
	all := labelsOf(row)
	shares := []float64{value}
	if len(all) > 1 {
		shares = []float64{value / 2, value / 2}
	}
	for i, labels := range all {
		key := row.Name + labels
		if series[key] == nil {
			series[key] = &Series{Name: row.Name, Labels: labels}
		}
		series[key].Samples = append(series[key].Samples, Sample{At: at, Value: shares[i]})
	}
}
