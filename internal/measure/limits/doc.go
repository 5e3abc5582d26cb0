// Package limits reads off AWS what its classes of machine let through to their volumes, and what RDS sells with each,
// for [catalog.Instance]s.
//
// [Ask] asks ec2:DescribeInstanceTypes and rds:DescribeOrderableDBInstanceOptions of a region. What AWS does not say of
// a class is not guessed: one that is not optimized for EBS has no limit that is published.
package limits
