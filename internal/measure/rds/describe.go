package rds

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/realiops/realiops/internal/runfile"
)

// The roles of an instance in its cluster, as the run file names them.
const (
	RoleWriter = "writer"
	RoleReader = "reader"
)

// auroraPrefix begins the names of Aurora's engines and of its storage.
const auroraPrefix = "aurora"

// describe puts together what AWS says of an instance, and of its cluster where it has one.
func describe(region string, i *DBInstance, c *DBCluster) (Found, error) {
	engine := i.Engine
	if engine == "" {
		return Found{}, none("rds:"+describeInstances, i.DBInstanceIdentifier)
	}
	if !strings.Contains(engine, "postgres") {
		return Found{}, fmt.Errorf("the instance %s runs %s, and realiops knows PostgreSQL",
			i.DBInstanceIdentifier, engine)
	}
	f := Found{Status: i.DBInstanceStatus, IAM: i.IAMDatabaseAuthenticationEnabled,
		Endpoint: i.Endpoint.Address, Port: i.Endpoint.Port}
	f.Cloud = runfile.Cloud{
		Provider: "aws", Region: region,
		Instance: i.DBInstanceIdentifier, Cluster: i.DBClusterIdentifier,
		Resource: i.DbiResourceId,
		Engine:   engine, Version: i.EngineVersion, Class: i.DBInstanceClass,
		Storage: i.StorageType, LogVolume: i.DedicatedLogVolume,
		MultiAZ: i.MultiAZ, Insights: i.PerformanceInsightsEnabled,
		MonitoringSeconds: i.MonitoringInterval,
		InsightsMode:      strings.ToLower(i.DatabaseInsightsMode),
	}
	if f.Cloud.Insights {
		f.Cloud.InsightsDays = i.PerformanceInsightsRetentionPeriod
	}
	if f.aurora() {
		f.Cloud.Storage = auroraPrefix // AWS's usual word for it; the cluster may say another
	} else {
		f.Cloud.SizeGiB, f.Cloud.IOPS = i.AllocatedStorage, i.Iops
		f.Cloud.ThroughputMiB = i.StorageThroughput
	}
	if c != nil {
		f.addCluster(c)
	}
	return f, nil
}

// addCluster adds what only the cluster knows: who writes, and Aurora's kind of storage.
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

// aurora reports whether the storage is Aurora's own: a volume without a size to order, and without a limit.
func (f *Found) aurora() bool { return strings.HasPrefix(f.Cloud.Engine, auroraPrefix) }
