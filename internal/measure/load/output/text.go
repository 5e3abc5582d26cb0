package output

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/realiops/realiops/internal/measure/load/engine"
	"github.com/realiops/realiops/internal/printable"
)

// Text writes pgbench 17's report with our lines in it. They stand among the latencies and before the table of
// statements, because parsers of pgbench's output look for the last line of the report or of a section.
func (r Report) Text(w io.Writer) error {
	b := bufio.NewWriter(w)
	r.Asked.Complete()
	p := page{b, r}
	p.parameters()
	p.processed()
	if attempted(r.Result.Totals) > 0 { // otherwise the rest is meaningless
		p.totals()
		p.speed()
		p.sections()
	}
	if err := b.Flush(); err != nil {
		return fmt.Errorf("write the report: %w", err)
	}
	return nil
}

// page is a report being written. Write errors stay in the buffer until it is flushed.
type page struct {
	w *bufio.Writer
	Report
}

// line escapes control characters in names and statements. A tab stays, as in pgbench.
func (p page) line(format string, values ...any) {
	for i, v := range values {
		if text, ok := v.(string); ok {
			cells := strings.Split(text, "\t")
			for c := range cells {
				cells[c] = printable.Line(cells[c])
			}
			values[i] = strings.Join(cells, "\t")
		}
	}
	fmt.Fprintf(p.w, format+"\n", values...)
}

// Banner returns pgbench's first line.
func (a Asked) Banner() string { return fmt.Sprintf("realiops (%s, server %s)", a.Program, a.Server) }

func (p page) parameters() {
	a := p.Asked
	kind := "multiple scripts"
	if len(a.Scripts) == 1 {
		kind = a.Scripts[0].Script.Name
	}
	p.line("transaction type: %s", kind)
	p.line("scaling factor: %d", a.Scale)
	if a.PartitionMethod != "" {
		p.line("partition method: %s\npartitions: %d", a.PartitionMethod, a.Partitions)
	}
	p.line("query mode: %s", a.Mode)
	p.line("number of clients: %d", a.Clients)
	p.line("number of threads: %d", a.Threads)
	if n := a.tries(); n > 0 {
		p.line("maximum number of tries: %d", n)
	}
}

// processed prints the requested and the achieved amount.
func (p page) processed() {
	a, done := p.Asked, p.Result.Transactions
	if a.Duration > 0 {
		p.line("duration: %g s", a.Duration.Seconds())
	} else {
		p.line("number of transactions per client: %d", a.Transactions)
	}
	if a.Warmup > 0 {
		p.line("warm-up: %g s, not counted", a.Warmup.Seconds())
	}
	if a.Duration > 0 {
		p.line("number of transactions actually processed: %d", done)
	} else {
		p.line("number of transactions actually processed: %d/%d", done, a.Transactions*a.Clients)
	}
}

func (p page) totals() {
	p.failures("", p.Result.Totals)
	if p.Asked.LatencyLimit > 0 {
		p.line("number of transactions above the %.1f ms latency limit: %d/%d (%.3f%%)",
			milliseconds(p.Asked.LatencyLimit), p.Result.Late, p.Result.Transactions,
			percent(p.Result.Late, p.Result.Transactions))
	}
	if p.Asked.timed() {
		p.moments("", p.Result.Latency)
	} else {
		with := ""
		if p.Result.Failed() > 0 {
			with = " (including failures)"
		}
		average := milliseconds(p.Result.Elapsed) * float64(p.Asked.Clients) / float64(attempted(p.Result.Totals))
		p.line("latency average = %.3f ms%s", average, with)
	}
	if average, known := mean(p.Result.Lag); known && p.Asked.Rate > 0 {
		p.line("rate limit schedule lag: avg %.3f (max %.3f) ms", average, p.Result.Lag.Most/1000)
	}
	p.percentiles("", p.Result.Latency)
	if share, known := p.achieved(); known {
		p.line("target rate = %f per second", p.Asked.Rate)
		p.line("achieved rate = %f per second (%.1f%% of target)", p.perSecond(p.Result.Transactions), 100*share)
	}
	p.work("", p.Result.Totals)
}

