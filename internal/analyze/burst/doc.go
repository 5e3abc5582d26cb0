// Package burst plays a demand against storage that may be faster for a while than it is for good.
//
// Providers keep a bucket of credits for a volume or an instance: it earns at the baseline, spends what is served, and
// while it holds something a higher rate is allowed. [Play] goes second by second through a recorded demand, repeated
// as long as asked, against several such [Limit]s at once, as a volume's operations, its bytes and its instance's are
// limits that all hold; [Outcome] says what was served, which limit was in the way, and when a bucket ran dry.
// [Smallest] searches for the least size that never does.
//
// What a second could not serve is counted and not carried into the next: a database that waits asks for less.
package burst
