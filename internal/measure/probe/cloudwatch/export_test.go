package cloudwatch

import (
	"cmp"
	"slices"

	"github.com/realiops/realiops/internal/runfile"
)

// What the table says, for a test that holds it against the catalog.

// Row is one line of the table.
type Row struct {
	On, Name, Level, Dimension, Unit, Type string
	Period                                 int
	Statistic                              string
	Scale                                  float64
	Counts, Source                         string
}

// Table is all of it.
func Table() []Row {
	var all []Row
	for _, f := range []flavor{aurora, rds, ebs} {
		for _, r := range rows(f) {
			all = append(all, Row{
				string(f), r.name, string(r.level), r.level.dimension(), r.unit, string(r.kind), r.period, r.statistics[0], cmp.Or(r.scale, 1), r.counts, f.source(),
			})
		}
	}
	return all
}

// Names lists what can be asked for of a server, as CloudWatch writes it.
func Names(cloud runfile.Cloud) []string {
	var names []string
	for _, s := range of(cloud) {
		if !slices.Contains(names, s.name) {
			names = append(names, s.name)
		}
	}
	return names
}
