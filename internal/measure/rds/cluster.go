package rds

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"

	"github.com/realiops/realiops/internal/measure/account"
	"github.com/realiops/realiops/internal/runfile"
)

// Cluster holds AWS's data on an Aurora cluster that affects its bill.
type Cluster struct {
	Name, Engine string
	Storage      string // aurora, aurora-iopt1; empty: unknown
	// NextSwitch is when it may change to I/O-Optimized; zero: unknown.
	NextSwitch time.Time
	Members    []Member
}

// Member is an instance of a cluster. From and To bound its lifetime, if known.
type Member struct {
	Name, Class string
	From, To    time.Time
	engine      string // empty: unknown
}

// FindCluster asks AWS for a cluster and its instances.
func FindCluster(ctx context.Context, config aws.Config, name string) (Cluster, error) {
	s := search{config: config}
	described, err := s.cluster(ctx, name)
	if err != nil {
		return Cluster{}, err
	}
	c := ClusterOf(*described)
	if err := c.OnAurora(); err != nil {
		return Cluster{}, err
	}
	for _, m := range described.DBClusterMembers {
		instance, err := s.instance(ctx, m.DBInstanceIdentifier)
		if err != nil {
			return Cluster{}, err
		}
		c.Add(*instance)
	}
	return c, nil
}

// OnAurora returns an error if the cluster or one of its instances is known not to run Aurora PostgreSQL: others have one
// configuration, or prices of their own.
func (c Cluster) OnAurora() error {
	refuse := func(what, name, engine string) error {
		switch {
		case engine == "" || engine == auroraPostgres:
			return nil
		case strings.HasPrefix(engine, auroraPrefix):
			return fmt.Errorf("%s %s runs %s; the prices here are Aurora PostgreSQL's", what, name, engine)
		}
		return fmt.Errorf("%s %s runs %s; only Aurora has the two configurations", what, name, engine)
	}
	if err := refuse("cluster", c.Name, c.Engine); err != nil {
		return err
	}
	for _, m := range c.Members {
		if err := refuse("instance", m.Name, m.engine); err != nil {
			return err
		}
	}
	return nil
}

// ClusterOf converts a description, without its instances.
func ClusterOf(d DBCluster) Cluster {
	c := Cluster{Name: d.DBClusterIdentifier, Engine: d.Engine,
		NextSwitch: d.IOOptimizedNextAllowedModificationTime}
	if storage := d.StorageType; strings.HasPrefix(storage, auroraPrefix) {
		c.Storage = storage
	}
	return c
}

// Add adds an instance.
func (c *Cluster) Add(d DBInstance) {
	c.Members = append(c.Members, Member{Name: d.DBInstanceIdentifier,
		Class: d.DBInstanceClass, engine: d.Engine})
	slices.SortFunc(c.Members, func(a, b Member) int { return strings.Compare(a.Name, b.Name) })
}

// List returns AWS's descriptions of all PostgreSQL databases in a region: each instance with its own storage, and
// each Aurora cluster with its instances.
func List(ctx context.Context, config aws.Config) (all []runfile.Cloud, err error) {
	clusters := map[string]*runfile.Cloud{}
	for page, err := range pages(ctx, config, describeClusters) {
		if err != nil {
			return nil, account.Explain(err)
		}
		for _, c := range page.DBClusters {
			if engine := c.Engine; engine == auroraPostgres {
				of := ClusterOf(c)
				clusters[of.Name] = &runfile.Cloud{Provider: "aws", Region: config.Region, Cluster: of.Name,
					Engine: engine, Version: c.EngineVersion, Storage: of.Storage}
			}
		}
	}
	for page, err := range pages(ctx, config, describeInstances) {
		if err != nil {
			return nil, account.Explain(err)
		}
		for _, i := range page.DBInstances {
			if cluster := clusters[i.DBClusterIdentifier]; cluster != nil {
				cluster.Members = append(cluster.Members, runfile.Member{Instance: i.DBInstanceIdentifier,
					Class: i.DBInstanceClass})
				slices.SortFunc(cluster.Members, func(a, b runfile.Member) int {
					return strings.Compare(a.Instance, b.Instance)
				})
			} else if alone, is := CloudOf(config.Region, i); is {
				all = append(all, alone)
			}
		}
	}
	for _, c := range clusters {
		all = append(all, *c)
	}
	slices.SortFunc(all, func(a, b runfile.Cloud) int { return strings.Compare(nameOf(a), nameOf(b)) })
	return all, nil
}

const auroraPostgres = "aurora-postgresql"

func nameOf(c runfile.Cloud) string { return cmp.Or(c.Cluster, c.Instance) }

// Described converts the description of an instance, without its cluster. For other
// engines it returns the zero value.
func Described(region string, i DBInstance) runfile.Cloud {
	found, _ := describe(region, &i, nil)
	return found.Cloud
}

// CloudOf converts the description of a standalone PostgreSQL instance; false: it is of another engine.
func CloudOf(region string, i DBInstance) (runfile.Cloud, bool) {
	found, err := describe(region, &i, nil)
	if err != nil || found.Cloud.Aurora() {
		return runfile.Cloud{}, false
	}
	found.Cloud.Cluster = ""
	return found.Cloud, true
}
