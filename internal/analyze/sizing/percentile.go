package sizing

import (
	"fmt"

	"github.com/realiops/realiops/internal/analyze/sizing/needs"
	"github.com/realiops/realiops/internal/printable"

	"github.com/realiops/realiops/internal/analyze/number"
)

const percentile = 99

func (a Ask) percentile() float64 {
	if a.Percentile == 0 {
		return percentile
	}
	return a.Percentile
}

// rate returns the rate to size for: a percentile of the seconds if they were read, but at least the mean, which
// includes the pages of the closing checkpoint.
func (p *Part) rate(ask Ask, warnings *[]string) needs.Rate {
	switch {
	case p.Need.Model != nil && p.Need.Model.Reason == needs.Others:
		p.Basis = ByModel
		*warnings = append(*warnings,
			"Other programs use the device. The order leaves them out: the need is the upper bound of this "+
				"server's own counters.", fmt.Sprintf("Under %s %s.", p.Need.Load, p.Need.Model.Detail))
		return p.Need.Highest
	case p.Need.Model != nil:
		p.Basis = ByModel
		*warnings = append(*warnings, fmt.Sprintf("The device was not read (%s). Requests and bytes come from a "+
			"model of one machine, fed with the WAL and the pages. The order is for twice its requests and %g times "+
			"its bytes.", p.Need.Model, needs.ModelBytesOff))
		return p.Need.Highest
	case p.Need.Peaks == nil:
		p.Basis = ByMean
		return p.Need.Highest
	}
	_, several := needs.Stretches(p.Need.Peaks.Length)
	p.Basis = fmt.Sprintf("p%g", ask.percentile())
	rate := needs.Quantile([]needs.Rate{p.Need.Mean, needs.Quantile(p.Need.Seconds, ask.percentile()/100)}, 1)
	if seconds := p.Need.Peaks.Seconds; float64(seconds)*(100-ask.percentile()) < 100 && ask.percentile() < 100 {
		*warnings = append(*warnings, fmt.Sprintf("With %s %s of %s, the %s percentile is the worst of them.",
			printable.Count(seconds), several, p.Need.Load, number.Ordinal(ask.percentile())))
	}
	ordered, a := rate.Times(1+ask.Headroom/100), &Above{}
	for _, r := range p.Need.Seconds {
		if r.Requests() > ordered.Requests() || r.Bytes() > ordered.Bytes() {
			a.Seconds++
			a.Worst = needs.Quantile([]needs.Rate{a.Worst, r}, 1)
		}
	}
	p.Above = a
	if a.Seconds > 0 {
		*warnings = append(*warnings, fmt.Sprintf("In %s of %s %s %s needed more than this order carries, up to %s "+
			"requests/s and %s MB/s; the excess waits. --percentile 100 orders for the worst of them.",
			printable.Count(a.Seconds), printable.Count(len(p.Need.Seconds)), several, p.Need.Load,
			number.Rate(a.Worst.Requests()),
			number.Rate(a.Worst.Bytes()/number.Mega)))
	}
	return rate
}
