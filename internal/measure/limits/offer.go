package limits

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/rds"
	"github.com/aws/aws-sdk-go-v2/service/rds/types"

	"github.com/realiops/realiops/internal/analyze/catalog"
)

// offers maps each DB instance class, then each volume type by its catalog name, to what RDS sells for PostgreSQL.
type offers map[string]map[string]catalog.Sold

// offersOf asks for all of them. There is one for each version of PostgreSQL, and what any version has counts.
func offersOf(ctx context.Context, client rds.DescribeOrderableDBInstanceOptionsAPIClient) (offers, error) {
	all := offers{}
	pages := rds.NewDescribeOrderableDBInstanceOptionsPaginator(client,
		&rds.DescribeOrderableDBInstanceOptionsInput{Engine: aws.String("postgres"), MaxRecords: aws.Int32(100)},
		func(o *rds.DescribeOrderableDBInstanceOptionsPaginatorOptions) { o.StopOnDuplicateToken = true })
	for n := 0; pages.HasMorePages(); n++ {
		page, err := pages.NextPage(ctx)
		if n == mostPages {
			err = errTooManyPages
		}
		if err != nil {
			return nil, fmt.Errorf("ask what RDS sells: %w", err)
		}
		for _, o := range page.OrderableDBInstanceOptions {
			all.add(o)
		}
	}
	return all, nil
}

// add widens what is sold of a kind of volume with a class.
func (all offers) add(o types.OrderableDBInstanceOption) {
	class, kind := aws.ToString(o.DBInstanceClass), aws.ToString(o.StorageType)
	if !slices.Contains([]string{"gp2", "gp3", "io1", "io2"}, kind) || class == "" {
		return // magnetic disks, and Aurora's
	}
	if all[class] == nil {
		all[class] = map[string]catalog.Sold{}
	}
	name := "rds-" + kind
	sold, again := all[class][name]
	offered := catalog.Sold{
		Volume: name, GiB: between(o.MinStorageSize, o.MaxStorageSize),
		IOPS:  between(o.MinIopsPerDbInstance, o.MaxIopsPerDbInstance),
		MiBps: between(o.MinStorageThroughputPerDbInstance, o.MaxStorageThroughputPerDbInstance),
	}
	if again {
		offered.GiB, offered.IOPS, offered.MiBps = wider(sold.GiB, offered.GiB), wider(sold.IOPS, offered.IOPS),
			wider(sold.MiBps, offered.MiBps)
	}
	all[class][name] = offered
}

func between(least, most *int32) [2]float64 {
	return [2]float64{float64(aws.ToInt32(least)), float64(aws.ToInt32(most))}
}

// wider holds both ranges; where one has no most, as nothing is said of it, the other stands.
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
