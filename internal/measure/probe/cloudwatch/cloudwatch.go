// Package cloudwatch asks Amazon CloudWatch what it counted of a server: afterwards, in periods of a minute or five.
//
// Of each metric internal/metric says whose it is, the instance's, the cluster's or a volume's, in which period it is
// published and which statistic tells how much there was; the same name may mean something else on Aurora and on RDS. A
// [Source] asks for what the server at hand can have, as few and as large calls as CloudWatch takes, and hands on each
// page as it comes. Asked again for the same stretch it tells what CloudWatch says by then.
//
// What CloudWatch says of a period that is just over is late, and may be too low at first. When it no longer changes is
// for the caller to find out; until [Final] every period is marked as unsettled, and what is missing may still come.
// After that, what is missing is a gap, and never zero.
package cloudwatch

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	cw "github.com/aws/aws-sdk-go-v2/service/cloudwatch"

	"github.com/realiops/realiops/internal/measure/account"
	"github.com/realiops/realiops/internal/metric"
	"github.com/realiops/realiops/internal/runfile"
	"github.com/realiops/realiops/internal/typo"
)

// Name is the source's name, and begins the name of each of its metrics.
const Name = metric.CloudWatch

// Final is the time after its end in which a period may still change or arrive. Amazon promises nothing; reports
// exist of points that were too low for ten minutes, and none of an hour.
const Final = time.Hour

// Source is CloudWatch as it knows one server.
type Source struct {
	// Now is CloudWatch's clock, by which periods are over and points too old. It is ours unless a stand-in has
	// another.
	Now func() time.Time
	// Coarse is the shortest period to ask for where finer ones are of no use; 0: as fine as they are published.
	Coarse time.Duration

	client *cw.Client
	series []published
	whose  string // for people: the instance db-1
	region string
}

// published is a metric of one instance, cluster or volume.
type published struct {
	metric     runfile.Metric
	namespace  string
	name       string // as CloudWatch knows it
	dimensions map[string]string
	period     time.Duration
	statistics []string // the first tells how much there was
	scale      float64  // of its values
	underLoad  bool     // it has points only while there is load
}

// New returns the source for a server: for all that it may have, or for the metrics that are named, as CloudWatch
// writes them or as a run file does. It asks nobody yet.
func New(cfg aws.Config, cloud runfile.Cloud, names ...string) (*Source, error) {
	all := of(cloud)
	if len(all) == 0 {
		return nil, fmt.Errorf("CloudWatch cannot be asked: neither an instance nor a cluster nor a volume nor a " +
			"machine is known")
	}
	chosen, err := choose(all, names)
	if err != nil {
		return nil, err
	}
	return &Source{Now: time.Now, client: cw.NewFromConfig(cfg), series: chosen, whose: whose(cloud),
		region: cfg.Region}, nil
}

// Counting returns the source for how often the instances of a cluster published a sample, all of them together, those
// that are gone included: each does so once a minute while it runs.
func Counting(cfg aws.Config, cluster string) *Source {
	all := slices.DeleteFunc(rows(aurora, instance), func(m metric.Meaning) bool {
		return m.Metric != "CPUUtilization"
	})
	one := publishedOf(all[0], cluster)
	one.dimensions, one.statistics, one.scale = map[string]string{"DBClusterIdentifier": cluster},
		[]string{runfile.SampleCount}, 1
	return &Source{Now: time.Now, client: cw.NewFromConfig(cfg), series: []published{one}, whose: "the cluster " +
		cluster, region: cfg.Region}
}

// Name returns the source's.
func (s *Source) Name() string { return Name }

// Metrics returns those that it asks for.
func (s *Source) Metrics() []runfile.Metric {
	var all []runfile.Metric
	for _, one := range s.series {
		all = append(all, one.metric)
	}
	return all
}

// of lists the series of a server.
func of(cloud runfile.Cloud) []published {
	flavor := rds
	if strings.HasPrefix(cloud.Engine, "aurora") {
		flavor = aurora
	}
	ids := map[string]string{instance: cloud.Instance, cluster: cloud.Cluster}
	var all []published
	for _, r := range rows(flavor, instance, cluster) {
		if id := ids[r.Level]; id != "" && has(cloud, r.Only) {
			all = append(all, publishedOf(r, id))
		}
	}
	for _, id := range cloud.Volumes {
		for _, r := range rows(ebs, volume) {
			one := publishedOf(r, id)
			if len(cloud.Volumes) > 1 { // or the volumes would all have one name
				one.metric.Name = Name + "." + id + "/" + r.Metric
			}
			all = append(all, one)
		}
	}
	if cloud.Machine != "" {
		for _, r := range rows(ebs, machine) {
			all = append(all, publishedOf(r, cloud.Machine))
		}
	}
	return all
}

