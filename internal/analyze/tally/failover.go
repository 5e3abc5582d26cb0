package tally

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/realiops/realiops/internal/analyze/counts"
	"github.com/realiops/realiops/internal/runfile"
	"github.com/realiops/realiops/internal/series"
)

// instanceDimension is CloudWatch's dimension for an instance.
const instanceDimension = "DBInstanceIdentifier"

// follow makes the metrics of an instance follow the load. After a failover the run file holds the new instance's
// metrics under names of their own, "cloudwatch.two/WriteIOPS". The cluster's metrics stay as they are.
func (b *builder) follow() {
	for _, a := range b.attempts {
		if a.instance == "" || len(a.begins) != 1 || len(a.ends) != 1 {
			continue
		}
		b.notes.add("failed-over",
			fmt.Sprintf("A failover moved the load to %s: AWS's figures of an instance are those of the instance "+
				"that had the load", a.instance))
		for name, periods := range b.periods {
			if metric, there := onInstance(name, a.instance); there {
				b.followTo(metric, periods, a)
			}
		}
	}
	for _, a := range b.attempts {
		maps.DeleteFunc(b.periods, func(name string, _ map[periodKey]told) bool {
			_, there := onInstance(name, a.instance)
			return there
		})
	}
}

// followTo replaces the periods of the old instance by those of the new one.
func (b *builder) followTo(metric string, periods map[periodKey]told, a *attempt) {
	within := func(k periodKey) bool { return k.to.After(a.begins[0]) && k.from.Before(a.ends[0]) }
	if b.periods[metric] == nil {
		b.periods[metric] = map[periodKey]told{}
	}
	maps.DeleteFunc(b.periods[metric], func(k periodKey, _ told) bool { return within(k) })
	for key, told := range periods {
		if within(key) {
			key.dimensions = b.asBegun(key.dimensions)
			b.periods[metric][key] = told
		}
	}
	a.followed = append(a.followed, metric)
}

// asBegun returns dimensions with the instance on which the run began.
func (b *builder) asBegun(dimensions string) string {
	begun := maps.Clone(b.sets[dimensions])
	if cloud := b.run.Header.Target.Cloud; cloud != nil && begun[instanceDimension] != "" {
		begun[instanceDimension] = cloud.Instance
	}
	key := fmt.Sprint(begun)
	b.sets[key] = begun
	return key
}

// onInstance returns the metric that a name for another instance stands for, "cloudwatch/WriteIOPS" for
// "cloudwatch.two/WriteIOPS"; false if the name is not for that instance.
func onInstance(name, instance string) (metric string, there bool) {
	probe, rest, _ := strings.Cut(name, "/")
	probe, there = strings.CutSuffix(probe, "."+instance)
	return probe + "/" + rest, there && instance != ""
}

// elsewhere returns why a metric has no count in an attempt whose load had moved to an instance without values for it.
// Metrics of the cluster stay valid.
func (b *builder) elsewhere(a *attempt, metric string) *series.Missing {
	if a.instance == "" || slices.Contains(a.followed, metric) ||
		strings.Contains(b.dimensions(runfile.Metric{Name: metric}), "DBClusterIdentifier:") {
		return nil
	}
	return &series.Missing{Reason: counts.Elsewhere, Detail: "the load had moved to " + a.instance + " by a failover"}
}
