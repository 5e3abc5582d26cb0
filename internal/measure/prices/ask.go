package prices

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/pricing"
	"github.com/aws/aws-sdk-go-v2/service/pricing/types"

	"github.com/realiops/realiops/internal/analyze/catalog"
)

// Lister is the part of the price list's client that we use.
type Lister interface {
	GetProducts(context.Context, *pricing.GetProductsInput, ...func(*pricing.Options)) (*pricing.GetProductsOutput,
		error)
}

// Home returns the region of the price list endpoint for a region: in the United States, or in China.
func Home(region string) string {
	if strings.HasPrefix(region, "cn-") {
		return "cn-northwest-1"
	}
	return "us-east-1"
}

type question struct{ service, family, engine string }

// machinesOfEC2 is the family of EC2's machines. The list has some hundred products of each class.
const machinesOfEC2 = "Compute Instance"

func questions() []question {
	return []question{
		{"AmazonEC2", "Storage", ""}, {"AmazonEC2", "System Operation", ""},
		{"AmazonEC2", "Provisioned Throughput", ""},
		{"AmazonRDS", "Database Storage", ""}, {"AmazonRDS", "Provisioned IOPS", ""},
		{"AmazonRDS", "Provisioned Throughput", ""},
		{"AmazonRDS", "System Operation", ""}, {"AmazonRDS", "ServerlessV2", aurora},
		{"AmazonRDS", "Database Instance", aurora}, {"AmazonRDS", "Database Instance", "PostgreSQL"},
		{"AmazonEC2", machinesOfEC2, ""},
	}
}

// List holds the readable prices of a region.
type List struct {
	Prices []catalog.Price
	Unread []string // products that look relevant but could not be understood, and why
}

// Ask reads the prices of a region. It may be called again; the end of ctx ends it.
func Ask(ctx context.Context, client Lister, region string) (l List, err error) {
	for _, q := range questions() {
		if err := l.ask(ctx, client, region, q); err != nil {
			return List{}, err
		}
	}
	l.sortOut()
	if len(l.Prices) == 0 {
		return List{}, fmt.Errorf("the price list does not have the region %s", region)
	}
	return l, nil
}

func (l *List) ask(ctx context.Context, client Lister, region string, q question) error {
	pages := pricing.NewGetProductsPaginator(client, &pricing.GetProductsInput{
		ServiceCode: aws.String(q.service), FormatVersion: aws.String("aws_v1"), Filters: q.filters(region),
	})
	for n := 0; pages.HasMorePages(); n++ {
		page, err := pages.NextPage(ctx)
		if n == mostPages {
			err = errTooManyPages
		}
		if err != nil {
			return fmt.Errorf("fetch the prices of %s: %w", q.service, err)
		}
		for _, text := range page.PriceList {
			found, err := read(text, region)
			if err != nil {
				l.Unread = append(l.Unread, err.Error())
				continue
			}
			l.Prices = append(l.Prices, found...)
		}
	}
	return nil
}

func (q question) filters(region string) []types.Filter {
	filter := func(field, value string) types.Filter {
		return types.Filter{Type: types.FilterTypeTermMatch, Field: aws.String(field), Value: aws.String(value)}
	}
	all := []types.Filter{filter("regionCode", region), filter("productFamily", q.family)}
	if q.engine != "" {
		all = append(all, filter("databaseEngine", q.engine))
	}
	if q.family == machinesOfEC2 {
		all = append(all, filter("operatingSystem", "Linux"), filter("tenancy", "Shared"),
			filter("preInstalledSw", "NA"), filter("capacitystatus", "Used"))
	}
	return all
}

// sortOut sorts the prices and removes duplicates. Two different prices of one thing are both dropped.
func (l *List) sortOut() {
	slices.SortFunc(l.Prices, func(a, b catalog.Price) int {
		return cmp.Or(cmp.Compare(a.Volume, b.Volume), cmp.Compare(a.Per, b.Per), cmp.Compare(a.Class, b.Class),
			cmp.Compare(a.Tier, b.Tier), cmp.Compare(a.From, b.From), cmp.Compare(a.Price, b.Price))
	})
	var distinct []catalog.Price
	for i := 0; i < len(l.Prices); {
		j := i + 1
		for j < len(l.Prices) && same(l.Prices[i], l.Prices[j]) {
			j++
		}
		if first, last := l.Prices[i], l.Prices[j-1]; first.Price == last.Price {
			distinct = append(distinct, first)
		} else {
			l.Unread = append(l.Unread, fmt.Sprintf("%s per %s has more than one price, from %g to %g", first.Volume,
				first.Per, first.Price, last.Price))
		}
		i = j
	}
	l.Prices = distinct
	slices.Sort(l.Unread)
	l.Unread = slices.Compact(l.Unread)
}

func same(a, b catalog.Price) bool {
	return a.Volume == b.Volume && a.Per == b.Per && a.Class == b.Class && a.Tier == b.Tier && a.From == b.From
}
