package cloudwatch

import (
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/realiops/realiops/internal/metric"
	"github.com/realiops/realiops/internal/runfile"
)

// Levels of metrics and flavors of servers, as in the table of metrics.
const (
	instance = "instance"
	cluster  = "cluster"
	volume   = "volume"
	machine  = "machine" // of EC2

	aurora = "aurora"
	rds    = "rds"
	ebs    = "ebs" // a volume of a self-managed server, or the machine with all its volumes
)

// rows returns a flavor's CloudWatch metrics of some levels. Metrics of only a global database's secondary region are
// left out, because no load can run there.
func rows(flavor string, levels ...string) []metric.Meaning {
	return slices.DeleteFunc(metric.Meanings(), func(m metric.Meaning) bool {
		return m.Service != Name || m.On != flavor || !slices.Contains(levels, m.Level) || m.Unread
	})
}

// publishedOf returns a metric of the instance, cluster, volume or machine of that name.
func publishedOf(m metric.Meaning, id string) published {
	_, _, scale := m.InBase()
	return published{
		metric: m.Row().Announced(), namespace: namespace(m.Level), name: m.Metric, dimensions: map[string]string{
			m.Dimension: id},
		period: time.Duration(m.Period) * time.Second, statistics: m.Statistics, scale: scale, underLoad: m.UnderLoad,
	}
}

func namespace(level string) string {
	switch level {
	case volume:
		return "AWS/EBS"
	case machine:
		return "AWS/EC2"
	default:
		return "AWS/RDS"
	}
}

var withLocalDisk = regexp.MustCompile(`^db\.[a-z]+\d+[a-z]*d[a-z]*\.`)

// has reports whether a server has a feature that a metric needs. Classes with a local disk have a d
// in their names: db.r6gd.large.
func has(c runfile.Cloud, what metric.Having) bool {
	switch what {
	case metric.Serverless:
		return c.Class == "db.serverless"
	case metric.Provisioned:
		return c.Class != "db.serverless"
	case metric.Burstable:
		return strings.HasPrefix(c.Class, "db.t")
	case metric.LocalDisk:
		return withLocalDisk.MatchString(c.Class)
	case metric.LogVolume:
		return c.LogVolume
	case metric.GeneralPurpose2:
		return c.Storage == "gp2"
	default:
		return true
	}
}
