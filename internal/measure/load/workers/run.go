package workers

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"time"

	"github.com/realiops/realiops/internal/measure/load/engine"
	"github.com/realiops/realiops/internal/measure/load/output"
	"github.com/realiops/realiops/internal/measure/stopping"
	"github.com/realiops/realiops/internal/printable"
)

// Crew holds what workers need beyond the options of their load. The zero value suits most loads.
type Crew struct {
	// Password returns a connection's password, if each needs its own.
	Password func(context.Context) (string, error)
	// Log is pgbench's log; nil: there is none.
	Log *Log
	// Tell is called with a line about the workers for the user; nil: nothing is reported.
	Tell func(string)
	// Silent is called at the end with the longest silence of any worker, which should report each second
	// unless it is stopped. It may be nil.
	Silent func(time.Duration)

	// For tests:
	command func(context.Context) (*exec.Cmd, error) // starts a worker; nil: this program
	apart   bool                                     // each thread has a process
}

// Log says where workers log their transactions: one file each, named as pgbench names its threads' files.
type Log struct {
	Prefix           string
	PID              int
	Interval         time.Duration // 0: each transaction is logged
	FailuresDetailed bool
}

const (
	// stillAfter is the silence of a worker after which the user is told. A worker reports each second.
	stillAfter = 10 * time.Second
	// lostAfter is the silence after which it is killed.
	lostAfter = time.Minute
	// stopWithin is how long workers may take to stop when told to. The engine cuts
	// running statements after a second.
	stopWithin = 5 * time.Second
)

// Run is engine.Run in worker processes. If a worker is lost, the load is stopped, and the result has what
// that worker had reported. Options.Log and Options.Ready have no effect.
func (c Crew) Run(ctx context.Context, o engine.Options) (engine.Result, error) {
	o.Clients = max(o.Clients, 1)
	o.Threads = min(max(o.Threads, 1), o.Clients)
	config, err := o.Connect(ctx)
	if err != nil {
		return engine.Result{}, err
	}
	if c.command == nil {
		c.command = Role().Command
	}
	l := &load{Crew: c, options: o, ctx: ctx, sums: newSums(o), events: make(chan event)}
	l.server = server{config.ConnString(), config.Password, config.RuntimeParams, c.Password != nil}
	for i, share := range shares(o, config, c.apart || c.Log != nil) { // each thread has its own log
		p, err := c.start(ctx, i+1, l.events)
		if err != nil {
			l.stop(err)
			break
		}
		l.workers = append(l.workers, p)
		p.tell(word{Order: l.order(share)})
	}
	done := stopping.For(ctx, "the load to stop", 0)
	l.supervise()
	done()
	if c.Silent != nil {
		c.Silent(l.silence)
	}
	return l.result(), l.failure
}

// load is a load that workers run. It belongs to one goroutine.
type load struct {
	Crew
	options engine.Options
	ctx     context.Context
	server  server
	workers []*process
	events  chan event
	*sums

	begun   time.Time // when the clients were told to begin
	failure error     // the first reason for a stop
	stopped bool
	silence time.Duration    // of any worker
	late    <-chan time.Time // when running workers are killed
}

func (l *load) order(share engine.Share) *order {
	o := &order{Options: l.options, Server: l.server}
	o.Options.Share, o.Options.Every = share, l.grain
	for _, s := range l.options.Scripts {
		o.Scripts = append(o.Scripts, source{s.Script.Name, s.Script.Source, s.Weight})
	}
	if l.Log != nil {
		o.Log = &logFile{output.LogName(l.Log.Prefix, l.Log.PID, share.To), l.Log.Interval, l.Log.FailuresDetailed}
	}
	return o
}

// supervise handles events until all workers are gone.
func (l *load) supervise() {
	watch := time.NewTicker(heartbeat)
	defer watch.Stop()
	interrupted, looked := l.ctx.Done(), time.Now()
	for left := len(l.workers); left > 0; {
		select {
		case e := <-l.events:
			if e.gone {
				left--
			}
			l.take(e)
		case <-interrupted:
			interrupted = nil
			l.stop(context.Cause(l.ctx))
		case <-l.late:
			for _, p := range l.workers {
				p.kill()
			}
		case <-watch.C:
			l.look(time.Since(looked))
			looked = time.Now()
		}
	}
	l.fail(l.finish())
}

