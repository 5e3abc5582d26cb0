package billing

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/realiops/realiops/internal/analyze/catalog"
	"github.com/realiops/realiops/internal/analyze/number"
	"github.com/realiops/realiops/internal/analyze/sizing"
)

// quote is the price of a unit in both configurations. If one was inferred, may holds the pairs that bound it.
type quote struct {
	Both
	may     []Both
	how     string   // how it was inferred; empty: it is known
	sources []string // keys
}

func unknown() quote { return quote{Both: Both{math.NaN(), math.NaN()}} }

// estimate is an inferred number with its bounds.
type estimate struct{ value, least, most float64 }

func exactly(v float64) estimate { return estimate{v, v, v} }

func (s estimate) times(o estimate) estimate {
	return estimate{s.value * o.value, s.least * o.least, s.most * o.most}
}

// Ratios of I/O-Optimized to Standard, per unit. For instances it was 1.299 to 1.302 in each of the seven pairs of
// us-east-1 and Tokyo, and for storage 2.25 in both. For capacity units it was 1.333 in us-east-1 and 1.357 in
// eu-west-2.
var (
	instanceRatio = estimate{1.300, 1.295, 1.305}
	capacityRatio = estimate{4.0 / 3, 1.29, 1.36}
	storageRatio  = estimate{2.25, 2.2, 2.3}
)

// Accuracy of another region's prices, scaled by the cost of the same class in both. Of the classes r5 and r6g, in all
// regions that have both, none was off by more than 2%. Storage and I/O of the known regions were up to 15% cheaper,
// and capacity units 6% dearer.
var (
	otherSize    = estimate{1, 0.99, 1.01}
	otherRegion  = estimate{1, 0.95, 1.05}
	otherService = estimate{0.95, 0.8, 1.1}
	otherUnits   = estimate{1.05, 0.9, 1.4}
)

// home is the region with most known prices.
const home = "us-east-1"

// quoted returns the price of a unit in both configurations, as listed or as inferred from other prices in the list.
func quoted(t sizing.Tariff, per catalog.Per, class string) quote {
	if per == catalog.PerHour && class == "" {
		return unknown()
	}
	q := quote{}
	standard, how := q.standard(t, per, class)
	if per == catalog.PerMillionIO {
		return q.with(standard, exactly(0), how)
	}
	if p, known := t.Find(Optimized, per, class); known {
		q.sources = append(q.sources, p.Source)
		return q.with(standard, exactly(p.Price), how)
	}
	ratio, words := instanceRatio, "I/O-Optimized as 1.300 of Standard"
	switch {
	case per == catalog.PerGiB:
		ratio, words = storageRatio, "I/O-Optimized as 2.25 of Standard"
	case class == Serverless:
		ratio, words = capacityRatio, "I/O-Optimized as 1.333 of Standard"
	}
	if how != "" {
		words = how + ", " + words
	}
	q.may = nil
	for _, s := range []float64{standard.least, standard.most} {
		q.may = append(q.may, Both{s, s * ratio.least}, Both{s, s * ratio.most})
	}
	q.Both, q.how = Both{standard.value, standard.value * ratio.value}, words
	return q.orUnknown()
}

func (q quote) with(standard, optimized estimate, how string) quote {
	q.Both, q.how = Both{standard.value, optimized.value}, how
	if how != "" {
		q.may = []Both{{standard.least, optimized.value}, {standard.most, optimized.value}}
	}
	return q.orUnknown()
}

// orUnknown drops a quote that could not be inferred.
func (q quote) orUnknown() quote {
	if !number.Finite(q.Standard) || !number.Finite(q.Optimized) {
		return unknown()
	}
	q.sources = slices.Compact(slices.Sorted(slices.Values(q.sources)))
	return q
}

// standard returns the price of a unit on Standard, and how it was inferred if not listed.
func (q *quote) standard(t sizing.Tariff, per catalog.Per, class string) (price estimate, how string) {
	if p, known := t.Find(Standard, per, class); known {
		q.sources = append(q.sources, p.Source)
		return exactly(p.Price), ""
	}
	if per == catalog.PerHour && class != Serverless {
		if p, known := scaledPrice(t, class); known {
			q.sources = append(q.sources, p.Source)
			return exactly(p.Price).times(otherSize), "from " + p.Class
		}
	}
	there, alike := ratioToHome(t, class)
	at := sizing.Tariff{Region: home, Prices: t.Prices}
	p, listed := at.Find(Standard, per, class)
	if !listed && per == catalog.PerHour && class != Serverless {
		p, listed = scaledPrice(at, class)
	}
	if !alike || !listed || t.Region == home {
		return exactly(math.NaN()), ""
	}
	q.sources = append(q.sources, p.Source, there.Source)
	spread := otherRegion
	switch {
	case class == Serverless:
		spread = otherUnits
	case per != catalog.PerHour:
		spread = otherService
	}
	return exactly(p.Price * there.Price).times(spread), "from " + home + ", as " + there.Class + " costs " +
		strconv.FormatFloat(there.Price, 'f', 2, 64) + " times as much"
}

// ratioToHome returns the ratio of a similar class's price in the region to its price at home.
func ratioToHome(t sizing.Tariff, class string) (catalog.Price, bool) {
	classes := []string{"db.r6g.large", "db.r5.large"}
	if strings.HasPrefix(class, "db.t") {
		classes = []string{"db.t3.medium", "db.t3.large"}
	}
	at := sizing.Tariff{Region: home, Prices: t.Prices}
	for _, class := range classes {
		here, ok := t.Find(Standard, catalog.PerHour, class)
		base, was := at.Find(Standard, catalog.PerHour, class)
		if ok && was && here.Currency == base.Currency {
			here.Price /= base.Price
			return here, true
		}
	}
	return catalog.Price{}, false
}

// scaledPrice returns the price of another size of a family, scaled to a class: AWS charges in proportion.
func scaledPrice(t sizing.Tariff, class string) (catalog.Price, bool) {
	family, size := sizeOf(class)
	for _, p := range t.Prices {
		if p.Volume != Standard || p.Per != catalog.PerHour || p.Region != t.Region {
			continue
		}
		if f, s := sizeOf(p.Class); f == family && s > 0 && size > 0 {
			p.Price *= size / s
			return p, true
		}
	}
	return catalog.Price{}, false
}

// sizeOf returns the family of a class, and its size in units of large; 0 if unknown.
func sizeOf(class string) (family string, size float64) {
	cut := strings.LastIndexByte(class, '.')
	if cut < 0 {
		return class, 0
	}
	family = class[:cut]
	switch word := class[cut+1:]; word {
	case "medium":
		return family, 0.5
	case "large":
		return family, 1
	default:
		times, ok := strings.CutSuffix(word, "xlarge")
		n := 1.0
		if times != "" {
			n, _ = strconv.ParseFloat(times, 64)
		}
		if !ok {
			n = 0
		}
		return family, 2 * n
	}
}
