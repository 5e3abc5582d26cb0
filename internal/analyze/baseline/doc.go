// Package baseline computes what storage delivered in a run that measured it alone.
//
// [FromRun] compares, job by job, fio's figures with the kernel's figures of the device, and gives the factor between
// them: one operation of fio is not one request of the device. Every row is checked against Little's law. [Throttled]
// finds where a job slowed down for good, as when a credit bucket runs empty, and [BucketsOf] which published buckets
// fit. [Hold] compares the need of another run with it.
//
// The background is subtracted, as for any run; the result does not predict another load's.
package baseline
