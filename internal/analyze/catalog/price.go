package catalog

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"regexp"
	"slices"
	"strings"

	"github.com/realiops/realiops/internal/metric"
	"github.com/realiops/realiops/internal/typo"
)

// Price is the price of one unit.
type Price struct {
	Volume   string  `json:"volume"`          // name in Volumes, or aurora, aurora-iopt1, or machines
	Class    string  `json:"class,omitempty"` // of a machine, with Hour
	Tier     string  `json:"tier,omitempty"`  // of a volume that is sold in steps
	Per      Per     `json:"per"`
	From     float64 `json:"from,omitempty"` // price of the part above
	Region   string  `json:"region"`
	Currency string  `json:"currency"`
	Price    float64 `json:"price"`
	Source   string  `json:"source"`
	// from other prices, not from a price list: it ranks no order
	Inferred bool `json:"inferred,omitempty"`
}

// Per is the unit of a price.
type Per string

// The units of prices; all but PerHour and PerMillionIO are per month.
const (
	PerGiB       Per = "gib"
	PerIOPS      Per = "iops"  // bought beside the size
	PerMiBps     Per = "mibps" // bought beside the size; for Azure, a MB of 10^6 bytes
	PerTier      Per = "tier"
	PerMillionIO Per = "million-io"
	PerHour      Per = "hour"
)

// Priced items that are not volumes. WithStandby ends the names of RDS volumes and machines whose price is for two, in
// two zones.
const (
	MachinesOfEC2 = "ec2"
	MachinesOfRDS = "rds"
	WithStandby   = "-multi-az"
)

// HoursInMonth is the length of a month in providers' prices.
const HoursInMonth = 730

//go:embed prices.json
var pricesFile []byte

// Prices returns the prices built into the program.
func Prices() []Price { return decode[Price](pricesFile) }

// ReadPrices parses a list of prices in the program's own format.
func ReadPrices(r io.Reader) ([]Price, error) {
	text, err := io.ReadAll(r)
	if err != nil {
		return nil, fmt.Errorf("read the prices: %w", err)
	}
	all, err := readList[Price](bytes.NewReader(text), "prices")
	if err != nil {
		return nil, err
	}
	var told []struct {
		Price *float64 `json:"price"`
	}
	if err := json.Unmarshal(text, &told); err != nil {
		return nil, err
	}
	volumes, places := Volumes(), map[Price]int{}
	for i, p := range all {
		err := p.check()
		if told[i].Price == nil {
			err = errors.New("its price is missing")
		}
		if err == nil {
			err = p.sold(volumes)
		}
		switch first, twice := places[p.unit()]; {
		case err != nil:
		case twice:
			err = fmt.Errorf("it repeats price %d; remove one", first+1)
		case p.Currency != all[0].Currency:
			err = fmt.Errorf("it is in %s, but the first price is in %s; use one currency", p.Currency, all[0].Currency)
		}
		if err != nil {
			of := ""
			if p.Volume != "" && p.Per != "" {
				of = fmt.Sprintf(", of %s per %s", p.Volume, p.Per)
			}
			return nil, fmt.Errorf("price %d%s: %w", i+1, of, err)
		}
		places[p.unit()] = i
	}
	return all, nil
}

// sold refuses a price of an unknown item, which would never be used.
func (p Price) sold(volumes []Volume) error {
	names := []string{MachinesOfEC2, MachinesOfRDS, MachinesOfRDS + WithStandby}
	var of *Volume
	for i, v := range volumes {
		own := []string{v.Name}
		if v.Provider == "rds" {
			own = append(own, v.Name+WithStandby)
		}
		if slices.Contains(own, p.Volume) {
			of = &volumes[i]
		}
		names = append(names, own...)
	}
	switch cloud := CloudOfRegion(p.Region, nil); {
	case !slices.Contains(names, p.Volume):
		return fmt.Errorf("unknown volume%s", suggested(p.Volume, names))
	case cloud != "" && cloud != CloudOfVolume(p.Volume):
		return fmt.Errorf("%s is a region of %s, which does not sell %s", p.Region, cloud.Title(), p.Volume)
	case p.Class != "" && p.Per != PerHour:
		return fmt.Errorf("the price of a class, such as %s, must be per hour", p.Class)
	case p.Class != "":
		return nil
	case of == nil, of.Unlimited && p.Per == PerHour:
		return errors.New("class is missing; the price of a machine needs its class")
	}
	return p.of(*of)
}

// of refuses a price in a unit by which the volume is not sold.
func (p Price) of(v Volume) error {
	buys := func(rule func(Tier) Rule) bool {
		return slices.ContainsFunc(v.Tiers, func(t Tier) bool { return rule(t).SoldMost > 0 })
	}
	var tiers []string
	for _, t := range v.Tiers {
		tiers = append(tiers, t.Name)
	}
	sold := map[Per]bool{
		PerGiB: !v.SoldInSteps, PerTier: v.SoldInSteps, PerMillionIO: v.Unlimited,
		PerIOPS: buys(func(t Tier) Rule { return t.IOPS }), PerMiBps: buys(func(t Tier) Rule { return t.MiBps }),
	}
	switch {
	case v.PricedAs != "":
		return fmt.Errorf("it costs the same as %s; give that price instead", v.PricedAs)
	case !sold[p.Per]:
		return fmt.Errorf("%s is not sold by that unit", v.Title)
	case v.SoldInSteps && !slices.Contains(tiers, p.Tier):
		return fmt.Errorf("%s has no size %q%s", v.Title, p.Tier, suggested(p.Tier, tiers))
	case !v.SoldInSteps && p.Tier != "":
		return fmt.Errorf("%s has no named sizes, such as %q", v.Title, p.Tier)
	}
	return nil
}

