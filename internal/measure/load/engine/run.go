package engine

import (
	"context"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/realiops/realiops/internal/measure/load/script"
	"github.com/realiops/realiops/internal/measure/load/session"
)

// Run runs a load to its end and returns its result.
//
// If ctx is cancelled or a function in the options fails, all clients stop quickly, the error is the cause, and the
// result covers the time until then. Clients that abort are not an error of Run unless Options.ExitOnAbort is set.
func Run(ctx context.Context, o Options) (Result, error) {
	l, err := newLoad(&o)
	if err != nil {
		return Result{}, err
	}
	defer l.closeAlarms()
	ctx, l.cancel = context.WithCancelCause(ctx)
	defer l.cancel(nil)
	l.ctx, l.stopping = ctx, ctx.Done()
	l.dialer = session.NewDialer(l.dial, o.Silence)
	defer l.dialer.Close()
	if err := l.connect(); err != nil {
		return Result{Connections: l.connections.Load()}, err
	}
	if l.Ready != nil {
		if err := l.Ready(l.connecting, l.connections.Load()); err != nil {
			l.disconnect()
			return Result{Connections: l.connections.Load()}, err
		}
	}
	l.run()
	return l.result(), context.Cause(ctx)
}

func newLoad(o *Options) (*load, error) {
	o.Complete()
	if err := o.check(); err != nil {
		return nil, err
	}
	programs, err := compile(o)
	if err != nil {
		return nil, err
	}
	l := &load{Options: *o, programs: programs, totals: newTotals(o.Scripts), clock: clock{time.Now()}}
	if o.Debug != nil {
		l.debug = &lockedWriter{w: o.Debug}
	}
	return l, l.addClients()
}

// addClients makes the clients, deals them out to threads in pgbench's order, and sets their variables.
func (l *load) addClients() error {
	streams := script.Derive(l.Seed, l.Clients, l.Threads, l.SeedGiven)
	vars, err := l.variables(streams.DefaultSeed)
	if err != nil {
		return err
	}
	weights := make([]int, len(l.Scripts))
	for i, s := range l.Scripts {
		weights[i] = s.Weight
	}
	id := 0
	for i, random := range streams.Threads {
		first := id
		id += (l.Clients - first + l.Threads - i - 1) / (l.Threads - i) // rounded up
		if !l.Share.has(i) {
			continue
		}
		t := &thread{weights: weights, choices: random.Choose, pauses: random.Throttle, sample: random.Sample}
		l.threads = append(l.threads, t)
		for client := first; client < id; client++ {
			c, err := newClient(l, t, client, streams.Clients[client], vars)
			if err != nil {
				return err
			}
			l.clients = append(l.clients, c)
		}
	}
	return nil
}

func (l *load) closeAlarms() {
	for _, c := range l.clients {
		if c.alarm != nil {
			c.alarm.close()
		}
	}
}

// variables returns the variables that all clients share.
func (l *load) variables(defaultSeed int64) (*script.Vars, error) {
	vars := l.Set.NewVars()
	for name, value := range map[string]int64{"scale": 1, "default_seed": defaultSeed, "random_seed": int64(l.Seed)} {
		if err := vars.DefineValue(name, script.Int(value)); err != nil {
			return nil, err
		}
	}
	for name, text := range l.Define {
		if err := vars.Define(name, text); err != nil {
			return nil, err
		}
	}
	return vars, nil
}

// run starts all clients and waits for the last one.
func (l *load) run() {
	r, err := l.ring()
	l.poller = "io_uring"
	if err != nil {
		l.poller = fmt.Sprintf("epoll (%v)", err)
	}
	defer r.Close()
	l.running.Store(int64(len(l.clients)))
	l.began = l.clock.now()
	l.warm = l.began + l.Warmup
	l.over = never
	if l.Duration > 0 {
		l.over = l.warm + l.Duration
	}
	if l.Rate > 0 {
		for _, t := range l.threads {
			t.schedule = newSchedule(t.pauses, l.Rate/float64(l.Threads), l.began)
		}
	}
	var others sync.WaitGroup
	done := make(chan struct{})
	others.Go(func() { l.stopper(done) })
	if l.Every > 0 {
		others.Go(func() { l.tick(done) })
	}
	if l.Duration > 0 && l.Silence > 0 { // an endless answer is not silence
		late := time.AfterFunc(l.Warmup+l.Duration+l.Silence, func() { l.cancel(session.ErrNoAnswer) })
		defer late.Stop()
	}
	l.runClients(r)
	close(done)
	others.Wait()
	l.tell(max(l.ticked, l.warm), l.clock.now(), false, true) // the rest
}

func (l *load) result() Result {
	r := Result{
		Began: l.clock.time(l.warm), Connecting: l.connecting, Connections: l.connections.Load(),
		Poller: l.poller, Totals: l.totals.total.Totals(), Record: *l.totals.total,
	}
	last := l.stoppedAt // or the end of the last client, if later
	for _, c := range l.clients {
		last = max(last, c.left)
		r.Connecting += c.connecting
	}
	r.Elapsed = max(last-l.warm, 0)
	return r
}

// lockedWriter lets all clients write whole lines to one writer.
type lockedWriter struct {
	mu sync.Mutex
	w  io.Writer
}

func (w *lockedWriter) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	n, err := w.w.Write(p)
	if err != nil {
		err = fmt.Errorf("write the output of debug(): %w", err)
	}
	return n, err
}
