package account

// Statement is a part of a policy: what realiops calls of one service, and why.
type Statement struct {
	ID       string
	Why      string
	Actions  []string
	Resource string
}

// Policy is the least that realiops needs: what it calls, and nothing else. Nothing in it changes anything.
func Policy(partition string) []Statement {
	return []Statement{
		{"RealiopsDatabases", "which instance and cluster it is, and what lies under them",
			[]string{"rds:DescribeDBClusters", "rds:DescribeDBInstances"}, "*"},
		{"RealiopsMetrics", "what CloudWatch counted", []string{"cloudwatch:GetMetricData"}, "*"},
		{"RealiopsInsights", "what Performance Insights counted",
			[]string{"pi:GetResourceMetrics", "pi:ListAvailableResourceMetrics"}, "arn:" + partition + ":pi:*:*:metrics/rds/*"},
		{"RealiopsPrices", "what volumes and databases cost, for realiops prices", []string{"pricing:GetProducts"}, "*"},
		{"RealiopsLimits", "what classes of machine carry and are sold with, for realiops aws limits",
			[]string{"ec2:DescribeInstanceTypes", "rds:DescribeOrderableDBInstanceOptions"}, "*"},
	}
}

// SignIn is the permission to sign in as a user of the database; resource is the DbiResourceId of the instance, or the
// DbClusterResourceId of the cluster, and * stands for any.
func SignIn(partition, resource, user string) Statement {
	return Statement{"RealiopsSignIn", "tokens for passwords (--iam-auth)", []string{"rds-db:connect"},
		"arn:" + partition + ":rds-db:*:*:dbuser:" + resource + "/" + user}
}
