package limits

import (
	"context"
	"errors"
	"net/url"
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"

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
