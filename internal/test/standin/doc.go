// Package standin is a stand-in for Aurora, to try the whole way from a load to a verdict where no AWS can be reached:
// a real PostgreSQL takes the load, and what Aurora would publish of it is made up by a rule that nobody else knows.
//
// A [Course] watches the server as its superuser may and Aurora's users may not, and knows when how much of what was
// done. A [Draw] has a rule by which WriteIOPS counts, others for ReadIOPS and for what the volume counts, and bad
// habits: noise, delay, late corrections, missing points. It turns a course into what the cloud publishes, and holds
// verdicts against its rules.
//
// It is made up: that a verdict on it is right says that the way is sound, and nothing about the real Aurora. It knows
// neither run files nor the method that it judges.
package standin