// failures counts what went wrong in the whole run or, with a prefix, in a script.
func (p page) failures(prefix string, t engine.Totals) {
	all := attempted(t)
	if all == 0 {
		if prefix != "" && p.Asked.mayRetry() { // pgbench's one line for a script that never ran
			p.line("%stotal number of retries: %d", prefix, t.Retries)
		}
		return
	}
	part := func(name string, n int64) { p.line("%snumber of %s: %d (%.3f%%)", prefix, name, n, percent(n, all)) }
	part("failed transactions", t.Failed())
	if p.Asked.FailuresDetailed {
		part("serialization failures", t.Serialization)
		part("deadlock failures", t.Deadlocks)
	}
	if p.Asked.FailuresDetailed && p.Asked.ContinueOnError { // otherwise the client gives up and nothing is counted
		part("other failures", t.Other)
	}
	if p.Asked.mayRetry() {
		part("transactions retried", t.Retried)
		p.line("%stotal number of retries: %d", prefix, t.Retries)
	}
	if p.Asked.maySkip() {
		part("transactions skipped", t.Skipped)
	}
}

func (p page) moments(prefix string, d engine.Durations) {
	if average, known := mean(d); known {
		p.line("%slatency average = %.3f ms", prefix, average)
		p.line("%slatency stddev = %.3f ms", prefix, deviation(d))
	}
}

// speed writes the end of pgbench's report. Parsers take the last line for the result.
func (p page) speed() {
	if p.Asked.Reconnect {
		if p.Result.Connections > 0 {
			p.line("average connection time = %.3f ms", milliseconds(p.Result.Connecting)/float64(p.Result.Connections))
		}
		p.line("tps = %f (including reconnection times)", p.perSecond(p.Result.Transactions))
		return
	}
	p.line("initial connection time = %.3f ms", milliseconds(p.Result.Connecting))
	p.line("tps = %f (without initial connection time)", p.perSecond(p.Result.Transactions))
}

// sections prints each script, if there are several, and each statement, if asked for.
func (p page) sections() {
	var weights int64
	for _, s := range p.Asked.Scripts {
		weights += int64(s.Weight)
	}
	for i, s := range p.Result.Scripts {
		prefix := ""
		if len(p.Result.Scripts) > 1 {
			prefix = " - "
			p.line("SQL script %d: %s", i+1, s.Name)
			p.line(" - weight: %d (targets %.1f%% of total)", s.Weight, percent(int64(s.Weight), weights))
			p.line(" - %d transactions (%.1f%% of total, tps = %f)",
				s.Transactions, percent(s.Transactions, p.Result.Transactions), p.perSecond(s.Transactions))
			p.failures(prefix, s.Totals)
			p.moments(prefix, s.Latency)
			p.percentiles(prefix, s.Latency)
			p.work(prefix, s.Totals)
		}
		if p.Asked.PerCommand {
			p.statementPercentiles(prefix, s.Commands)
			p.statements(prefix, s.Commands)
		}
	}
}

// statements is pgbench's table. A statement that never ran has a latency of 0.
func (p page) statements(prefix string, commands []engine.CommandResult) {
	columns := " and failures"
	if p.Asked.mayRetry() {
		columns = ", failures and retries"
	}
	p.line("%sstatement latencies in milliseconds%s:", prefix, columns)
	for _, c := range commands {
		average, _ := mean(c.Latency)
		if p.Asked.mayRetry() {
			p.line("   %11.3f  %10d  %10d  %s", average, c.Failures, c.Retries, c.Text)
		} else {
			p.line("   %11.3f  %10d  %s", average, c.Failures, c.Text)
		}
	}
}

// The lines that pgbench lacks. None begins with the first word of one of pgbench's own.

func (p page) percentiles(prefix string, d engine.Durations) {
	for _, q := range quantiles() {
		if value, known := atQuantile(d, q.percent); known {
			p.line("%slatency %s = %.3f ms", prefix, q.name, value)
		}
	}
}

// work counts statements, rows and bytes, which transactions do not show.
func (p page) work(prefix string, t engine.Totals) {
	count := func(name string, n int64) { p.line("%s%s = %d (%f per second)", prefix, name, n, p.perSecond(n)) }
	count("rows written", t.Rows)
	count("statements", t.Statements)
	count("bytes sent", t.Sent)
	count("bytes received", t.Received)
}

// statementPercentiles is a separate table, so that pgbench's keeps its columns.
func (p page) statementPercentiles(prefix string, commands []engine.CommandResult) {
	var names []string
	for _, q := range quantiles() {
		names = append(names, q.name)
	}
	p.line("%sstatement percentiles in milliseconds, %s:", prefix, strings.Join(names, " "))
	for _, c := range commands {
		p.w.WriteString("  ")
		for _, q := range quantiles() {
			if value, known := atQuantile(c.Latency, q.percent); known {
				fmt.Fprintf(p.w, " %10.3f", value)
			} else { // the statement never ran
				p.w.WriteString("          -")
			}
		}
		p.line("  %s", c.Text)
	}
}
