package fleet

import (
	"cmp"
	"errors"
	"fmt"
	"iter"
	"math"
	"strings"
	"time"

	"github.com/realiops/realiops/internal/analyze/billing"
	"github.com/realiops/realiops/internal/analyze/catalog"
	"github.com/realiops/realiops/internal/metric"
	"github.com/realiops/realiops/internal/printable"
	"github.com/realiops/realiops/internal/runfile"
)

// mostPeriods bounds the periods of one database: the hours of a year, for all requested metrics.
const mostPeriods = 500_000

// record is a run file's content about a database.
type record struct {
	run     runfile.Run
	periods []runfile.Period
	gaps    []runfile.Gap
	end     time.Time // zero: the file was cut off
}

func read(records iter.Seq2[runfile.Record, error]) (r record, err error) {
	for next, err := range records {
		if _, torn := errors.AsType[*runfile.TornError](err); torn {
			break
		}
		if err != nil {
			return r, err
		}
		switch next := next.(type) {
		case runfile.Run:
			r.run = next
		case runfile.Period:
			r.periods = append(r.periods, next)
		case runfile.Gap:
			r.gaps = append(r.gaps, next)
		case runfile.Ended:
			r.end = next.At
		}
		if len(r.periods) > mostPeriods {
			return r, fmt.Errorf("it has more than %s periods, which is too many for one database",
				printable.Count(mostPeriods))
		}
	}
	return r, nil
}

// ErrNoDatabase is the error for a run file about something else.
var ErrNoDatabase = errors.New("it was not written by realiops fleet: it has no hours")

// Read judges the database of a run file.
func (a Ask) Read(records iter.Seq2[runfile.Record, error]) (Page, error) {
	r, err := read(records)
	if err != nil {
		return Page{}, err
	}
	if r.run.Plan.Name != runfile.FleetPlan {
		return Page{}, ErrNoDatabase
	}
	if r.name() == "" {
		return Page{}, errors.New("it does not name its database")
	}
	d := Page{Database: Database{Name: r.name(), Kind: r.kind(), Lacks: []string{}, Notes: []string{},
		Risk: Risk{Level: NotKnown}}}
	has, listed := a.Has[d.Name]
	if cloud := r.run.Target.Cloud; cloud != nil && !listed {
		has = HasOf(*cloud)
	}
	d.Class, d.Region = has.Class, cmp.Or(has.Region, a.Region)
	if d.CutOff = r.end.IsZero(); d.CutOff {
		d.note("its file was cut off, so its end is missing")
	}
	for _, g := range r.gaps {
		// Late or inapplicable metrics are not worth mentioning.
		if g.Reason == runfile.Permission || g.Reason == runfile.Failed || g.Reason == runfile.Absent {
			d.lack("%s", strings.TrimPrefix(g.Metric+": "+g.Detail, ": "))
			d.Doubted = d.Doubted || g.Metric == "" && g.Reason == runfile.Absent
		}
	}
	if len(r.periods) == 0 {
		if len(d.Lacks) == 0 {
			d.lack("the source has no data for that time")
		}
		return d, nil
	}
	s, err := newSheet(r.periods, r.run.Start, r.end)
	if err != nil {
		return Page{}, err
	}
	d.From, d.To, d.Hours = s.from, s.at(s.hours), s.hours
	if d.Kind == Cluster {
		a.cluster(&d, r, s)
	} else {
		a.storage(&d, s, has, r.run.Target.Cloud)
	}
	if d.RegionAssumed = has.Region == "" && a.Assumed && d.AsOf != ""; d.RegionAssumed {
		d.note("its region is unknown: %s prices are used", d.Region)
	}
	return d, nil
}

func (r record) name() string {
	if c := r.run.Target.Cloud; c != nil {
		return cmp.Or(c.Cluster, c.Instance, r.run.Target.Host)
	}
	return r.run.Target.Host
}

func (r record) kind() Kind {
	switch c := r.run.Target.Cloud; {
	case c == nil && len(r.periods) > 0 && r.periods[0].Probe == metric.CloudWatch:
		return RDS
	case c == nil:
		return Machine
	case c.Cluster != "":
		return Cluster
	default:
		return RDS
	}
}

// cluster compares an Aurora cluster's cost in both configurations.
func (a Ask) cluster(d *Page, r record, s sheet) {
	var instances []billing.Instance
	for _, m := range r.run.Target.Cloud.Members {
		instances = append(instances, billing.Instance{Name: m.Instance, Class: m.Class})
	}
	use := billing.FromPeriods(r.periods, d.From, d.To, instances)
	use.Elsewhere = "realiops aws cost"
	c := billing.Compare(use, a.tariff(d.Region), nil)
	c.Now = r.run.Target.Cloud.Storage
	writes := s.values(metric.CloudWatchVolumeWriteIOPs, runfile.Sum)
	cover := coverage{from: s.from}
	for _, v := range writes {
		cover.known = append(cover.known, !math.IsNaN(v))
	}
	d.cover(cover)
	d.Risk.Level = None
	d.addDays(c)
	if cover.count(0, len(writes)) == 0 {
		d.lack("which of Aurora's configurations costs less is unknown: %s", c.Verdict.Why)
		return
	}
	if why := cover.tooLittle(writes); why != "" {
		d.withhold(why)
		return
	}
	if c.Whole.Compared > 0 {
		d.Known = c.Whole.Compared
	}
	if c.Verdict.Cheaper == "" {
		d.lack("which of Aurora's configurations costs less is unknown: %s", c.Verdict.Why)
		return
	}
	d.AsOf = c.AsOf
	month := catalog.HoursInMonth / float64(c.Whole.Compared)
	d.Aurora = &Aurora{Now: c.Now, Cheaper: c.Verdict.Cheaper, Sure: c.Verdict.Sure,
		Standard: c.Whole.Total.Standard * month, Optimized: c.Whole.Total.Optimized * month}
	d.addSwitch(c)
}

// addSwitch says what the other configuration would save: over all hours, and in the weeks with the least and the most
// saving.
func (d *Database) addSwitch(c billing.Comparison) {
	if c.Now != billing.Standard && c.Now != billing.Optimized {
		d.lack("its current configuration is unknown")
		return
	}
	least, most := c.SavedAMonth()
	s := Span{Value: d.Aurora.Standard - d.Aurora.Optimized, Lowest: least, Highest: most}
	if c.Now == billing.Optimized {
		s = Span{Value: -s.Value, Lowest: -s.Highest, Highest: -s.Lowest}
	}
	if !c.Verdict.Sure {
		d.note("this is uncertain: %s", c.Verdict.Why)
	}
	d.Saves = &s
}
