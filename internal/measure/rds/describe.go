package rds

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/rds/types"

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
func describe(region string, i *types.DBInstance, c *types.DBCluster) (Found, error) {
	engine := aws.ToString(i.Engine)
	if engine == "" {
		return Found{}, none("rds:DescribeDBInstances", aws.ToString(i.DBInstanceIdentifier))
	}
	if !strings.Contains(engine, "postgres") {
		return Found{}, fmt.Errorf("the instance %s runs %s, and realiops knows PostgreSQL",
			aws.ToString(i.DBInstanceIdentifier), engine)
	}
	f := Found{Status: aws.ToString(i.DBInstanceStatus), IAM: aws.ToBool(i.IAMDatabaseAuthenticationEnabled)}
	if i.Endpoint != nil {
		f.Endpoint, f.Port = aws.ToString(i.Endpoint.Address), int(aws.ToInt32(i.Endpoint.Port))
	}
	f.Cloud = runfile.Cloud{
		Provider: "aws", Region: region,
		Instance: aws.ToString(i.DBInstanceIdentifier), Cluster: aws.ToString(i.DBClusterIdentifier),
		Resource: aws.ToString(i.DbiResourceId),
		Engine:   engine, Version: aws.ToString(i.EngineVersion), Class: aws.ToString(i.DBInstanceClass),
		Storage: aws.ToString(i.StorageType), LogVolume: aws.ToBool(i.DedicatedLogVolume),
		MultiAZ: aws.ToBool(i.MultiAZ), Insights: aws.ToBool(i.PerformanceInsightsEnabled),
		MonitoringSeconds: int(aws.ToInt32(i.MonitoringInterval)),
		InsightsMode:      strings.ToLower(string(i.DatabaseInsightsMode)),
	}
	if f.Cloud.Insights {
		f.Cloud.InsightsDays = int(aws.ToInt32(i.PerformanceInsightsRetentionPeriod))
	}
	if f.aurora() {
		f.Cloud.Storage = auroraPrefix // AWS's usual word for it; the cluster may say another
	} else {
		f.Cloud.SizeGiB, f.Cloud.IOPS = int(aws.ToInt32(i.AllocatedStorage)), int(aws.ToInt32(i.Iops))
		f.Cloud.ThroughputMiB = int(aws.ToInt32(i.StorageThroughput))
	}
	if c != nil {
		f.addCluster(c)
	}
	return f, nil
}

// addCluster adds what only the cluster knows: who writes, and Aurora's kind of storage.
func (f *Found) addCluster(c *types.DBCluster) {
	f.WriterEndpoint = aws.ToString(c.Endpoint)
	f.Cloud.InsightsMode = cmp.Or(f.Cloud.InsightsMode, strings.ToLower(string(c.DatabaseInsightsMode)))
	f.IAM = f.IAM || aws.ToBool(c.IAMDatabaseAuthenticationEnabled)
	if _, writer := members(c); writer == f.Cloud.Instance {
		f.Cloud.Role = RoleWriter
	} else if writer != "" {
		f.Cloud.Role = RoleReader
	}
	if !f.aurora() || strings.HasPrefix(aws.ToString(c.StorageType), auroraPrefix) {
		f.Cloud.Storage = cmp.Or(aws.ToString(c.StorageType), f.Cloud.Storage)
	}
}

// aurora reports whether the storage is Aurora's own: a volume without a size to order, and without a limit.
func (f *Found) aurora() bool { return strings.HasPrefix(f.Cloud.Engine, auroraPrefix) }
