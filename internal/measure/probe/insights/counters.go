package insights

import (
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/pi/types"

	"github.com/realiops/realiops/internal/metric"
	"github.com/realiops/realiops/internal/runfile"
)

// counter is a metric of the service, and what makes its values ours.
type counter struct {
	name    string // of the service, without a statistic
	metric  runfile.Metric
	scale   float64 // by which the service's values are multiplied
	seconds int     // its period
	waits   bool    // by what sessions wait for
}

func (c counter) query() types.MetricQuery {
	q := types.MetricQuery{Metric: aws.String(c.name + ".avg")}
	if c.waits {
		q.GroupBy = &types.DimensionGroup{Group: aws.String("db.wait_event"), Limit: aws.Int32(mostParts)}
	}
	return q
}

// table returns what an instance of an engine may have, of what bears on writing and on where time goes. Counters of
// the operating system come each second where Enhanced Monitoring reads them each second; those of PostgreSQL each
// minute. The load of the database stands first: how many sessions were at work or waiting, on average.
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

// loadName is the load of the database, which is divided by the sessions' wait events.
const loadName = "db.load"
