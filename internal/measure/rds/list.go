package rds

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"

	"github.com/realiops/realiops/internal/measure/account"
	"github.com/realiops/realiops/internal/runfile"
)

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
	if err != nil || found.aurora() {
		return runfile.Cloud{}, false
	}
	found.Cloud.Cluster = ""
	return found.Cloud, true
}
