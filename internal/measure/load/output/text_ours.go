package output

import (
	"fmt"
	"strings"

	"github.com/realiops/realiops/internal/measure/load/engine"
)

// The lines that pgbench lacks. None begins with a word that begins one of its own figures.

func (p page) percentiles(prefix string, d engine.Durations) {
	for _, q := range quantiles() {
		if value, known := atQuantile(d, q.percent); known {
			p.line("%slatency %s = %.3f ms", prefix, q.name, value)
		}
	}
}

// rate puts the achieved rate beside the asked one.
func (p page) rate() {
	share, known := p.achieved()
	if !known {
		return
	}
	p.line("target rate = %f per second", p.Asked.Rate)
	p.line("achieved rate = %f per second (%.1f%% of target)", p.perSecond(p.Result.Transactions), 100*share)
}

// work counts apart what transactions do not tell.
func (p page) work(prefix string, t engine.Totals) {
	count := func(what string, n int64) { p.line("%s%s = %d (%f per second)", prefix, what, n, p.perSecond(n)) }
	count("rows written", t.Rows)
	count("statements", t.Statements)
	count("bytes sent", t.Sent)
	count("bytes received", t.Received)
}

// statementPercentiles is a table of its own, so that pgbench's keeps its columns.
func (p page) statementPercentiles(prefix string, commands []engine.CommandResult) {
	var names []string
	for _, q := range quantiles() {
		names = append(names, q.name)
	}
	p.line("%sstatement percentiles in milliseconds, %s:", prefix, strings.Join(names, " "))
	for _, c := range commands {
		p.w.WriteString("  ")
		for _, q := range quantiles() {
			p.cell(c.Latency, q.percent)
		}
		p.line("  %s", c.Text)
	}
}

// cell shows a dash for a statement that never ran.
func (p page) cell(d engine.Durations, percent float64) {
	value, known := atQuantile(d, percent)
	if !known {
		p.w.WriteString("          -")
		return
	}
	fmt.Fprintf(p.w, " %10.3f", value)
}
