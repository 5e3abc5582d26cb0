package insights

import (
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/pi/types"

	"github.com/realiops/realiops/internal/metric"
	"github.com/realiops/realiops/internal/runfile"
)

// counter is a metric of the service, and its conversion to ours.
type counter struct {
	name    string // in the service, without a statistic
	metric  runfile.Metric
	scale   float64 // factor for the service's values
	seconds int     // its period
	waits   bool    // divided by wait event
}

func (c counter) query() types.MetricQuery {
	q := types.MetricQuery{Metric: aws.String(c.name + ".avg")}
	if c.waits {
		q.GroupBy = &types.DimensionGroup{Group: aws.String("db.wait_event"), Limit: aws.Int32(mostParts)}
	}
	return q
}

// table returns the metrics of an instance that concern writing and time. Operating system counters come every
// second if Enhanced Monitoring does; PostgreSQL's every minute. The first is the database's load: the mean number
// of sessions working or waiting.
func table(cloud runfile.Cloud) []counter {
	flavor := "rds"
	if strings.HasPrefix(cloud.Engine, "aurora") {
		flavor = "aurora"
	}
	var all []counter
	for _, m := range metric.Meanings() {
		if m.Service != Name || m.On != flavor || m.Unread {
			continue
		}
		_, _, scale := m.InBase()
		c := counter{name: m.Metric, metric: m.Row().Announced(), scale: scale, seconds: metric.Minute,
			waits: m.Metric == loadName}
		if strings.HasPrefix(c.name, "os.") && cloud.MonitoringSeconds == 1 {
			c.seconds = 1
		}
		c.metric.Period = float64(c.seconds)
		all = append(all, c)
	}
	return all
}

// loadName is the load of the database, which is divided by wait events.
const loadName = "db.load"
