package exported

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/realiops/realiops/internal/measure/history"
	"github.com/realiops/realiops/internal/measure/rds"
	"github.com/realiops/realiops/internal/metric"
	"github.com/realiops/realiops/internal/printable"
	"github.com/realiops/realiops/internal/runfile"
)

// CloudWatch's flavors of servers.
const (
	onRDS    = "rds"
	onAurora = "aurora"
)

// File is a file written by the aws program.
type File struct {
	Name string
	Text []byte
}

// Asked describes the expected server; empty fields are taken from the files.
type Asked struct{ Flavor, Instance string }

// History returns the data on one instance, for Aurora with its cluster.
func History(files []File, asked Asked, now time.Time) (data history.Data, target runfile.Target, err error) {
	first, err := readAll(files, onAurora, now)
	if err != nil {
		return data, target, err
	}
	described, err := first.flavor(asked.Instance)
	if err != nil {
		return data, target, err
	}
	flavor := cmp.Or(asked.Flavor, described)
	e, err := readAll(files, cmp.Or(flavor, onRDS), now)
	if err != nil {
		return data, target, err
	}
	cloud, err := e.pick(asked.Instance)
	if err != nil {
		return data, target, err
	}
	if err := e.Check(); err != nil {
		return data, target, err
	}
	target = runfile.Target{Kind: "history", Flavor: cmp.Or(flavor, "postgres"), Version: cloud.Version, Cloud: &cloud}
	data.Notices = e.Warnings
	for _, p := range e.Periods {
		if p.To.Sub(p.From) > time.Hour {
			return data, target, fmt.Errorf("the points of %s are %s apart; history takes an hour at most", p.Metric,
				printable.Duration(p.To.Sub(p.From)))
		}
		if !slices.ContainsFunc(data.Metrics, func(m runfile.Metric) bool { return m.Name == p.Metric }) {
			i := slices.IndexFunc(e.taken(), func(m metric.Meaning) bool { return m.Row().Name == p.Metric })
			data.Metrics = append(data.Metrics, e.taken()[i].Row().Announced())
		}
	}
	data.Periods = e.Periods
	data.Asked.From, data.Asked.To = data.Span()
	return data, target, e.enough(&data)
}

// enough refuses data without any metric's amounts, and notes the metrics that lack them.
func (e *Export) enough(data *history.Data) error {
	why := ""
	if len(e.Warnings) > 0 {
		why = ". " + strings.TrimSuffix(e.Warnings[0], ".")
	}
	const ask = "--query prints the request for aws cloudwatch get-metric-data"
	if len(data.Periods) == 0 {
		return fmt.Errorf("the files have no points of any metric %s%s; %s", e.of(), why, ask)
	}
	untold := slices.DeleteFunc(slices.Clone(data.Metrics), func(m runfile.Metric) bool { return e.told(m.Name) })
	if len(untold) == len(data.Metrics) {
		return fmt.Errorf("the files have only the Maximum of each metric, which does not tell how much was done%s; %s", why,
			ask)
	}
	for _, m := range untold {
		data.Notices = append(data.Notices, fmt.Sprintf("%s has only a Maximum, so how much was done is unknown.",
			strings.TrimPrefix(m.Name, metric.CloudWatch+"/")))
	}
	return nil
}

// told reports whether the statistic with a metric's amounts is present.
func (e *Export) told(name string) bool {
	return slices.ContainsFunc(e.Periods, func(p runfile.Period) bool {
		return p.Metric == name && p.Statistic != runfile.Maximum
	})
}

func readAll(files []File, flavor string, now time.Time) (*Export, error) {
	e := &Export{Flavor: flavor}
	for _, f := range files {
		if err := e.Read(f.Text, now); err != nil {
			return nil, fmt.Errorf("%s: %w", f.Name, err)
		}
	}
	return e, nil
}

// flavor returns the server's flavor, from its description or from metrics that only a cluster has. Descriptions
// of other instances do not count.
func (e *Export) flavor(name string) (string, error) {
	if instances := e.named("DBInstanceIdentifier"); name == "" && len(instances) == 1 {
		name = instances[0]
	}
	for _, i := range e.instance {
		switch {
		case i.DBInstanceIdentifier != name:
		case i.Engine == "":
			return "", fmt.Errorf("the description of instance %s has no Engine; ask again without the option --query", name)
		case !strings.Contains(i.Engine, "postgres"):
			return "", fmt.Errorf("instance %s runs %s, not PostgreSQL", name, i.Engine)
		case strings.HasPrefix(i.Engine, onAurora):
			return onAurora, nil
		default:
			return onRDS, nil
		}
	}
	ofOne := func(p runfile.Period) bool { return p.Dimensions[ofCluster] != "" }
	if e.clustered || slices.ContainsFunc(e.Periods, ofOne) {
		return onAurora, nil
	}
	return "", nil
}

// pick chooses the instance, and drops other instances' periods.
func (e *Export) pick(name string) (c runfile.Cloud, err error) {
	instances, clusters := e.named("DBInstanceIdentifier"), e.named(ofCluster)
	switch {
	case name == "" && len(instances) > 1:
		return c, fmt.Errorf("the files describe several instances; choose one of %s with --instance", strings.Join(instances,
			", "))
	case name != "" && len(instances) > 0 && !slices.Contains(instances, name):
		return c, fmt.Errorf("the files do not describe instance %s, only %s", name, strings.Join(instances, ", "))
	case len(clusters) > 1:
		return c, fmt.Errorf("the files describe several clusters, %s; leave out all but one", strings.Join(clusters, ", "))
	case name == "" && len(instances) == 1:
		name = instances[0]
	}
	c = runfile.Cloud{Provider: "aws", Instance: name}
	for _, i := range e.instance {
		if i.DBInstanceIdentifier == name {
			c = rds.Described(regionOf(i), i)
		}
	}
	if len(e.instance) > 0 && c.Engine == "" && name != "" {
		e.warn("No description of %s: its class, storage and region are unknown.", name)
	}
	if len(clusters) > 0 {
		c.Cluster = clusters[0]
	}
	e.Periods = slices.DeleteFunc(e.Periods, func(p runfile.Period) bool {
		of := p.Dimensions["DBInstanceIdentifier"]
		return of != "" && of != name
	})
	return c, nil
}
