// Package cloudwatch asks Amazon CloudWatch for a server's metrics: afterwards, in periods of a minute or five.
//
// internal/metric says of each metric whether it is the instance's, the cluster's or a volume's, its period, and the
// statistic that tells how much there was; the same name may mean something else on Aurora and on RDS. A [Source]
// asks for the metrics that the server can have, in as few calls as CloudWatch allows, and passes on each page as it
// comes. A later request for the same stretch returns CloudWatch's current answer.
//
// CloudWatch publishes a period late, and its first value may be too low. The caller must find out when it no longer
// changes; until [Final] every period is marked as unsettled, and a missing one may still come. After that, a
// missing value is a gap, never zero.
package cloudwatch

import (
	"context"
	"fmt"
	"regexp"
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

// Name is the source's name and the prefix of its metrics.
const Name = metric.CloudWatch

// Final is how long after its end a period may still change or arrive. Amazon promises nothing; points have been
// reported too low for ten minutes, never for an hour.
const Final = time.Hour

// Source is CloudWatch's view of one server.
type Source struct {
	// Now is CloudWatch's clock, which decides which periods are over and which points too old. It is ours
	// unless a stand-in has another.
	Now func() time.Time
	// Coarse is the shortest period to ask for, if finer ones are of no use; 0: the published ones.
	Coarse time.Duration

	client *cw.Client
	series []published
	whose  string // for messages: the instance db-1
	region string
}

// published is a metric of one instance, cluster or volume.
type published struct {
	metric     runfile.Metric
	namespace  string
	name       string // in CloudWatch
	dimensions map[string]string
	period     time.Duration
	statistics []string // the first tells how much there was
	scale      float64  // of its values
	underLoad  bool     // has points only under load
}

// New returns the source of a server's metrics: all, or the named ones, in CloudWatch's spelling or
// a run file's. It makes no call.
func New(cfg aws.Config, cloud runfile.Cloud, names ...string) (*Source, error) {
	all := of(cloud)
	if len(all) == 0 {
		return nil, fmt.Errorf("cannot ask CloudWatch: no instance, cluster, volume or machine is known")
	}
	chosen, err := choose(all, names)
	if err != nil {
		return nil, err
	}
	return &Source{Now: time.Now, client: cw.NewFromConfig(cfg), series: chosen, whose: whose(cloud),
		region: cfg.Region}, nil
}

// Counting returns a source for the number of samples that all instances of a cluster published, including deleted
// ones: each publishes one a minute while it runs.
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

func (s *Source) Name() string { return Name }

// Metrics returns the source's metrics.
func (s *Source) Metrics() (all []runfile.Metric) {
	for _, one := range s.series {
		all = append(all, one.metric)
	}
	return all
}

// of returns the series of a server.
func of(cloud runfile.Cloud) (all []published) {
	flavor := rds
	if cloud.Aurora() {
		flavor = aurora
	}
	ids := map[string]string{instance: cloud.Instance, cluster: cloud.Cluster}
	for _, r := range rows(flavor, instance, cluster) {
		if id := ids[r.Level]; id != "" && has(cloud, r.Only) {
			all = append(all, publishedOf(r, id))
		}
	}
	for _, id := range cloud.Volumes {
		for _, r := range rows(ebs, volume) {
			one := publishedOf(r, id)
			if len(cloud.Volumes) > 1 { // otherwise all volumes would have one name
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

// choose returns the named series, in order, or all without names.
func choose(all []published, names []string) (chosen []published, err error) {
	if len(names) == 0 {
		return all, nil
	}
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

// unknown explains a wrong name. CloudWatch does not complain about one; it has no points of
// it, and names are case-sensitive.
func unknown(name string, all []published) error {
	var names []string
	for _, s := range all {
		names = append(names, s.name)
	}
	meant := typo.Nearest(strings.TrimPrefix(name, Name+"/"), names)
	return fmt.Errorf("%s: CloudWatch has no such metric for this server; did you mean %s?", name, meant)
}

// whose names the server for messages.
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

// Backfill passes on CloudWatch's data on the finished periods that overlap [from, to). See [probe.Backfiller].
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

// lately is the span that [Source.Try] asks for: a machine's metrics arrive every five minutes, some minutes late.
const lately = 20 * time.Minute

// Try asks once for the newest points of all metrics, and judges the answers as a collection does. Its error says
// what a collection would not get. A metric without points is not an error, because not every server has every metric.
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
		return account.NewTrouble(account.NoPoints, "nothing", fmt.Sprintf("CloudWatch has no points of %s in %s for the "+
			"last %.0f minutes; check the name, and that it is running", s.whose, s.region, lately.Minutes()))
	default:
		return nil
	}
}

// Levels of metrics and flavors of servers, as in the table of metrics.
const (
	instance = "instance"
	cluster  = "cluster"
	volume   = "volume"
	machine  = "machine" // of EC2

	aurora = "aurora"
	rds    = "rds"
	ebs    = "ebs" // a volume of a self-managed server, or the machine with all its volumes
)

// rows returns a flavor's CloudWatch metrics of some levels. Metrics of only a global database's secondary region are
// left out, because no load can run there.
func rows(flavor string, levels ...string) []metric.Meaning {
	return slices.DeleteFunc(metric.Meanings(), func(m metric.Meaning) bool {
		return m.Service != Name || m.On != flavor || !slices.Contains(levels, m.Level) || m.Unread
	})
}

// publishedOf returns a metric of the instance, cluster, volume or machine of that name.
func publishedOf(m metric.Meaning, id string) published {
	_, _, scale := m.InBase()
	return published{
		metric: m.Row().Announced(), namespace: namespace(m.Level), name: m.Metric, dimensions: map[string]string{
			m.Dimension: id},
		period: time.Duration(m.Period) * time.Second, statistics: m.Statistics, scale: scale, underLoad: m.UnderLoad,
	}
}

func namespace(level string) string {
	switch level {
	case volume:
		return "AWS/EBS"
	case machine:
		return "AWS/EC2"
	default:
		return "AWS/RDS"
	}
}

var withLocalDisk = regexp.MustCompile(`^db\.[a-z]+\d+[a-z]*d[a-z]*\.`)

// has reports whether a server has a feature that a metric needs. Classes with a local disk have a d
// in their names: db.r6gd.large.
func has(c runfile.Cloud, what metric.Having) bool {
	switch what {
	case metric.Serverless:
		return c.Class == "db.serverless"
	case metric.Provisioned:
		return c.Class != "db.serverless"
	case metric.Burstable:
		return strings.HasPrefix(c.Class, "db.t")
	case metric.LocalDisk:
		return withLocalDisk.MatchString(c.Class)
	case metric.LogVolume:
		return c.LogVolume
	case metric.GeneralPurpose2:
		return c.Storage == "gp2"
	default:
		return true
	}
}
