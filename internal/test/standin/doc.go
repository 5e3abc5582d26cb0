// Package standin is a stand-in for Aurora, to test the whole way from a load to a verdict without AWS: a real
// PostgreSQL takes the load, and secret rules invent what Aurora would publish of it.
//
// A [Course] watches the server with privileges that Aurora's users lack, and knows how much work was done when. A
// [Draw] has rules for WriteIOPS, for ReadIOPS and for the volume's metrics, and defects: noise, delay, late
// corrections, missing points. It turns a course into the cloud's metrics, and compares verdicts with its rules.
//
// It is invented: a right verdict shows that the way is sound, and nothing about the real Aurora. It knows neither
// run files nor the method that it judges.
package standin
