package limits

import (
	"context"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"

	"github.com/realiops/realiops/internal/analyze/catalog"
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