// choose picks the series of the names, in their order; all where there are none.
func choose(all []published, names []string) ([]published, error) {
	if len(names) == 0 {
		return all, nil
	}
	var chosen []published
	for _, name := range names {
		found := slices.DeleteFunc(slices.Clone(all), func(s published) bool {
			return name != s.name && name != s.metric.Name
		})
		if len(found) == 0 {
			return nil, unknown(name, all)
		}
		for _, s := range found {
			if !slices.ContainsFunc(chosen, func(c published) bool { return c.metric.Name == s.metric.Name }) {
				chosen = append(chosen, s)
			}
		}
	}
	return chosen, nil
}

// unknown is about a name that is none. CloudWatch itself says nothing of that: it has no points of it, and letters of
// the other case make another name.
func unknown(name string, all []published) error {
	var names []string
	for _, s := range all {
		names = append(names, s.name)
	}
	meant := typo.Nearest(strings.TrimPrefix(name, Name+"/"), names)
	return fmt.Errorf("%s: CloudWatch has no such metric of this server: did you mean %s?", name, meant)
}

// whose names the server for people.
func whose(cloud runfile.Cloud) string {
	switch {
	case cloud.Instance != "":
		return "the instance " + cloud.Instance
	case cloud.Cluster != "":
		return "the cluster " + cloud.Cluster
	case cloud.Machine != "":
		return "the machine " + cloud.Machine
	case len(cloud.Volumes) == 1:
		return "the volume " + cloud.Volumes[0]
	default:
		return fmt.Sprintf("the %d volumes", len(cloud.Volumes))
	}
}

// Backfill hands over what CloudWatch says of the periods that overlap [from, to) and are over. See [probe.Backfiller].
func (s *Source) Backfill(ctx context.Context, from, to time.Time, keep func(runfile.Record) error) error {
	b := &backfill{Source: s, from: from, to: to, now: s.Now(), keep: keep, seen: make([]tally, len(s.series))}
	for _, w := range windows(from, to, b.now) {
		if w.finest == 0 {
			if err := keep(b.gone(w)); err != nil {
				return err
			}
			continue
		}
		for _, batch := range batches(b.queries(w)) {
			if err := b.ask(ctx, batch); err != nil {
				return err
			}
			b.tally(batch)
		}
	}
	return b.gaps()
}

// lately is the span that [Source.Try] asks for: a machine's metrics arrive every five minutes, and some minutes
// late.
const lately = 20 * time.Minute

// Try asks once for the newest points of all metrics, as a collection does, and judges the answers as that does. Its
// error says what a collection would not get; that some metrics have no points is none, because not every server has
// every metric.
func (s *Source) Try(ctx context.Context) error {
	now := s.Now()
	points := 0
	b := &backfill{Source: s, from: now.Add(-lately), to: now, now: now, seen: make([]tally, len(s.series)),
		keep: func(runfile.Record) error { points++; return nil }}
	var told []*account.Trouble
	for _, batch := range batches(b.queries(window{b.from, b.to, kept[0].period})) {
		if err := b.ask(ctx, batch); err != nil {
			return err
		}
		for _, q := range batch {
			if trouble := q.judge(); trouble != nil && q.main {
				told = append(told, trouble)
			}
		}
	}
	switch {
	case len(told) > 0 && len(told) < len(s.series):
		return account.NewTrouble(told[0].Kind, told[0].Code, fmt.Sprintf("of %d of %d metrics: %s", len(told),
			len(s.series), told[0].Error()))
	case len(told) > 0:
		return told[0]
	case points == 0:
		return account.NewTrouble(account.NoPoints, "nothing",
			fmt.Sprintf("CloudWatch answers, but has no point of %s in %s in the last %.0f minutes: "+
				"is that its name, letter by letter, and is it running?", s.whose, s.region, lately.Minutes()))
	default:
		return nil
	}
}
