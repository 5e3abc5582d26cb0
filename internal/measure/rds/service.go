// Package rds finds the AWS database behind a connection, and its description.
//
// [ParseHost] parses the name of a host; [Resolve] follows names that lead to one; [Find] asks AWS for the instance
// behind it and for properties that affect its metrics: the engine, the class, the storage, and its monitoring.
// [Token] returns a password from AWS instead of the database's own.
//
// It only describes and changes nothing. Its errors name no account.
package rds

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"net"
	"net/url"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/feature/rds/auth"

	"github.com/realiops/realiops/internal/measure/account"
	"github.com/realiops/realiops/internal/runfile"
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

// The roles of an instance in its cluster, as in the run file.
const (
	RoleWriter = "writer"
	RoleReader = "reader"
)

// auroraPrefix is the prefix of Aurora's engines and storage types.
const auroraPrefix = "aurora"

// describe combines AWS's descriptions of an instance and of its cluster, if any.
func describe(region string, i *DBInstance, c *DBCluster) (Found, error) {
	engine := i.Engine
	if engine == "" {
		return Found{}, none("rds:"+describeInstances, i.DBInstanceIdentifier)
	}
	if !strings.Contains(engine, "postgres") {
		return Found{}, fmt.Errorf("instance %s runs %s; realiops supports only PostgreSQL", i.DBInstanceIdentifier, engine)
	}
	f := Found{Status: i.DBInstanceStatus, IAM: i.IAMDatabaseAuthenticationEnabled,
		Endpoint: i.Endpoint.Address, Port: i.Endpoint.Port}
	f.Cloud = runfile.Cloud{
		Provider: "aws", Region: region, Instance: i.DBInstanceIdentifier, Cluster: i.DBClusterIdentifier,
		Resource: i.DbiResourceId, Engine: engine, Version: i.EngineVersion, Class: i.DBInstanceClass,
		Storage: i.StorageType, LogVolume: i.DedicatedLogVolume,
		MultiAZ: i.MultiAZ, Insights: i.PerformanceInsightsEnabled, MonitoringSeconds: i.MonitoringInterval,
		InsightsMode: strings.ToLower(i.DatabaseInsightsMode),
	}
	if f.Cloud.Insights {
		f.Cloud.InsightsDays = i.PerformanceInsightsRetentionPeriod
	}
	if f.Cloud.Aurora() {
		f.Cloud.Storage = auroraPrefix // AWS's default; the cluster may have another
	} else {
		f.Cloud.SizeGiB, f.Cloud.IOPS = i.AllocatedStorage, i.Iops
		f.Cloud.ThroughputMiB = i.StorageThroughput
	}
	if c != nil {
		f.addCluster(c)
	}
	return f, nil
}

// addCluster adds the cluster's data: the writer, and Aurora's storage type.
func (f *Found) addCluster(c *DBCluster) {
	f.WriterEndpoint = c.Endpoint
	f.Cloud.InsightsMode = cmp.Or(f.Cloud.InsightsMode, strings.ToLower(c.DatabaseInsightsMode))
	f.IAM = f.IAM || c.IAMDatabaseAuthenticationEnabled
	if _, writer := members(c); writer == f.Cloud.Instance {
		f.Cloud.Role = RoleWriter
	} else if writer != "" {
		f.Cloud.Role = RoleReader
	}
	if !f.Cloud.Aurora() || strings.HasPrefix(c.StorageType, auroraPrefix) {
		f.Cloud.Storage = cmp.Or(c.StorageType, f.Cloud.Storage)
	}
}

// Token returns a password for one connection, signed with the account's credentials and valid for a quarter of an
// hour. The host is AWS's name of the database, even if the connection uses another one.
func Token(ctx context.Context, config aws.Config, host string, port int, user string) (string, error) {
	if config.Region == "" {
		return "", fmt.Errorf("sign in to %s: unknown region; name it with --region or AWS_REGION", host)
	}
	token, err := auth.BuildAuthToken(ctx, net.JoinHostPort(host, fmt.Sprint(port)), config.Region, user,
		config.Credentials)
	if err != nil {
		return "", fmt.Errorf("sign in to %s: %w", host, account.Explain(err))
	}
	return token, nil
}
