package tally

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/realiops/realiops/internal/analyze/counts"
	"github.com/realiops/realiops/internal/metric"
	"github.com/realiops/realiops/internal/printable"
	"github.com/realiops/realiops/internal/runfile"
	"github.com/realiops/realiops/internal/series"
)

// anatomyProbe is the prefix of the anatomy probe's metrics.
const anatomyProbe = "anatomy/"

// Names of the anatomy probe's metrics. The metrics of a part are named by the part and these suffixes.
const (
	walBytes      = anatomyProbe + "wal_bytes"
	coveredBytes  = anatomyProbe + "covered_bytes"
	recordsRead   = metric.AnatomyRecords
	recordBytes   = anatomyProbe + "bytes"
	partOfRecords = "_records"
	partOfBytes   = "_bytes"
	partOfImages  = "_image_bytes"
)

// anatomy returns the WAL records read in the repetition; nil if the run has no anatomy probe.
func (b *builder) anatomy(r counts.Repetition, loadEnd, othersEnd time.Time) *counts.Anatomy {
	records, announced := b.metrics[recordsRead]
	if !announced {
		return nil
	}
	of := func(metric string) counts.Count { return count(b.Series(metric), r.Begin, r.End, loadEnd, othersEnd) }
	all, covered, log := of(recordsRead), of(coveredBytes), of(walBytes)
	if all.Missing != nil {
		return &counts.Anatomy{Missing: all.Missing}
	}
	if covered.Raw <= 0 || log.Raw < covered.Raw || all.Raw <= 0 {
		return &counts.Anatomy{
			Missing: &series.Missing{Reason: series.NeverRead, Detail: "none of its WAL could be read, or not before it was recycled"}}
	}
	a := &counts.Anatomy{Source: counts.Walinspect, Coverage: covered.Raw / log.Raw, Counted: r.WALRecords()}
	if strings.Contains(records.Source, "waldump") {
		a.Source = counts.Waldump
	}
	scale := 1 / a.Coverage
	if isScaled(a) {
		scale = a.Counted / all.Raw
	}
	var windows []map[string]float64
	if !a.Exact() {
		windows = b.windows(r)
	}
	a.Sum = scaled(a, "", all.Raw, of(recordBytes).Raw, scale, windows)
	for _, metric := range slices.Sorted(maps.Keys(b.metrics)) {
		if name, isPart := partName(metric); isPart {
			if n := of(metric); n.Missing == nil && n.Raw > 0 {
				part := scaled(a, name, n.Raw, of(anatomyProbe+name+partOfBytes).Raw, scale, windows)
				if images := of(anatomyProbe + name + partOfImages); images.Missing == nil {
					part.Images = images.Raw * scale
				}
				a.Parts = append(a.Parts, part)
			}
		}
	}
	return a
}

func partName(metric string) (string, bool) {
	name, ofProbe := strings.CutPrefix(metric, anatomyProbe)
	name, isPart := strings.CutSuffix(name, partOfRecords)
	return name, ofProbe && isPart
}

// scaled returns a part from its counts in the windows, scaled up unless the windows covered everything.
func scaled(a *counts.Anatomy, name string, records, bytes, scale float64, windows []map[string]float64) counts.Part {
	if a.Exact() {
		return counts.Part{Name: name, Records: records, Low: records, High: records, Bytes: bytes}
	}
	base, metric := coveredBytes, anatomyProbe+name+partOfRecords
	if name == "" {
		metric = recordsRead
	}
	if isScaled(a) && name == "" {
		return counts.Part{Name: name, Records: a.Counted, Low: a.Counted, High: a.Counted, Bytes: bytes * scale}
	}
	if isScaled(a) {
		base = recordsRead
	}
	n, half := records*scale, scale*half(metric, base, 1-a.Coverage, windows)
	most := math.Inf(1) // or as much as all records not read
	if isScaled(a) {
		most = records + a.Counted - a.Counted/scale
	}
	return counts.Part{Name: name, Records: n, Low: max(n-half, records), High: min(n+half, most), Bytes: bytes * scale}
}

// isScaled reports whether the parts are scaled to PostgreSQL's own count.
func isScaled(a *counts.Anatomy) bool { return !a.Exact() && !math.IsNaN(a.Counted) }

// half returns the half-width of the interval of a sum that is estimated by its ratio to a base: all records, or the
// bytes of WAL covered. Each reading is a random group of windows. The differences between groups give the uncertainty,
// in proportion to what was not read. By Chebyshev, at most one in twenty values lies further away, whatever the
// distribution.
func half(metric, base string, unread float64, windows []map[string]float64) float64 {
	const fewest, errors = 5, 4.48
	if len(windows) < fewest {
		return math.Inf(1)
	}
	sum, ofBase := 0.0, 0.0
	for _, w := range windows {
		sum += w[metric]
		ofBase += w[base]
	}
	scatter := 0.0
	for _, w := range windows {
		d := w[metric] - w[base]*sum/ofBase
		scatter += d * d
	}
	groups := float64(len(windows))
	return errors * math.Sqrt(unread*groups/(groups-1)*scatter)
}

// windows returns the growth of each metric at each reading of the WAL in the repetition.
func (b *builder) windows(r counts.Repetition) (all []map[string]float64) {
	byTime := map[time.Time]map[string]float64{}
	for change, err := range b.Series(coveredBytes).Changes(b.before(r.Begin), r.End) {
		if err == nil && change.Amount > 0 {
			byTime[change.To] = map[string]float64{coveredBytes: change.Amount}
			all = append(all, byTime[change.To])
		}
	}
	for metric := range b.metrics {
		if _, isPart := partName(metric); !isPart && metric != recordsRead {
			continue
		}
		for change, err := range b.Series(metric).Changes(b.before(r.Begin), r.End) {
			if w := byTime[change.To]; err == nil && w != nil {
				w[metric] = change.Amount
			}
		}
	}
	return all
}

// before returns the time of the probe's last reading before t, from which on its changes are counted.
func (b *builder) before(t time.Time) time.Time {
	point, err := b.Series(coveredBytes).Before(t)
	if err != nil {
		return t
	}
	return point.At
}

// anatomy notes anatomies whose total differs from PostgreSQL's count.
func (k checks) anatomy(load runfile.Load, r counts.Repetition) {
	const tolerance = 0.01
	if r.Log == nil || r.Log.Missing != nil || !r.Log.Exact() || math.IsNaN(r.Log.Counted) || load.Idle() {
		return
	}
	if off := math.Abs(r.Log.Sum.Records-r.Log.Counted) / r.Log.Counted; off > tolerance {
		k.notes.add("wal-differs", fmt.Sprintf("The WAL of %s %d holds %s records by %s, and %s by pg_stat_wal",
			load.Name, r.Number, printable.Count(r.Log.Sum.Records), r.Log.Source, printable.Count(r.Log.Counted)))
	}
}
