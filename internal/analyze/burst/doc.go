// Package burst simulates a demand on storage that can be faster for a while than it sustains.
//
// Providers keep a bucket of credits for a volume or an instance: it earns at the baseline and spends what is served,
// and while it is not empty a higher rate is allowed. [Play] simulates a recorded demand second by second, repeated as
// requested, against several [Limit]s that all hold, such as a volume's operations, its bytes and its instance's.
// [Outcome] says what was served, which limit applied, and when a bucket ran dry. [Smallest] finds the smallest size
// whose bucket never does.
//
// Unserved demand is counted, not carried into the next second: a database that waits requests less.
package burst
