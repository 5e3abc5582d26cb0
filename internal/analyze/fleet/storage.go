package fleet

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/realiops/realiops/internal/analyze/catalog"
	"github.com/realiops/realiops/internal/analyze/number"
	"github.com/realiops/realiops/internal/analyze/sizing"
	"github.com/realiops/realiops/internal/analyze/sizing/needs"
	"github.com/realiops/realiops/internal/runfile"
)

// storage sets, for a database on volumes of a known size, the need, the limit and the order.
func (a Ask) storage(d *Page, s sheet, has Has, cloud *runfile.Cloud) {
	w, ok := d.did(s, has, cloud)
	if !ok {
		return
	}
	d.Need = w.need(a.Percentile)
	d.work, d.Daily = w, w.daily()
	held, ok := a.held(&d.Database, has)
	if !ok {
		return
	}
	d.Has = stored(held.Config, held.Bill)
	d.date(held.Bill)
	d.Has.Carries = Rate{held.Path.IOPS, held.Path.MiBps}
	// Operations of the worst hour, as few as a provider may count, and the most that the volume gives.
	least, most := 0.0, held.Capacity.BurstIOPS
	for _, r := range w.knownMeans(0) {
		n, _ := r.Operations(held.Volume.UnitKiB, held.Volume.Merges)
		least = max(least, n)
	}
	if least > most*(1+overshoot) {
		d.lack("it did %s operations a second for an hour, but the storage named gives at most %s: it has other "+
			"storage", number.Rate(least), number.Rate(most))
		return
	}
	if cloud != nil && cloud.Storage != "" && cloud.Class == "" && has.Class == "" { // AWS was asked, and knows it
		d.ClassUnknown = true
		d.lack("its class is unknown, and with it what its machine carries: add it to the file of --has")
	}
	d.Risk = a.risk(d, w, held)
	if why := w.againstRule(held); why != "" {
		d.lack("%s", why)
	}
	if why := cmp.Or(w.oddBytes(), w.coverage().tooLittle(w.requests())); why != "" {
		d.withhold(why)
		return
	}
	a.order(&d.Database, w, held, has)
}

// overshoot is the share by which a count may exceed what is sold before it must be another volume's.
const overshoot = 0.1

// did returns the database's activity, if known.
func (d *Page) did(s sheet, has Has, cloud *runfile.Cloud) (work, bool) {
	of := needs.OfDisk()
	if !s.has(of.Writes) {
		of = needs.OfInstance()
		if cloud == nil && !strings.HasPrefix(has.Volume, "rds-") {
			d.lack("whether it is RDS or Aurora is unknown, and on Aurora WriteIOPS counts WAL records: tell what " +
				"it has with --has")
			return work{}, false
		}
	}
	w := work{sheet: s, means: s.rates(of, runfile.Average), peaks: s.rates(of, runfile.Maximum)}
	w.fillPeaks(d)
	d.cover(w.coverage())
	if d.Known == 0 {
		for _, metric := range of.Names() {
			if !s.has(metric) {
				d.lack("%s is missing, so what storage did is unknown", metric)
			}
		}
		if len(d.Lacks) == 0 {
			d.lack("no hour has both requests and bytes")
		}
		return work{}, false
	}
	return w, true
}

func (a Ask) held(d *Database, has Has) (sizing.Held, bool) {
	i := slices.IndexFunc(a.Volumes, func(v catalog.Volume) bool { return v.Name == has.Volume })
	switch {
	case has.Volume == "":
		d.lack("its storage is unknown: add it to the --has file")
		return sizing.Held{}, false
	case i < 0:
		d.lack("%s is not a known volume", has.Volume)
		return sizing.Held{}, false
	}
	if a.Volumes[i].Provider == "aurora" {
		d.lack("it has %s, which bills what was used and has no limit to compare: --aws ranks Aurora clusters, and "+
			"--has names the volume of others", a.Volumes[i].Title)
		return sizing.Held{}, false
	}
	if at, of := catalog.CloudOfRegion(d.Region, nil), a.Volumes[i].Cloud(); at != "" && at != of {
		if has.Region != "" || !a.Assumed {
			d.lack("it has %s, and %s is a region of %s: name one of %s with --has", a.Volumes[i].Title, d.Region,
				at.Title(), of.Title())
			return sizing.Held{}, false
		}
		d.Region = of.Home()
	}
	if missing := unsaid(a.Volumes[i], has); missing != "" {
		d.lack("it has %s, but how %s is unknown: add it to the file of --has", a.Volumes[i].Title, missing)
		return sizing.Held{}, false
	}
	c := bought(sizing.Config{Volume: a.Volumes[i], GiB: has.GiB, IOPS: has.IOPS, MiBps: has.MiBps})
	held, err := sizing.Hold(c, has.Class, has.MultiAZ, a.Instances, a.tariff(d.Region))
	if err != nil {
		d.lack("what it has is impossible: %v", err)
		return sizing.Held{}, false
	}
	if held.Machine != "" {
		d.ClassUnknown = true
		d.lack("%s: fetch it with realiops aws limits, and pass the file with --limits", held.Machine)
	}
	if held.Bill == nil {
		d.lack("%s: fetch it with realiops prices, and pass the file with --price", held.NoBill)
	}
	return held, true
}

