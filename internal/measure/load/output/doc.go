// Package output tells what a load did: in pgbench's words, so that whatever reads pgbench reads this, and in JSON.
//
// A [Report] is what was asked ([Asked]) and what happened ([engine.Result]). [Report.Text] writes pgbench 17's final
// report with our own lines among its latencies, never after its last line; [Report.JSON] writes everything. While
// the load runs, [Progress] writes pgbench's progress lines and [Log] its log files. [Report.Warnings] are what a
// reader should know before believing the figures, and a [Gate] is a --fail-if.
//
// Nothing here measures, and nothing decides what a figure means. A figure that was not measured is left out of the
// text and is null in JSON.
package output
