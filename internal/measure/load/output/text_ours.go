package output

import (
	"fmt"
	"strings"

	"github.com/realiops/realiops/internal/measure/load/engine"
)

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
