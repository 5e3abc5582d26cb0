// Package limits asks AWS for the volume limits of its machine classes, and for RDS's storage options
// with each, as [catalog.Instance]s.
//
// [Ask] calls ec2:DescribeInstanceTypes and rds:DescribeOrderableDBInstanceOptions in a region. It guesses nothing: a
// class that is not optimized for EBS has no published limit.
package limits
