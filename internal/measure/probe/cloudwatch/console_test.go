package cloudwatch_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/realiops/realiops/internal/measure/probe/cloudwatch"
	"github.com/realiops/realiops/internal/metric"
)

// TestMetricsOfTheConsole: of the metrics that AWS lists (USER_PerfInsights.Cloudwatch,
// Aurora.AuroraMonitoring.Metrics, rds-metrics), those that a load moves are asked for, and each is explained.
func TestMetricsOfTheConsole(t *testing.T) {
	const (
		load = "DBLoad DBLoadCPU DBLoadNonCPU DBLoadRelativeToNumVCPUs ReadIOPS WriteIOPS ReadThroughput " +
			"WriteThroughput ReadLatency WriteLatency"
		ofAurora  = "VolumeReadIOPs VolumeWriteIOPs CommitThroughput"
		explained = "FreeableMemory SwapUsage AuroraReplicaLag MaximumUsedTransactionIDs " +
			"TotalBackupStorageBilled ReadDPU"
	)
	rds := writer
	rds.Engine, rds.Cluster, rds.Storage = "postgres", "", "gp3"
	asked := map[string][]string{load + " " + ofAurora: cloudwatch.Names(writer), load: cloudwatch.Names(rds)}
	for names, of := range asked {
		for name := range strings.FieldsSeq(names) {
			if !slices.Contains(of, name) {
				t.Errorf("%s is not asked for among %q", name, of)
			}
		}
	}
	for name := range strings.FieldsSeq(load + " " + ofAurora + " " + explained) {
		if len(metric.MeaningsOf(name)) == 0 && len(metric.EntriesOf(name)) == 0 {
			t.Errorf("%s is not explained", name)
		}
	}
}
