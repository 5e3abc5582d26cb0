package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/realiops/realiops/internal/analyze/catalog"
	"github.com/realiops/realiops/internal/measure/collect"
	"github.com/realiops/realiops/internal/metric"
	"github.com/realiops/realiops/internal/runfile"
)

// cloudOptions are the flags that have a run wait for what AWS publishes.
type cloudOptions struct{ all, quick bool }

func (o *cloudOptions) addFlags(f *pflag.FlagSet) {
	f.BoolVar(&o.all, "aws", false,
		"judge the metrics of CloudWatch and Performance Insights too: each load lasts two of their periods of five minutes; metrics of the volume, which move in steps of about an hour, are judged for the whole run, with an hour of rest before and after it; --load-seconds 10800 judges them load by load, which takes days")
	f.BoolVar(&o.quick, "quick-aws", false,
		"judge only the AWS metrics that come every minute: each load lasts two minutes; metrics of the volume, such as VolumeWriteIOPs, are left out")
}

func (o cloudOptions) asked() bool { return o.all || o.quick }

// period is that of the slowest metric asked for, in seconds; 0: none was.
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

// rest is how long nothing is done before the first load and after the last, in seconds: sources that move in steps show what was done
// up to a step later.
func (o cloudOptions) rest(tempo collect.Tempo) float64 {
	if !o.all {
		return 0
	}
	return metric.Hour / tempo.Times()
}

// publishedPace is the most billed writes a second that were published: 3.1 million in five minutes, of many clients on a
// db.r6i.8xlarge (testdata/runs/published-steps.jsonl).
const publishedPace = 3.1e6 / 300

// bill says what the writes of a run may cost on a server of AWS's.
func bill(cloud runfile.Cloud, plan runfile.Plan) string {
	if !strings.HasPrefix(cloud.Engine, "aurora") || cloud.Storage == "aurora-iopt1" {
		return " Its writes cost nothing beside what the instance and its storage do, unless they end burst credits."
	}
	loaded := slices.DeleteFunc(slices.Clone(plan.Arms), runfile.Arm.Idle)
	writes := publishedPace * plan.ArmSeconds * float64(len(loaded)*plan.Replicates) / 1e6
	text := fmt.Sprintf(" At the highest pace that was published, of a db.r6i.8xlarge, it makes %.1f million billed writes", writes)
	if price, known := auroraIO(cloud.Region); known {
		text += fmt.Sprintf(", for %.2f %s by the price list of %s", writes*price.Price, price.Currency, price.Region)
	}
	return text + "; a smaller instance makes fewer."
}

// auroraIO is what a million billed operations cost, in the region or else in the one that the catalog has.
func auroraIO(region string) (catalog.Price, bool) {
	prices, err := catalog.Prices()
	if err != nil {
		return catalog.Price{}, false
	}
	of := slices.DeleteFunc(prices, func(p catalog.Price) bool { return p.Volume != "aurora" || p.Per != catalog.PerMillionIO })
	if i := slices.IndexFunc(of, func(p catalog.Price) bool { return p.Region == region }); i >= 0 {
		return of[i], true
	}
	if len(of) == 0 {
		return catalog.Price{}, false
	}
	return of[0], true
}
