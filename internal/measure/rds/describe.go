package rds

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/realiops/realiops/internal/runfile"
)

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
	if f.aurora() {
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
	if !f.aurora() || strings.HasPrefix(c.StorageType, auroraPrefix) {
		f.Cloud.Storage = cmp.Or(c.StorageType, f.Cloud.Storage)
	}
}

// aurora reports whether the storage is Aurora's: a volume without a size to order, and without a limit.
func (f *Found) aurora() bool { return strings.HasPrefix(f.Cloud.Engine, auroraPrefix) }
