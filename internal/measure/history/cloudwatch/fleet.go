package cloudwatch

import (
	"cmp"
	"context"
	"time"

	"github.com/realiops/realiops/internal/measure/account"
	"github.com/realiops/realiops/internal/measure/fleet"
	"github.com/realiops/realiops/internal/measure/history"
	probe "github.com/realiops/realiops/internal/measure/probe/cloudwatch"
	"github.com/realiops/realiops/internal/measure/rds"
	"github.com/realiops/realiops/internal/runfile"
)

// Fleet is all PostgreSQL databases of an account in a region.
type Fleet struct{ account *account.Account }

// NewFleet returns the fleet of an account.
func NewFleet(a *account.Account) Fleet { return Fleet{a} }

// AtOnce returns 1: each database is a separate call.
func (Fleet) AtOnce() int { return 1 }

// Databases returns the instances with their own storage, and the Aurora clusters.
func (f Fleet) Databases(ctx context.Context) (all []fleet.Database, err error) {
	clouds, err := rds.List(ctx, f.account.Config())
	if err != nil {
		return nil, err
	}
	for _, c := range clouds {
		all = append(all, fleet.Database{Name: cmp.Or(c.Cluster, c.Instance), Target: TargetOf(c)})
	}
	return all, nil
}

// TargetOf returns the target of a history.
func TargetOf(c runfile.Cloud) runfile.Target {
	flavor := "rds"
	if c.Cluster != "" {
		flavor = "aurora"
	}
	return runfile.Target{Kind: "history", Flavor: flavor, Version: c.Version, Cloud: &c}
}

// Wanted returns CloudWatch's metrics of an RDS instance, or of an Aurora instance and its cluster.
func Wanted(c runfile.Cloud) []string {
	if c.Cluster != "" {
		return []string{"VolumeReadIOPs", "VolumeWriteIOPs", "VolumeBytesUsed", "ReadIOPS", "WriteIOPS",
			"ReadThroughput", "WriteThroughput", "CommitThroughput"}
	}
	all := []string{"ReadIOPS", "WriteIOPS", "ReadThroughput", "WriteThroughput", "EBSIOBalance%", "EBSByteBalance%"}
	if c.Storage == "gp2" {
		all = append(all, "BurstBalance")
	}
	return all
}

// Metrics returns the number of metrics that AWS bills for these databases: each once for every stretch
// with another length of periods.
func (f Fleet) Metrics(all []fleet.Database, from, to, now time.Time) (n int) {
	for _, database := range all {
		if c := database.Target.Cloud; c.Cluster == "" {
			n += len(Wanted(*c))
		} else {
			n += len([]string{"reads", "writes", "storage", "instances"}) + len(c.Members)
		}
	}
	return n * probe.Stretches(from, to, now)
}

// Hours returns CloudWatch's data on some databases.
func (f Fleet) Hours(ctx context.Context, databases []fleet.Database, from, to time.Time) ([]history.Data, error) {
	data := make([]history.Data, len(databases))
	for i, database := range databases {
		sources, err := f.sources(*database.Target.Cloud)
		if err != nil {
			return nil, err
		}
		for _, source := range sources {
			source.Coarse = time.Hour
			data[i].Metrics = append(data[i].Metrics, source.Metrics()...)
			if err := source.Backfill(ctx, from, to, data[i].Take); err != nil {
				return nil, err
			}
		}
	}
	return data, nil
}

// History returns CloudWatch's data on an instance, for Aurora with its cluster, in the shortest periods
// that are kept for the whole time.
func History(ctx context.Context, a *account.Account, c runfile.Cloud, from, to, now time.Time) (data history.Data,
	err error) {
	source, err := probe.New(a.Config(), c, Wanted(c)...)
	if err != nil {
		return data, err
	}
	source.Now = func() time.Time { return now }
	source.Coarse = probe.Kept(from, now)
	data.Metrics = source.Metrics()
	err = source.Backfill(ctx, from, to, data.Take)
	return data, err
}

func (f Fleet) sources(c runfile.Cloud) (all []*probe.Source, err error) {
	if c.Cluster == "" {
		source, err := probe.New(f.account.Config(), c, Wanted(c)...)
		return []*probe.Source{source}, err
	}
	of := rds.Cluster{Name: c.Cluster}
	for _, m := range c.Members {
		of.Members = append(of.Members, rds.Member{Name: m.Instance, Class: m.Class})
	}
	for _, s := range ForBill(of) {
		source, err := s.source(f.account.Config())
		if err != nil {
			return nil, err
		}
		all = append(all, source)
	}
	return all, nil
}
