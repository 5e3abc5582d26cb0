package measuring

import (
	"fmt"
	"slices"

	"github.com/spf13/pflag"

	"github.com/realiops/realiops/internal/analyze/catalog"
	"github.com/realiops/realiops/internal/measure/collect"
	"github.com/realiops/realiops/internal/measure/load"
	"github.com/realiops/realiops/internal/metric"
	"github.com/realiops/realiops/internal/runfile"
)

// cloudOptions are the flags that make a run wait for AWS's metrics.
type cloudOptions struct{ all, quick bool }

func (o *cloudOptions) addFlags(f *pflag.FlagSet) {
	f.BoolVar(&o.all, "aws", false,
		"also judge CloudWatch and Performance Insights: each load lasts two of their five-minute periods; volume "+
			"metrics move about once an hour, so they are judged for the whole run, with an hour of rest before and "+
			"after it; --load-seconds 10800 judges them for each load, which takes days")
	f.BoolVar(&o.quick, "quick-aws", false,
		"judge only the AWS metrics that come every minute: each load lasts two minutes; volume metrics, such as "+
			"VolumeWriteIOPs, are left out")
}

func (o cloudOptions) asked() bool { return o.all || o.quick }

// period returns the longest period of the requested metrics, in seconds; 0: none were requested.
func (o cloudOptions) period() float64 {
	switch {
	case o.quick:
		return metric.Minute
	case o.all:
		return metric.FiveMinutes
	default:
		return 0
	}
}

// rest returns how long to rest before the first load and after the last, in seconds: sources with long periods
// show work up to a period later.
func (o cloudOptions) rest(tempo collect.Tempo) float64 {
	if !o.all {
		return 0
	}
	return metric.Hour / tempo.Times()
}

// The highest published rates of billed writes and reads under many clients: 3.1 million writes in five minutes on a
// db.r6i.8xlarge, and 3.02 million reads (testdata/runs/published-steps.jsonl).
const (
	publishedWrites = 3.1e6 / 300
	publishedReads  = 3.02e6 / 300
)

// bill estimates the price of a run's reads and writes on an AWS server.
func bill(cloud runfile.Cloud, plan runfile.Plan) string {
	if cloud.Engine == "" && cloud.Machine == "" {
		return " Whether its I/O is billed is unknown: AWS did not name its engine."
	}
	if !cloud.Aurora() || cloud.Storage == "aurora-iopt1" {
		return " Its I/O costs nothing beyond the instance and its storage, unless it uses up burst credits."
	}
	writes, reads := 0.0, 0.0
	for _, l := range plan.Loads {
		switch seconds := plan.LoadSeconds * float64(plan.Times(l)); {
		case load.Reads(l.Method):
			reads += publishedReads * seconds / 1e6
		case !l.Idle():
			writes += publishedWrites * seconds / 1e6
		}
	}
	text := fmt.Sprintf(" At the highest pace that was published, of a db.r6i.8xlarge, it makes %.1f million "+
		"billed writes", writes)
	if reads > 0 {
		text += fmt.Sprintf(" and %.1f million billed reads", reads)
	}
	if price, known := auroraIO(cloud.Region); known {
		text += fmt.Sprintf(", for %.2f %s by the price list of %s", (writes+reads)*price.Price, price.Currency,
			price.Region)
	}
	text += "; a smaller instance makes fewer"
	if reads > 0 {
		text += ", and so does one whose buffers hold what is read; scans of a table that they do not " +
			"hold may make more"
	}
	return text + "."
}

// auroraIO returns the price of a million billed operations in the region, or else in the catalog's.
func auroraIO(region string) (catalog.Price, bool) {
	of := slices.DeleteFunc(catalog.Prices(), func(p catalog.Price) bool {
		return p.Volume != "aurora" || p.Per != catalog.PerMillionIO
	})
	if i := slices.IndexFunc(of, func(p catalog.Price) bool { return p.Region == region }); i >= 0 {
		return of[i], true
	}
	if len(of) == 0 {
		return catalog.Price{}, false
	}
	return of[0], true
}
