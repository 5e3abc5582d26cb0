// Package limits asks AWS for the volume limits of its machine classes, and for RDS's storage options
// with each, as [catalog.Instance]s.
//
// [Ask] calls ec2:DescribeInstanceTypes and rds:DescribeOrderableDBInstanceOptions in a region. It guesses nothing: a
// class that is not optimized for EBS has no published limit.
package limits

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"net/url"
	"slices"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"

	"github.com/realiops/realiops/internal/analyze/catalog"
	"github.com/realiops/realiops/internal/measure/account"
	"github.com/realiops/realiops/internal/measure/rds"
)

// Ask reads the limits of all classes in the account's region: EC2's, then RDS's offer for each.
func Ask(ctx context.Context, config aws.Config) (all []catalog.Instance, err error) {
	machines, err := typesOf(ctx, config)
	if err != nil {
		return nil, err
	}
	databases, err := offersOf(ctx, config)
	if err != nil {
		return nil, err
	}
	for _, m := range machines {
		all = append(all, m.limits(source("EC2", operation, config.Region)))
	}
	all = append(all, databases.limits(source("RDS", "DescribeOrderableDBInstanceOptions", config.Region))...)
	if len(all) == 0 {
		return nil, fmt.Errorf("AWS lists no instance types in the region %s", config.Region)
	}
	return all, nil
}

// source names the service, the operation, the region and the date.
func source(service, operation, region string) string {
	return fmt.Sprintf("%s %s, %s, %s", service, operation, region, time.Now().UTC().Format(time.DateOnly))
}

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

const operation = "DescribeInstanceTypes"

var ec2 = account.Service{ID: "EC2", Version: "2016-11-15", Within: "Response", Token: "NextToken"}

type page struct {
	Types []instanceType `xml:"instanceTypeSet>item"`
	Next  string         `xml:"nextToken"`
}

// typesOf returns all machine classes of a region.
func typesOf(ctx context.Context, config aws.Config) (all []instanceType, err error) {
	for p, err := range account.Pages(ctx, config, ec2, operation, url.Values{"MaxResults": {"100"}},
		func(p *page) string { return p.Next }) {
		if err == nil {
			err = p.check()
		}
		if err != nil {
			return nil, err
		}
		all = append(all, p.Types...)
	}
	return all, nil
}

func (p *page) check() error {
	if slices.ContainsFunc(p.Types, func(t instanceType) bool { return t.Name == "" }) {
		return errors.New("EC2 returned an instance type without a name; is there a proxy in between?")
	}
	return nil
}

// instanceType holds the relevant part of EC2's description of a class.
type instanceType struct {
	Name string `xml:"instanceType"`
	EBS  struct {
		Limits *ebsLimits `xml:"ebsOptimizedInfo"` // nil: not optimized for EBS
	} `xml:"ebsInfo"`
}

type ebsLimits struct {
	BaseIOPS float64 `xml:"baselineIops"`
	MostIOPS float64 `xml:"maximumIops"`
	BaseMB   float64 `xml:"baselineThroughputInMBps"` // 10^6 bytes a second: 630 Mbps are 78.75
	MostMB   float64 `xml:"maximumThroughputInMBps"`
}

// possible reports whether these can be real limits.
func (l ebsLimits) possible() bool {
	return l.BaseIOPS > 0 && l.BaseMB > 0 && l.MostIOPS >= l.BaseIOPS && l.MostMB >= l.BaseMB &&
		!math.IsInf(l.MostIOPS, 1) && !math.IsInf(l.MostMB, 1)
}

// limits returns the class's limits. If its maximum exceeds its base, it has the maximum for at least half an
// hour a day, as EC2's guide says.
func (t instanceType) limits(source string) catalog.Instance {
	m := catalog.Instance{Class: t.Name, Provider: "ebs", Sources: []string{source}}
	of := t.EBS.Limits
	if of == nil || !of.possible() {
		m.Unpublished = true
		return m
	}
	m.BaseIOPS, m.MostIOPS, m.BaseMB, m.MostMB = of.BaseIOPS, of.MostIOPS, of.BaseMB, of.MostMB
	m.Bursts = m.MostIOPS > m.BaseIOPS || m.MostMB > m.BaseMB
	return m
}
