package account

import "slices"

// Statement is a part of a policy: the calls of one service, and their purpose.
type Statement struct {
	ID, Why  string
	Actions  []string
	Resource string
	For      []string // the commands that make the calls
}

// Policy returns the least permissions that realiops needs. None of them changes anything.
func Policy(partition string) []Statement {
	return []Statement{
		{"RealiopsDatabases", "find the instance and cluster, and their storage",
			[]string{"rds:DescribeDBClusters", "rds:DescribeDBInstances"}, "*",
			[]string{"run", "observe", "measure", "load", "doctor", "cost", "history", "fleet"}},
		{"RealiopsMetrics", "read metrics from CloudWatch", []string{"cloudwatch:GetMetricData"}, "*",
			[]string{"run", "doctor", "collect", "cost", "history", "fleet"}},
		{"RealiopsInsights", "read counters from Performance Insights (CloudWatch Database Insights)",
			[]string{"pi:GetResourceMetrics", "pi:ListAvailableResourceMetrics"}, "arn:" + partition +
				":pi:*:*:metrics/rds/*", []string{"run", "doctor", "collect"}},
		{"RealiopsStatements", "read from Performance Insights which statements ran", []string{"pi:DescribeDimensionKeys"},
			"arn:" + partition + ":pi:*:*:metrics/rds/*", []string{"observe", "doctor"}},
		{"RealiopsStores", "read from Amazon Managed Service for Prometheus, with --sigv4",
			[]string{"aps:GetSeries", "aps:QueryMetrics"},
			"arn:" + partition + ":aps:*:*:workspace/*", []string{"history", "fleet", "doctor"}},
		{"RealiopsLabels", "list the metrics there that realiops does not read",
			[]string{"aps:GetLabels"}, "arn:" + partition + ":aps:*:*:workspace/*", []string{"fleet"}},
		{"RealiopsPrices", "read list prices of volumes and databases, for realiops prices", []string{"pricing:GetProducts"}, "*",
			[]string{"prices"}},
		{"RealiopsLimits", "read the limits and storage of machine classes, for realiops aws limits",
			[]string{"ec2:DescribeInstanceTypes", "rds:DescribeOrderableDBInstanceOptions"}, "*", []string{"limits"}},
	}
}

// PolicyFor returns the part of [Policy] that one command needs, or nil if it does not ask AWS.
func PolicyFor(partition, command string) []Statement {
	return slices.DeleteFunc(Policy(partition), func(s Statement) bool { return !slices.Contains(s.For, command) })
}

// Commands lists the commands that ask AWS, in alphabetical order.
func Commands() (all []string) {
	for _, s := range Policy("") {
		all = append(all, s.For...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// SignIn returns the permission to sign in as a database user. resource is the DbiResourceId of the instance or the
// DbClusterResourceId of the cluster; * means any.
func SignIn(partition, resource, user string) Statement {
	return Statement{"RealiopsSignIn", "sign in with tokens instead of passwords (--iam-auth)", []string{"rds-db:connect"},
		"arn:" + partition + ":rds-db:*:*:dbuser:" + resource + "/" + user, nil}
}