// suggested suggests the name that was meant, as the end of a sentence; empty if none is near.
func suggested(typed string, names []string) string {
	if guess := typo.Guess(typed, names); guess != "" {
		return fmt.Sprintf("; did you mean %s?", guess)
	}
	return ""
}

// unit returns the item of a price: the price without amount and source.
func (p Price) unit() Price {
	p.Currency, p.Price, p.Source, p.Inferred = "", 0, "", false
	return p
}

// Override returns the first list followed by the second. For an item priced in the first, all steps of the second are
// dropped, and so are prices in another currency.
func Override(first, second []Price) []Price {
	known := map[Price]bool{}
	whole := func(p Price) Price {
		p = p.unit()
		p.From = 0
		return p
	}
	for _, p := range first {
		known[whole(p)] = true
	}
	all := slices.Clone(first)
	for _, p := range second {
		if !known[whole(p)] && (len(first) == 0 || p.Currency == first[0].Currency) {
			all = append(all, p)
		}
	}
	return all
}

// apart is the factor from known prices of the same item at which a price's unit is doubted: it may be in cents, or per
// TB.
const apart = 10

// Doubts returns oddities of a user's prices, each as a sentence without its full stop: a region that looks like a
// misspelled one, and amounts far from the known ones in the same currency.
func Doubts(own, known []Price) (all []string) {
	say := func(text string) {
		if !slices.Contains(all, text) {
			all = append(all, text)
		}
	}
	regions := slices.Concat(AWS.Regions(), Azure.Regions(), Google.Regions())
	for _, p := range own {
		if !slices.Contains(regions, p.Region) && typo.Guess(p.Region, regions) != "" {
			say(fmt.Sprintf("The file has prices for the unknown region %s; did you mean %s?", p.Region,
				typo.Guess(p.Region, regions)))
		}
		least, most := math.Inf(1), 0.0
		for _, k := range known {
			p, k := p, k
			p.Region, k.Region = "", ""
			if p.unit() == k.unit() && own[0].Currency == k.Currency {
				least, most = min(least, k.Price), max(most, k.Price)
			}
		}
		free := p.Price == 0 && p.Per != PerMillionIO // the first operations and MiB/s of a volume
		if most > 0 && !free && (p.Price > apart*most || p.Price < least/apart) {
			say(fmt.Sprintf("The file's price of %s per %s, %g %s, is far from known prices (%g to %g): a unit is "+
				"probably wrong", p.Volume, p.Per, p.Price, p.Currency, least, most))
		}
	}
	return all
}

// absurd is a price too high for any unit.
const absurd = 1e6

// absurdAmount is more of anything than is sold.
const absurdAmount = 1e15

// currencies matches ISO 4217 codes.
var currencies = regexp.MustCompile(`^[A-Z]{3}$`)

func (p Price) check() error {
	switch {
	case p.Volume == "" || p.Per == "" || p.Region == "" || p.Currency == "":
		return errors.New("volume, per, region and currency are required")
	case !slices.Contains([]Per{PerGiB, PerIOPS, PerMiBps, PerTier, PerMillionIO, PerHour}, p.Per):
		return errors.New("per must be gib, iops, mibps, tier, million-io or hour")
	case !currencies.MatchString(p.Currency):
		return fmt.Errorf("the currency is %s; want three capital letters, such as USD", p.Currency)
	case !(p.From >= 0 && p.From <= absurdAmount):
		return fmt.Errorf("from is %g; want 0 or more", p.From)
	case math.IsNaN(p.Price) || p.Price < 0 || p.Price > absurd, p.Price == 0 && (p.Per == PerGiB || p.Per == PerTier || p.Per == PerHour):
		return fmt.Errorf("invalid price %g", p.Price)
	}
	return nil
}

// dated matches a date at the end of a source, as realiops prices writes one.
var dated = regexp.MustCompile(`\b20\d\d(-\d\d){0,2}$`)

const undated = "no date"

// AsOf returns the date of a source of prices: of a source that the program knows, or at its end.
func AsOf(source string) string {
	if s, known := metric.SourceOf(source); known {
		return s.State
	}
	if date := dated.FindString(source); date != "" {
		return date
	}
	return undated
}

// PricesOf describes the dates of prices.
func PricesOf(dates string) string {
	if dates == undated || dates == "" {
		return "prices without a date"
	}
	return "prices of " + dates
}

// Dates merges dates, or earlier results, into the oldest and the newest; empty if there are none.
func Dates(dates ...string) string {
	var all []string
	none := false
	for _, d := range dates {
		d, less, _ := strings.Cut(d, ", ")
		for part := range strings.SplitSeq(d, " to ") {
			none = none || part == undated || less != ""
			all = append(all, part)
		}
	}
	all = slices.DeleteFunc(all, func(d string) bool { return d == undated || d == "" })
	slices.Sort(all)
	all = slices.Compact(all)
	switch {
	case len(all) == 0 && none:
		return undated
	case len(all) == 0:
		return ""
	case len(all) > 1:
		all = []string{all[0] + " to " + all[len(all)-1]}
	}
	if none {
		return all[0] + ", some without a date"
	}
	return all[0]
}
