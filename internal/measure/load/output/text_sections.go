package output

import "github.com/realiops/realiops/internal/measure/load/engine"

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
