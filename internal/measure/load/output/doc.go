// Package output reports the results of a load in pgbench's words, which every parser of
// pgbench's output reads, and in JSON.
//
// A [Report] holds the settings ([Asked]) and the result ([engine.Result]). [Report.Text] writes pgbench 17's final
// report with our own lines among its latencies, never after its last line. [Report.JSON] writes everything. While
// the load runs, [Progress] writes pgbench's progress lines and [Log] its log files. [Report.Warnings] tells a reader
// what to know before trusting the figures, and a [Gate] is a --fail-if.
//
// Nothing here measures or interprets figures. A figure that was not measured is absent
// from the text and null in JSON.
package output
