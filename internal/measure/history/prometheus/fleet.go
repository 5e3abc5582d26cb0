package prometheus

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	v1 "github.com/prometheus/client_golang/api/prometheus/v1"
	"github.com/prometheus/common/model"

	"github.com/realiops/realiops/internal/measure/fleet"
	"github.com/realiops/realiops/internal/measure/history"
	"github.com/realiops/realiops/internal/metric"
	"github.com/realiops/realiops/internal/runfile"
)

// Fleet is all databases of a store. It has the store add up and find the highest: 1,000 databases by 30 days of scrapes are more than
// anybody wants to have sent.
type Fleet struct {
	store   *Store
	query   Query
	members map[string]member // by name
}

// member is how a store knows a database.
type member struct {
	of    scraped
	value string // of the label
}

// scraped is what an exporter tells of databases, each by the value of a label.
type scraped struct {
	probe   string
	label   string
	exists  string // a metric that each of them has
	samples string // one whose samples tell how much of an hour is known
	among   string // label matchers that all queries have
	parts   []hourly
}

// hourly is a metric of ours, and by which query the store makes an hour of it. In a query METRIC is the series with their labels, and
// LABEL that by which databases are told apart.
type hourly struct {
	ours, name, statistic, query string
}

// wholeDisks are the devices that are no part of another one, and not made of others.
const wholeDisks = `device!~"(dm-|md|loop|zram|ram|sr|fd|nbd).*"`

// A range of 59m59s999ms has not both samples at its ends, which older versions of Prometheus take for its own; those of a counter are
// both wanted. Several replicas of a Prometheus, and several jobs, may scrape the same: the highest of what is the same counts once.
const (
	meanRate = `sum by (LABEL) (max by (LABEL,device) (rate(METRIC[1h])))`
	mostRate = `max_over_time((sum by (LABEL) (max by (LABEL,device) (rate(METRIC[5m]))))[1h:5m])`
	mean     = `max by (LABEL) (avg_over_time(METRIC[59m59s999ms]))`
	most     = `max by (LABEL) (max_over_time(METRIC[59m59s999ms]))`
	least    = `min by (LABEL) (min_over_time(METRIC[59m59s999ms]))`
)

// disks are what node_exporter tells of a machine.
func disks() scraped {
	s := scraped{probe: "block", label: "instance", exists: "node_disk_writes_completed_total", samples: "node_disk_writes_completed_total", among: wholeDisks}
	for _, m := range [][2]string{{"block/reads", "node_disk_reads_completed_total"}, {"block/writes", "node_disk_writes_completed_total"},
		{"block/read_bytes", "node_disk_read_bytes_total"}, {"block/write_bytes", "node_disk_written_bytes_total"}} {
		s.parts = append(s.parts, hourly{m[0], m[1], runfile.Average, meanRate}, hourly{m[0], m[1], runfile.Maximum, mostRate})
	}
	return s
}

// handedOn is what exporters of CloudWatch tell of an instance of RDS, or of Aurora, which they do not tell apart; the label is YACE's,
// cloudwatch_exporter's or rds_exporter's. They stamp the time of the scrape, and may show one value twice, which means over an
// hour bear.
func handedOn(label string) scraped {
	s := scraped{probe: metric.CloudWatch, label: label, exists: "aws_rds_write_iops_average", samples: "aws_rds_write_iops_average", among: label + `!=""`}
	for _, m := range [][2]string{{"ReadIOPS", "read_iops"}, {"WriteIOPS", "write_iops"}, {"ReadThroughput", "read_throughput"}, {"WriteThroughput", "write_throughput"}} {
		ours, name := metric.CloudWatch+"/"+m[0], "aws_rds_"+m[1]+"_average"
		s.parts = append(s.parts, hourly{ours, name, runfile.Average, mean}, hourly{ours, name, runfile.Maximum, most})
	}
	s.parts = append(s.parts, hourly{metric.CloudWatch + "/BurstBalance", "aws_rds_burst_balance_average", runfile.Minimum, least})
	return s
}

// instanceLabels are by which label exporters of CloudWatch name an instance.
var instanceLabels = []string{"dimension_DBInstanceIdentifier", "dbinstance_identifier"}

// NewFleet is the fleet of a store; the query picks by label matchers and says when.
func NewFleet(s *Store, q Query) *Fleet { return &Fleet{s, q, map[string]member{}} }

// AtOnce is how many are asked for in a query.
func (f *Fleet) AtOnce() int { return 20 }

