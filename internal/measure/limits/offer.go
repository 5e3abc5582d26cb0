package limits

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"net/url"
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"

	"github.com/realiops/realiops/internal/analyze/catalog"
	"github.com/realiops/realiops/internal/measure/account"
	"github.com/realiops/realiops/internal/measure/rds"
)

// offers maps each DB instance class and volume type of the catalog to RDS's options for PostgreSQL.
type offers map[string]map[string]catalog.Sold

// offered is RDS's option for a class, an engine version and a volume type.
type offered struct {
	DBInstanceClass, StorageType                                               string
	MinStorageSize, MaxStorageSize, MinIopsPerDbInstance, MaxIopsPerDbInstance float64
	MinStorageThroughputPerDbInstance, MaxStorageThroughputPerDbInstance       float64
}

type offerPage struct {
	Offers []offered `xml:"OrderableDBInstanceOptions>OrderableDBInstanceOption"`
	Marker string
}

// offersOf reads all options. There is one for each version of PostgreSQL, and any version's counts.
func offersOf(ctx context.Context, config aws.Config) (offers, error) {
	all := offers{}
	for page, err := range account.Pages(ctx, config, rds.Service, "DescribeOrderableDBInstanceOptions",
		url.Values{"Engine": {"postgres"}, "MaxRecords": {"100"}}, func(p *offerPage) string { return p.Marker }) {
		if err != nil {
			return nil, fmt.Errorf("list RDS instance offers: %w", err)
		}
		for _, o := range page.Offers {
			all.add(o)
		}
	}
	return all, nil
}

// add extends the options of a volume type with a class.
func (all offers) add(o offered) {
	class, kind := o.DBInstanceClass, o.StorageType
	if !slices.Contains([]string{"gp2", "gp3", "io1", "io2"}, kind) || class == "" {
		return // magnetic disks, and Aurora's
	}
	if all[class] == nil {
		all[class] = map[string]catalog.Sold{}
	}
	name := "rds-" + kind
	sold, again := all[class][name]
	row := catalog.Sold{
		Volume: name, GiB: [2]float64{o.MinStorageSize, o.MaxStorageSize},
		IOPS:  [2]float64{o.MinIopsPerDbInstance, o.MaxIopsPerDbInstance},
		MiBps: [2]float64{o.MinStorageThroughputPerDbInstance, o.MaxStorageThroughputPerDbInstance},
	}
	if again {
		row.GiB, row.IOPS, row.MiBps = wider(sold.GiB, row.GiB), wider(sold.IOPS, row.IOPS), wider(sold.MiBps, row.MiBps)
	}
	all[class][name] = row
}

// wider returns the union of both ranges. A range without a maximum is unknown, and the other one counts.
func wider(a, b [2]float64) [2]float64 {
	if a[1] == 0 || b[1] == 0 {
		return [2]float64{max(a[0], b[0]), max(a[1], b[1])}
	}
	return [2]float64{min(a[0], b[0]), max(a[1], b[1])}
}

func (all offers) limits(source string) (rows []catalog.Instance) {
	for class, kinds := range all {
		sold := slices.SortedFunc(maps.Values(kinds), func(a, b catalog.Sold) int {
			return cmp.Compare(a.Volume, b.Volume)
		})
		rows = append(rows, catalog.Instance{Class: class, Provider: "rds", Sources: []string{source}, Sold: sold})
	}
	slices.SortFunc(rows, func(a, b catalog.Instance) int { return cmp.Compare(a.Class, b.Class) })
	return rows
}
