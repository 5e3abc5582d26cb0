// Package baseline says what storage delivered in a run that measured it alone, from the run file.
//
// [FromRun] puts beside each other, job by job, what fio says that it did and what the kernel counted of the device
// meanwhile, with the factor between the two: one operation of fio's is not one request of the device. Every row is
// held against Little's law. [Throttled] finds where a job slowed down for good, as when a bucket of credits runs
// empty, and [BucketsOf] which published buckets that fits. [Hold] holds the need of another run against it.
//
// What the device did without the jobs is taken off, as for any run; it says nothing of what another load would get.
package baseline
