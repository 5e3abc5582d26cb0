package rds

import (
	"context"
	"iter"
	"net/url"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"

	"github.com/realiops/realiops/internal/measure/account"
)

// Service is RDS, which describes Aurora's databases, too.
var Service = account.Service{ID: "RDS", Version: "2014-10-31", Within: "Result", Token: "Marker"}

// DBInstance is AWS's description of an instance, in XML or the aws program's JSON. Unknown fields are empty.
type DBInstance struct {
	DBInstanceIdentifier, DBClusterIdentifier, DbiResourceId, DBInstanceClass, DBInstanceStatus string
	Engine, EngineVersion, AvailabilityZone                                                     string
	Endpoint                                                                                    struct {
		Address string
		Port    int
	}
	StorageType                                                                               string
	AllocatedStorage                                                                          int // GiB
	Iops                                                                                      int
	StorageThroughput                                                                         int // MiB/s
	DedicatedLogVolume, MultiAZ, IAMDatabaseAuthenticationEnabled, PerformanceInsightsEnabled bool
	PerformanceInsightsRetentionPeriod                                                        int // days
	DatabaseInsightsMode                                                                      string
	MonitoringInterval                                                                        int // seconds
}

// DBCluster is AWS's description of a cluster.
type DBCluster struct {
	DBClusterIdentifier, Engine, EngineVersion, StorageType, Endpoint string
	CustomEndpoints                                                   []string          `xml:"CustomEndpoints>member"`
	DBClusterMembers                                                  []DBClusterMember `xml:"DBClusterMembers>DBClusterMember"`
	DatabaseInsightsMode                                              string
	IAMDatabaseAuthenticationEnabled                                  bool
	IOOptimizedNextAllowedModificationTime                            time.Time
}

// DBClusterMember is an instance of a cluster.
type DBClusterMember struct {
	DBInstanceIdentifier string
	IsClusterWriter      bool
}

// The calls, as named in policies.
const (
	describeInstances = "DescribeDBInstances"
	describeClusters  = "DescribeDBClusters"
)

// page is a page of an answer to either call.
type page struct {
	DBInstances []DBInstance `xml:"DBInstances>DBInstance"`
	DBClusters  []DBCluster  `xml:"DBClusters>DBCluster"`
	Marker      string
}

func ask(ctx context.Context, config aws.Config, operation string, form url.Values) (*page, error) {
	p, err := account.Ask[page](ctx, config, Service, operation, form)
	return p, account.Explain(err)
}

func pages(ctx context.Context, config aws.Config, operation string) iter.Seq2[*page, error] {
	return account.Pages(ctx, config, Service, operation, nil, func(p *page) string { return p.Marker })
}
