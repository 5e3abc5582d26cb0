package output

import "github.com/realiops/realiops/internal/measure/load/engine"

func (r Report) document() document {
	d := document{
		Schema: Schema, Status: r.Status, Program: r.Asked.Program, Server: r.Asked.Server, Asked: r.Asked.json(),
		Began: r.Result.Began, Elapsed: r.seconds(), Connecting: r.Result.Connecting.Seconds(),
		Connections: r.Result.Connections, Poller: r.Result.Poller, Processor: r.Result.Processor.Seconds(),
		Totals: r.totals(r.Result.Totals), Scripts: []script{}, Faults: []fault{}, Aborted: []string{},
		Warnings: r.Warnings(), FailIf: []verdict{},
	}
	if share, known := r.achieved(); known {
		d.Rate = &rate{Target: r.Asked.Rate, Achieved: r.perSecond(r.Result.Transactions), Share: share}
	}
	for _, s := range r.Result.Scripts {
		d.Scripts = append(d.Scripts, r.script(s))
	}
	for _, f := range r.Result.Faults {
		d.Faults = append(d.Faults, fault{f.Kind.String(), orNull(f.Code, f.Code != ""), f.Count, line(f.First)})
	}
	for _, err := range r.Result.Aborted {
		d.Aborted = append(d.Aborted, line(err))
	}
	if d.Warnings == nil {
		d.Warnings = []string{}
	}
	for _, v := range r.Gates {
		if isOneOf(v.Gate.figure, times) {
			v.Value /= 1e3 // seconds
		}
		d.FailIf = append(d.FailIf, verdict{v.Gate.Text, orNull(v.Value, v.Known), v.Failed})
	}
	return d
}

// orNull returns a pointer to value, or nil if is is false.
func orNull[T any](value T, is bool) *T {
	if !is {
		return nil
	}
	return &value
}

func (a Asked) json() asked {
	return asked{
		Mode: a.mode(), Clients: a.clients(), Threads: a.threads(),
		Transactions: orNull(a.transactions(), a.Duration == 0),
		Duration:     orNull(a.Duration.Seconds(), a.Duration > 0),
		Warmup:       a.Warmup.Seconds(),
		Rate:         orNull(a.Rate, a.Rate > 0),
		Limit:        orNull(a.LatencyLimit.Seconds(), a.LatencyLimit > 0),
		MaxTries:     orNull(a.tries(), a.tries() > 0),
		Reconnect:    a.Reconnect, Scale: a.Scale, Seed: a.Seed,
	}
}

func (r Report) totals(t engine.Totals) totals {
	d := totals{
		Transactions: t.Transactions, Statements: t.Statements, Rows: t.Rows, Sent: t.Sent, Received: t.Received,
		Failed:  failed{t.Failed(), t.Serialization, t.Deadlocks, t.Other},
		Skipped: t.Skipped, Late: orNull(t.Late, r.Asked.LatencyLimit > 0), Retried: t.Retried, Retries: t.Retries,
		Latency: spread(t.Latency), Lag: spread(t.Lag),
	}
	if r.seconds() > 0 {
		d.PerSecond = &perSecond{
			r.perSecond(t.Transactions), r.perSecond(t.Statements), r.perSecond(t.Rows), r.perSecond(t.Sent),
			r.perSecond(t.Received),
		}
	}
	return d
}

// spread returns nil if nothing was timed.
func spread(d engine.Durations) *durations {
	average, known := mean(d)
	if !known {
		return nil
	}
	at := func(percent float64) *float64 {
		value, known := atQuantile(d, percent)
		return orNull(value/1e3, known)
	}
	return &durations{
		Count: d.Count, Mean: average / 1e3, Stddev: deviation(d) / 1e3, Min: d.Least / 1e6,
		P50: at(50), P90: at(90), P95: at(95), P99: at(99), P999: at(99.9), Max: d.Most / 1e6,
	}
}

func (r Report) script(s engine.ScriptResult) script {
	d := script{Name: s.Name, Weight: s.Weight, Totals: r.totals(s.Totals), Commands: []command{}}
	for _, c := range s.Commands {
		d.Commands = append(d.Commands, command{c.Line, c.Text, spread(c.Latency), c.Failures, c.Retries})
	}
	return d
}