// unsaid returns the missing properties of a volume; empty if none. The rest comes with the size.
func unsaid(v catalog.Volume, has Has) string {
	tier, known := v.Tier(has.GiB)
	must := func(r catalog.Rule) bool { return max(r.SoldLeast, r.SoldLeastPerGiB*has.GiB) > 0 }
	switch {
	case has.GiB == 0:
		return "many GiB"
	case known && has.IOPS == 0 && must(tier.IOPS):
		return "many IOPS"
	case known && has.MiBps == 0 && must(tier.MiBps):
		return "many MiB/s"
	}
	return ""
}

// bought reduces a description to what is bought beside the size: AWS also lists what is included.
func bought(c sizing.Config) sizing.Config {
	tier, known := c.Volume.Tier(c.GiB)
	if !known {
		return c
	}
	for amount, rule := range map[*float64]catalog.Rule{&c.IOPS: tier.IOPS, &c.MiBps: tier.MiBps} {
		if rule.SoldMost == 0 || *amount <= rule.Free {
			*amount = 0
		}
	}
	return c
}

// date adds the dates of a bill's prices; nil has none.
func (d *Database) date(b *sizing.Bill) {
	if b != nil {
		d.AsOf = catalog.Dates(d.AsOf, b.AsOf())
	}
}

func stored(c sizing.Config, bill *sizing.Bill) *Storage {
	s := &Storage{Volume: c.Volume.Name, Title: c.Volume.Title, GiB: c.GiB, IOPS: c.IOPS, MiBps: c.MiBps}
	if bill != nil {
		s.Monthly = &bill.Total
	}
	return s
}

// order finds what to order instead, and the saving.
func (a Ask) order(d *Database, w work, held sizing.Held, has Has) {
	least, most := w.sized(a.Percentile)
	if most == nil {
		most = &least
	}
	if most.Requests() == 0 {
		d.lack("it did nothing at all in that time: is it the right disk?")
		return
	}
	options, err := a.options(held, has, d.Region, *most)
	if err != nil {
		d.lack("%v", err)
		return
	}
	sure := options[0]
	d.date(sure.Bill)
	if held.Bill == nil || sure.Bill == nil {
		d.Order = orderOf(sure)
		return
	}
	d.lackPrices(options)
	bold := sure
	if fewer, err := a.options(held, has, d.Region, least); err == nil {
		bold = fewer[0]
	}
	d.Saves = &Span{Value: held.Bill.Total - sure.Bill.Total, Lowest: held.Bill.Total - sure.Bill.Total,
		Highest: held.Bill.Total - bold.Bill.Total}
	if stays(held, sure, a.Headroom, *most) {
		*d.Saves = Span{Highest: max(0, d.Saves.Highest)}
		return
	}
	d.Order = orderOf(sure)
}

// lackPrices names other volumes that carry the need and may be cheaper, since their price is unknown.
func (d *Database) lackPrices(options []sizing.Option) {
	var names []string
	for _, o := range options {
		if o.Standing == sizing.Carries && (o.Bill == nil || o.Bill.Inferred) &&
			!slices.Contains(names, o.Volume.Title) {
			names = append(names, o.Volume.Title)
		}
	}
	if len(names) > 0 {
		d.lack("the price of %s in %s, which may be lower: fetch it with realiops prices, and pass the file with "+
			"--price",
			strings.Join(names, " or "), d.Region)
	}
}

func orderOf(o sizing.Option) *Storage {
	s := stored(o.Order.Config, o.Bill)
	s.Carries = Rate{o.Order.Capacity.IOPS, o.Order.Capacity.MiBps}
	if o.Cap != nil {
		s.Carries = Rate{o.Cap.IOPS, o.Cap.MiBps}
	}
	return s
}

// stays reports whether the present storage carries the need with headroom, and no alternative saves a cent.
func stays(held sizing.Held, o sizing.Option, headroom float64, need needs.Rate) bool {
	const cent = 0.01
	uses, _ := held.Uses(need.Times(1 + headroom/100))
	return uses <= 1 && held.Bill.Total <= o.Bill.Total+cent
}

// options returns the orders of the same provider that sustain a need, the cheapest first, with at least the present
// size: storage of a database does not shrink. If there are none, the error says why.
func (a Ask) options(held sizing.Held, has Has, region string, need needs.Rate) ([]sizing.Option, error) {
	q := sizing.Question{Need: need, GiB: held.GiB, Headroom: a.Headroom, Instance: has.Class, MultiAZ: has.MultiAZ,
		Balance: sizing.Full()}
	if held.Machine != "" {
		q.Instance = ""
	}
	same := slices.DeleteFunc(slices.Clone(a.Volumes), func(v catalog.Volume) bool {
		return v.Provider != held.Volume.Provider || v.HardDisk
	})
	options, err := sizing.Options(q, same, a.Instances, a.tariff(region))
	if err != nil {
		return nil, err
	}
	if len(options) > 0 && options[0].Standing == sizing.Carries {
		return options, nil
	}
	if len(options) > 0 && options[0].Why != "" {
		return nil, fmt.Errorf("no single volume carries it: %s", options[0].Why)
	}
	return nil, errors.New("its provider sells nothing that carries it")
}