// Queries is how many queries so many databases take.
func (f *Fleet) Queries(databases int) int {
	batches := (databases + f.AtOnce() - 1) / f.AtOnce()
	return batches * (1 + len(disks().parts))
}

// mostDatabases bounds a fleet.
const mostDatabases = 10_000

// Databases are all of the store: instances that exporters of CloudWatch tell of, and machines on which an exporter of PostgreSQL runs.
func (f *Fleet) Databases(ctx context.Context) ([]fleet.Database, error) {
	all, err := f.Instances(ctx)
	if err != nil {
		return nil, err
	}
	machines, err := f.machines(ctx)
	if err != nil {
		return nil, err
	}
	if all = append(all, machines...); len(all) > mostDatabases {
		return nil, fmt.Errorf("%s has more than %d databases, which is the most that is ranked: pick some with --server and --host", f.store.host, mostDatabases)
	}
	slices.SortFunc(all, func(a, b fleet.Database) int { return strings.Compare(a.Name, b.Name) })
	return all, nil
}

// Instances are those that exporters of CloudWatch tell of.
func (f *Fleet) Instances(ctx context.Context) (all []fleet.Database, err error) {
	for _, label := range instanceLabels {
		names, err := f.store.values(ctx, f.query, model.LabelName(label), selector("aws_rds_write_iops_average", f.query.Server), mostDatabases+1)
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			all = f.add(all, name, member{handedOn(label), name}, runfile.Target{Kind: "history", Flavor: "postgres", Host: name})
		}
	}
	return all, nil
}

func (f *Fleet) add(all []fleet.Database, name string, m member, target runfile.Target) []fleet.Database {
	if _, twice := f.members[name]; twice {
		return all
	}
	f.members[name] = m
	return append(all, fleet.Database{Name: name, Target: target})
}

// machines are those with an exporter of PostgreSQL, by the address without the port. One without node_exporter is there too: what its
// storage did is what is missing of it.
func (f *Fleet) machines(ctx context.Context) (all []fleet.Database, err error) {
	devices, err := f.devices(ctx)
	if err != nil {
		return nil, err
	}
	for _, name := range []string{"pg_stat_database_xact_commit", "cnpg_collector_wal_records", "pg_wal_records"} {
		instances, err := f.store.values(ctx, f.query, model.InstanceLabel, selector(name, f.query.Server), mostDatabases+1)
		if err != nil {
			return nil, err
		}
		for _, instance := range instances {
			machine, _, _ := strings.Cut(instance, ":")
			disk := devices[machine]
			target := runfile.Target{Kind: "history", Flavor: "postgres", Host: machine, Storage: runfile.Storage{Device: strings.Join(disk.devices, "+")}}
			all = f.add(all, machine, member{disks(), disk.instance}, target)
		}
	}
	return all, nil
}

// disk is what node_exporter is called on a machine, and its devices.
type disk struct {
	instance string
	devices  []string
}

func (f *Fleet) devices(ctx context.Context) (map[string]disk, error) {
	const mostDisks = 10 * mostDatabases
	sets, err := f.store.series(ctx, f.query, selector("node_disk_writes_completed_total", wholeDisks, f.query.Host), mostDisks)
	if err != nil {
		return nil, err
	}
	if len(sets) >= mostDisks {
		return nil, fmt.Errorf("%s has %d disks and more: pick some with --host", f.store.host, mostDisks)
	}
	all := map[string]disk{}
	for _, set := range sets {
		instance := string(set[model.InstanceLabel])
		machine, _, _ := strings.Cut(instance, ":")
		d := all[machine]
		if d.instance = instance; !slices.Contains(d.devices, string(set[deviceLabel])) {
			d.devices = append(d.devices, string(set[deviceLabel]))
			slices.Sort(d.devices)
		}
		all[machine] = d
	}
	return all, nil
}

// selector is of a metric, with label matchers of which some may be empty.
func selector(name string, matchers ...string) string {
	all := slices.DeleteFunc(matchers, func(m string) bool { return m == "" })
	return name + "{" + strings.Join(all, ",") + "}"
}