func (l *load) take(e event) {
	p, r := e.from, e.report
	l.silence = max(l.silence, time.Since(p.lastSign))
	p.lastSign, p.still = time.Now(), false
	switch {
	case e.gone:
		p.gone = true
		if p.ended == nil {
			l.stop(fmt.Errorf("%s was lost: %w", p.name(), e.cause))
		}
		l.fail(l.addUp(l.workers))
	case r.Ready != nil:
		p.connected = true
		l.beginTogether(r.Ready)
	case r.Tick != nil:
		p.ticks = append(p.ticks, r.Tick)
		l.fail(l.addUp(l.workers))
	case r.Trouble != nil && l.options.Trouble != nil:
		t := r.Trouble.Trouble
		t.Err = r.Trouble.Err.err()
		l.options.Trouble(t)
	case r.Debug != "" && l.options.Debug != nil:
		_, err := l.options.Debug.Write([]byte(r.Debug))
		l.fail(err)
	case r.Question > 0:
		go l.answer(p, r.Question)
	case r.Ended != nil:
		p.ended = r.Ended
		l.fail(l.reason(r.Ended))
	}
}

// beginTogether starts the clients once the last of them is connected.
func (l *load) beginTogether(r *ready) {
	l.connecting = max(l.connecting, r.Took)
	for _, p := range l.workers {
		if !p.connected {
			return
		}
	}
	l.begun = time.Now()
	for _, p := range l.workers {
		p.tell(word{Begin: true})
	}
}

func (l *load) answer(p *process, question int) {
	text, err := l.Password(l.ctx)
	a := password{Question: question, Text: text}
	if err != nil {
		a.Refused = err.Error()
	}
	p.tell(word{Password: &a})
}

// reason returns why a worker's load ended early, or nil.
func (l *load) reason(e *ended) error {
	switch {
	case e.Failed == nil:
		return nil
	case e.Abort != nil:
		return e.Abort.err()
	case e.Connect:
		return &engine.ConnectError{Clients: l.options.Clients, Err: e.Failed.err()}
	default:
		return e.Failed.err()
	}
}

// fail stops the load if err is not nil.
func (l *load) fail(err error) {
	if err != nil {
		l.stop(err)
	}
}

// stop ends the load. The first reason counts; the other workers end normally.
func (l *load) stop(why error) {
	if l.stopped {
		return
	}
	l.stopped, l.failure = true, why
	l.late = time.After(stopWithin)
	for _, p := range l.workers {
		p.tell(word{Stop: true})
	}
}

// look finds workers that have been silent. If this process has stood still since the last look,
// their reports may only be unread.
func (l *load) look(since time.Duration) {
	for _, p := range l.workers {
		silent := time.Since(p.lastSign)
		switch {
		case p.gone:
		case since > 3*heartbeat:
			p.lastSign = time.Now()
		case silent > lostAfter:
			l.stop(fmt.Errorf("%s was killed: it had not reported for %s", p.name(), printable.Duration(lostAfter)))
			p.kill()
		case silent > stillAfter && !p.still && l.Tell != nil:
			p.still = true
			l.Tell(fmt.Sprintf("%s has not reported for %s: it is stopped or starved of CPU, and its clients are idle",
				p.name(), printable.Duration(stillAfter)))
		}
	}
}

// result returns the workers' results, including those of lost ones.
func (l *load) result() engine.Result {
	r := engine.Result{Connecting: l.connecting, Processor: l.processor, Totals: l.total.Totals(), Record: *l.total}
	began, over := time.Time{}, l.until
	for _, p := range l.workers {
		e := p.ended
		if e == nil {
			continue
		}
		r.Connections += e.Connections
		r.Poller = e.Poller
		if l.options.Reconnect {
			r.Connecting += e.Connecting
		}
		if e.Began.IsZero() {
			continue
		}
		if began.IsZero() || e.Began.Before(began) {
			began = e.Began
		}
		if end := e.Began.Add(e.Elapsed); end.After(over) {
			over = end
		}
	}
	if refused, ok := errors.AsType[*engine.ConnectError](l.failure); ok {
		refused.Connected = r.Connections
	}
	if began.IsZero() && !l.begun.IsZero() { // all were lost
		began = l.begun.Add(l.options.Warmup)
	}
	r.Began, r.Elapsed = began, max(over.Sub(began), 0)
	return r
}
