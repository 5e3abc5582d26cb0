package prices

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"time"

	"github.com/realiops/realiops/internal/analyze/catalog"
)

// product holds the relevant part of a product of the list.
type product struct {
	Product struct {
		Family     string     `json:"productFamily"`
		Attributes attributes `json:"attributes"`
	} `json:"product"`
	Terms struct {
		OnDemand map[string]struct {
			Dimensions map[string]dimension `json:"priceDimensions"`
		} `json:"OnDemand"`
	} `json:"terms"`
	Service   string `json:"serviceCode"`
	Published string `json:"publicationDate"`
}

type attributes struct {
	Usage      string `json:"usagetype"`
	Engine     string `json:"databaseEngine"`
	Deployment string `json:"deploymentOption"`
	Class      string `json:"instanceType"`
	System     string `json:"operatingSystem"` // of EC2's machines, as the next ones
	Tenancy    string `json:"tenancy"`
	Software   string `json:"preInstalledSw"`
	Capacity   string `json:"capacitystatus"`
}

// dimension is one price of a product, for a range of the amount.
type dimension struct {
	Unit  string            `json:"unit"`
	Begin string            `json:"beginRange"`
	Price map[string]string `json:"pricePerUnit"`
}

// read returns the prices of a product of a region, or nil if it is irrelevant.
func read(text, region string) ([]catalog.Price, error) {
	var p product
	if err := json.Unmarshal([]byte(text), &p); err != nil {
		return nil, fmt.Errorf("read the price list: %w", err)
	}
	return p.prices(region)
}

// prices returns the prices of a product in a region, or nil if it is irrelevant.
func (p product) prices(region string) (all []catalog.Price, err error) {
	m, class, known := p.Product.Attributes.means()
	if !known {
		return nil, nil
	}
	source := "AWS price list, " + p.Service + ", " + p.Published[:min(len(p.Published), len(time.DateOnly))]
	for _, term := range p.Terms.OnDemand {
		for _, d := range term.Dimensions {
			price, err := d.price(m)
			if err != nil {
				return nil, fmt.Errorf("the price of %s: %w", p.Product.Attributes.Usage, err)
			}
			price.Region, price.Class, price.Source = region, class, source
			all = append(all, price)
		}
	}
	return all, nil
}

func (d dimension) price(m meaning) (catalog.Price, error) {
	factor, err := unit(m.per, d.Unit)
	if err != nil {
		return catalog.Price{}, err
	}
	p := catalog.Price{Volume: m.volume, Per: m.per, From: m.from}
	if d.Begin != "" && m.from == 0 {
		if p.From, err = strconv.ParseFloat(d.Begin, 64); err != nil || math.IsNaN(p.From) ||
			math.IsInf(p.From, 0) || p.From < 0 {
			return p, fmt.Errorf("its range begins at %q, not an amount", d.Begin)
		}
		p.From /= factor
	}
	for _, currency := range []string{"USD", "CNY"} {
		if text, found := d.Price[currency]; found {
			p.Currency = currency
			p.Price, err = strconv.ParseFloat(text, 64)
			p.Price *= factor
			return p, err
		}
	}
	return p, errors.New("it is in neither USD nor CNY")
}