// Hours are what the store kept of some databases.
func (f *Fleet) Hours(ctx context.Context, some []fleet.Database, from, to time.Time) ([]history.Told, error) {
	told := make([]history.Told, len(some))
	byKind := map[string][]int{}
	for i, one := range some {
		m := f.members[one.Name]
		if m.value == "" {
			told[i].Gaps = append(told[i].Gaps, runfile.Gap{At: from, Probe: m.of.probe, Reason: runfile.Absent,
				Detail: "node_exporter does not run on its machine, or goes by another name: what its storage did is not known"})
			continue
		}
		byKind[m.of.label] = append(byKind[m.of.label], i)
	}
	for _, places := range byKind {
		b := batch{fleet: f, from: from, to: to, told: map[string]*history.Told{}}
		b.of = f.members[some[places[0]].Name].of
		for _, i := range places {
			b.told[f.members[some[i].Name].value] = &told[i]
		}
		if err := b.ask(ctx); err != nil {
			return nil, err
		}
	}
	return told, nil
}

// batch is some databases of one exporter being asked for.
type batch struct {
	fleet    *Fleet
	of       scraped
	from, to time.Time
	told     map[string]*history.Told // by the value of the label
}

func (b *batch) ask(ctx context.Context) error {
	samples, err := b.hours(ctx, b.of.samples, `max by (LABEL) (count_over_time(METRIC[1h]))`)
	if err != nil {
		return err
	}
	whole := wholeHours(samples)
	for _, part := range b.of.parts {
		values, err := b.hours(ctx, part.name, part.query)
		if err != nil {
			return err
		}
		for name, of := range values {
			b.keep(b.told[name], part, of, whole[name])
		}
	}
	return nil
}

// keep makes periods of what a query told of a database: of the hours that are known whole, as a mean over some minutes of one would
// pass for that of all.
func (b *batch) keep(told *history.Told, part hourly, values []model.SamplePair, whole map[model.Time]bool) {
	if told == nil {
		return
	}
	if row := metric.All().Row(part.ours).InPeriods(time.Hour); !slices.ContainsFunc(told.Metrics, func(m runfile.Metric) bool { return m.Name == row.Name }) {
		row.Caveat = strings.TrimPrefix(row.Caveat+"; each period is made of an hour of "+part.name+", by the store", "; ")
		told.Metrics = append(told.Metrics, row)
	}
	for _, v := range values {
		if !runfile.Counted(float64(v.Value)) || !whole[v.Timestamp] {
			continue
		}
		end := v.Timestamp.Time().UTC()
		told.Periods = append(told.Periods, runfile.Period{From: end.Add(-time.Hour), To: end, Probe: b.of.probe, Metric: part.ours, Statistic: part.statistic, Value: float64(v.Value), Fetched: b.to})
	}
}

// wholeHours are those with nearly as many samples as hours have usually.
func wholeHours(samples map[string][]model.SamplePair) map[string]map[model.Time]bool {
	all := map[string]map[model.Time]bool{}
	for name, counts := range samples {
		var usual []float64
		for _, c := range counts {
			usual = append(usual, float64(c.Value))
		}
		slices.Sort(usual)
		all[name] = map[model.Time]bool{}
		for _, c := range counts {
			all[name][c.Timestamp] = float64(c.Value) >= runfile.MostOfHour*usual[len(usual)/2]
		}
	}
	return all
}

// hours asks for a value at the end of each hour, of all databases of the batch.
func (b *batch) hours(ctx context.Context, name, query string) (map[string][]model.SamplePair, error) {
	var databases []string
	for database := range b.told {
		databases = append(databases, regexp.QuoteMeta(database))
	}
	slices.Sort(databases)
	given := b.fleet.query.Host
	if b.of.probe == metric.CloudWatch {
		given = b.fleet.query.Server
	}
	series := selector(name, b.of.among, b.of.label+"=~"+quoted(strings.Join(databases, "|")), given)
	query = strings.NewReplacer("METRIC", series, "LABEL", b.of.label).Replace(query)
	within, cancel := context.WithTimeout(ctx, answerWithin)
	defer cancel()
	value, warnings, _, err := b.fleet.store.api.QueryRange(within, query, v1.Range{Start: b.from.Add(time.Hour), End: b.to, Step: time.Hour})
	if err != nil {
		return nil, b.fleet.store.explain(ctx, err)
	}
	if len(warnings) > 0 {
		return nil, fmt.Errorf("%w: %s", fleet.ErrPartly, strings.Join(warnings, "; "))
	}
	matrix, is := value.(model.Matrix)
	if !is {
		return nil, fmt.Errorf("%s answers with a %s where hours were asked for", b.fleet.store.host, value.Type())
	}
	all := map[string][]model.SamplePair{}
	for _, stream := range matrix {
		all[string(stream.Metric[model.LabelName(b.of.label)])] = stream.Values
	}
	return all, nil
}
