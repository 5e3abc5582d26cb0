// Package output reports the results of a load: in pgbench's words, so that every parser of pgbench's output reads
// them, and in JSON.
//
// A [Report] holds the settings ([Asked]) and the result ([engine.Result]). [Report.Text] writes pgbench 17's final
// report with our own lines among its latencies, never after its last line; [Report.JSON] writes everything. While
// the load runs, [Progress] writes pgbench's progress lines and [Log] its log files. [Report.Warnings] are what a
// reader should know before believing the figures, and a [Gate] is a --fail-if.
//
// Nothing here measures, and nothing decides what a figure means. A figure that was not measured is left out of the
// text and is null in JSON.
package output
