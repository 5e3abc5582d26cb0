package fleet

import (
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/realiops/realiops/internal/analyze/burst"
	"github.com/realiops/realiops/internal/analyze/number"
	"github.com/realiops/realiops/internal/analyze/sizing"
	"github.com/realiops/realiops/internal/analyze/sizing/needs"
	"github.com/realiops/realiops/internal/metric"
	"github.com/realiops/realiops/internal/printable"
	"github.com/realiops/realiops/internal/runfile"
)

const (
	sector = 512 // bytes: no request carries less
	speaks = 1   // requests per second below which nothing is concluded
)

// oddBytes warns of requests that carry less than any can; empty if there are none.
func (w work) oddBytes() string {
	var requests, bytes float64
	for _, r := range w.knownMeans(0) {
		requests, bytes = requests+r.Requests(), bytes+r.Bytes()
	}
	if n := len(w.knownMeans(0)); requests < speaks*float64(n) || bytes >= sector*requests {
		return ""
	}
	return fmt.Sprintf("its requests would carry %s bytes each, but the minimum is %d: its bytes or its requests "+
		"are another metric", number.Rate(bytes/requests), sector)
}

// againstRule warns of credits that fell in hours in which the volume earned more than it spent; else empty.
func (w work) againstRule(held sizing.Held) string {
	i := slices.IndexFunc(held.Limits, func(l burst.Limit) bool { return l.Name == "operations" && l.Capacity > 0 })
	if i < 0 || w.peaks == nil {
		return ""
	}
	asked := asked(w.peaks, held, i)
	balance, _ := held.Limits[i].Percent(w.values(metric.CloudWatchBurstBalance, runfile.Minimum), asked)
	by, n := held.Limits[i].Fell(balance, asked)
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("its credits fell by %s%% in %s in which it did less than its volume earns: its volume is "+
		"not the one named, or it does more than its metrics show", number.Rate(by), printable.Counted(n, "hour"))
}

// asked returns the demand of hourly rates on a limit, per second; NaN if unknown.
func asked(rates []needs.Rate, held sizing.Held, limit int) []float64 {
	all := make([]float64, len(rates))
	for h, r := range rates {
		all[h] = math.NaN()
		if known(r) {
			all[h] = held.Demands([]needs.Rate{r}, 1)[0][held.Limits[limit].Of]
		}
	}
	return all
}

// repeated lists groups of databases with equal hours: one database under several names.
func (f Fleet) repeated() (sentences []string) {
	byHours := map[string][]string{}
	var keys []string
	for _, d := range f.Databases {
		if d.Need == nil || !d.varies() {
			continue
		}
		key := fmt.Sprintf("%.6g %.6g %s %.6g", d.Need.Typical, d.Need.WorstHour, d.Need.WorstAt.Format(time.RFC3339),
			d.Daily)
		if byHours[key] == nil {
			keys = append(keys, key)
		}
		byHours[key] = append(byHours[key], d.Name)
	}
	for _, key := range keys {
		if names := byHours[key]; len(names) > 1 {
			sentences = append(sentences, printable.Listed(names)+
				": their hours are identical, so they may be one database under several names")
		}
	}
	return sentences
}

// varies reports whether the days of a database differ, so that equality with another is no chance.
func (d Database) varies() bool {
	const differ = 1.02
	days := slices.DeleteFunc(slices.Clone(d.Daily), math.IsNaN)
	return len(days) > 1 && slices.Max(days) > differ*slices.Min(days) && slices.Max(days) > speaks
}
