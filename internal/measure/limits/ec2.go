package limits

import (
	"context"
	"errors"
	"math"
	"net/url"
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"

	"github.com/realiops/realiops/internal/analyze/catalog"
	"github.com/realiops/realiops/internal/measure/account"
)

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
