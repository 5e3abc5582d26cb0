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

// The flavors of server in CloudWatch.
const (
	onRDS    = "rds"
	onAurora = "aurora"
)

// File is one that the aws program wrote.
type File struct {
	Name string
	Text []byte
}

// Asked names the server that the files are to describe; empty fields are taken from the files.
type Asked struct{ Flavor, Instance string }

// History returns what files tell of one instance, of Aurora with its cluster.
func History(files []File, asked Asked, now time.Time) (data history.Data, target runfile.Target, err error) {
	first, err := readAll(files, onAurora, now)
	if err != nil {
		return data, target, err
	}
	flavor := cmp.Or(asked.Flavor, first.flavor())
	e, err := readAll(files, cmp.Or(flavor, onRDS), now)
	if err != nil {
		return data, target, err
	}
	cloud, err := e.pick(asked.Instance)
	if err != nil {
		return data, target, err
	}
	target = runfile.Target{Kind: "history", Flavor: cmp.Or(flavor, "postgres"), Version: cloud.Version, Cloud: &cloud}
	data.Notices = e.Warnings
	for _, p := range e.Periods {
		if p.To.Sub(p.From) > time.Hour {
			return data, target, fmt.Errorf("the points of %s are %s apart: a history takes an hour and less", p.Metric,
				printable.Duration(p.To.Sub(p.From)))
		}
		if !slices.ContainsFunc(data.Metrics, func(m runfile.Metric) bool { return m.Name == p.Metric }) {
			i := slices.IndexFunc(e.taken(), func(m metric.Meaning) bool { return m.Row().Name == p.Metric })
			data.Metrics = append(data.Metrics, e.taken()[i].Row().Announced())
		}
	}
	data.Periods = e.Periods
	data.Asked.From, data.Asked.To = data.Span()
	if len(data.Periods) == 0 {
		return data, target,
			fmt.Errorf("the files have no point of any metric %s: --query prints the question for aws cloudwatch "+
				"get-metric-data", e.of())
	}
	return data, target, nil
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

// flavor returns that of the server, as far as descriptions or metrics that only a cluster has tell it.
func (e *Export) flavor() string {
	if len(e.instance) > 0 {
		if strings.HasPrefix(e.instance[0].Engine, onAurora) {
			return onAurora
		}
		return onRDS
	}
	if slices.ContainsFunc(e.Periods, func(p runfile.Period) bool { return p.Dimensions[ofCluster] != "" }) {
		return onAurora
	}
	return ""
}

// pick chooses the instance, and drops the periods of others.
func (e *Export) pick(name string) (c runfile.Cloud, err error) {
	instances, clusters := e.named("DBInstanceIdentifier"), e.named(ofCluster)
	switch {
	case name == "" && len(instances) > 1:
		return c, fmt.Errorf("the files are about several instances: name one of %s with --instance",
			strings.Join(instances, ", "))
	case name != "" && len(instances) > 0 && !slices.Contains(instances, name):
		return c, fmt.Errorf("the files say nothing of the instance %s, but of %s", name, strings.Join(instances, ", "))
	case len(clusters) > 1:
		return c, fmt.Errorf("the files are about several clusters, %s: leave out those of others",
			strings.Join(clusters, ", "))
	case name == "" && len(instances) == 1:
		name = instances[0]
	}
	c = runfile.Cloud{Provider: "aws", Instance: name}
	for _, i := range e.instance {
		if i.DBInstanceIdentifier == name {
			c = rds.Described(regionOf(i), i)
		}
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
