package workers

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"sync"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/realiops/realiops/internal/measure/host"
	"github.com/realiops/realiops/internal/measure/load/engine"
	"github.com/realiops/realiops/internal/measure/load/output"
	"github.com/realiops/realiops/internal/measure/load/script"
	"github.com/realiops/realiops/internal/measure/postgres"
	"github.com/realiops/realiops/internal/measure/role"
)

// Role returns the role of a worker.
func Role() role.Role { return role.Role{Name: "worker", Play: play} }

var (
	errStopped = errors.New("stopped")
	errGone    = errors.New("realiops is gone")
)

const (
	// heartbeat is the interval of a worker's reports, and the longest it holds back its clients' results.
	heartbeat = time.Second
	// parting is how long a worker may take to end its statements once realiops is gone.
	parting = 3 * time.Second
)

// worker is the worker's side of [process].
type worker struct {
	cancel context.CancelCauseFunc
	begin  chan struct{}

	mu        sync.Mutex
	out       *json.Encoder
	questions []chan password
	used      time.Duration // processor time at the last report
}

// play runs one share of a load. It returns an error if it was started otherwise than by a Crew.
func play(in io.Reader, out io.Writer) error {
	// A terminal's keys are for realiops, which says when to stop. A worker that ended by itself would stop the load.
	signal.Ignore(os.Interrupt, syscall.SIGHUP, syscall.SIGQUIT, syscall.SIGPIPE)
	terminated, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	context.AfterFunc(terminated, func() { cancel(fmt.Errorf("worker process %d was terminated", os.Getpid())) })
	// A second, mostly idle thread would wake and be woken for each transaction. Clients on a ring wake no
	// thread, and package ring uses two.
	runtime.GOMAXPROCS(1)

	w := &worker{out: json.NewEncoder(out), cancel: cancel, begin: make(chan struct{})}
	_ = w.tell(report{Greeting: greeting})
	words := json.NewDecoder(in)
	var first word
	if err := words.Decode(&first); err != nil || first.Order == nil {
		return errors.New("worker is internal to realiops; use realiops load")
	}
	go w.listen(words)
	go w.live(ctx)
	last := make(chan ended, 1)
	go func() { last <- w.run(ctx, first.Order) }()
	select {
	case e := <-last:
		_ = w.tell(report{Ended: &e})
	case <-w.abandoned(ctx):
	}
	return nil
}

// abandoned returns a channel for when the clients, with nobody to report to, have had their time to stop.
func (w *worker) abandoned(ctx context.Context) <-chan struct{} {
	late := make(chan struct{})
	context.AfterFunc(ctx, func() {
		if errors.Is(context.Cause(ctx), errGone) {
			time.AfterFunc(parting, func() { close(late) })
		}
	})
	return late
}

// tell sends a message. If realiops is gone, listen notices.
func (w *worker) tell(r report) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.out.Encode(r)
}

// listen reads messages for the load, and notices the end of realiops.
func (w *worker) listen(words *json.Decoder) {
	for {
		var next word
		if err := words.Decode(&next); err != nil {
			w.cancel(errGone)
			return
		}
		switch {
		case next.Begin:
			close(w.begin)
		case next.Stop:
			w.cancel(errStopped)
		case next.Password != nil:
			w.answer(*next.Password)
		}
	}
}

// live sends heartbeats.
func (w *worker) live(ctx context.Context) {
	tick := time.NewTicker(heartbeat)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			_ = w.tell(report{})
		}
	}
}

func (w *worker) run(ctx context.Context, o *order) ended {
	result, err := w.load(ctx, o)
	e := ended{Began: result.Began, Elapsed: result.Elapsed, Connecting: result.Connecting,
		Connections: result.Connections, Poller: result.Poller}
	if err == nil {
		return e
	}
	f := newFailure(err)
	e.Failed = &f
	if refused, ok := errors.AsType[*engine.ConnectError](err); ok {
		f.Text, e.Connect = refused.Why(), true
	}
	if gaveUp, ok := errors.AsType[*engine.Abort](err); ok {
		e.Abort = &abort{gaveUp.Client, newFailure(gaveUp.Err)}
	}
	return e
}

func (w *worker) load(ctx context.Context, order *order) (result engine.Result, err error) {
	o := order.Options
	o.Set = script.NewSet()
	for _, s := range order.Scripts {
		parsed, err := o.Set.Parse(s.Name, s.Text)
		if err != nil {
			return engine.Result{}, err
		}
		o.Scripts = append(o.Scripts, engine.Weighted{Script: parsed, Weight: s.Weight})
	}
	config, err := w.config(order.Server)
	if err != nil {
		return engine.Result{}, err
	}
	o.Connect = func(context.Context) (*pgx.ConnConfig, error) { return config, nil }
	o.Debug = debugger{w}
	o.Trouble = func(t engine.Trouble) { _ = w.tell(report{Trouble: &trouble{t, newFailure(t.Err)}}) }
	o.Ready = func(took time.Duration, connections int64) error {
		_ = w.tell(report{Ready: &ready{took}})
		select {
		case <-w.begin:
			w.used = host.ProcessorTime() // connecting is not part of the load
			return nil
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	o.Tick = w.tick
	if order.Log == nil {
		return engine.Run(ctx, o)
	}
	asked := output.Asked{Options: o, FailuresDetailed: order.Log.FailuresDetailed}
	log, err := output.CreateLog(order.Log.Path, asked, order.Log.Interval)
	if err != nil {
		return engine.Result{}, err
	}
	o.Log = log.Transaction
	o.Tick = func(t engine.Tick) error {
		if !t.Warmup {
			log.Begin(t.From)
		}
		return errors.Join(log.Flush(), w.tick(t))
	}
	result, err = engine.Run(ctx, o)
	return result, errors.Join(err, log.Close(time.Now()))
}

func (w *worker) tick(t engine.Tick) error {
	used := host.ProcessorTime()
	err := w.tell(report{Tick: pack(t, used-w.used)})
	w.used = used
	if unwritten := new(json.MarshalerError); errors.As(err, &unwritten) {
		return err // otherwise this second would be missing silently
	}
	return nil
}

// config returns the clients' connection parameters: read again as in the first process, then overridden by what
// that process found or was given.
func (w *worker) config(s server) (*pgx.ConnConfig, error) {
	endpoint, err := postgres.Parse(s.Connection)
	if err != nil {
		return nil, err
	}
	if s.Asks {
		endpoint.SetPassword(w.ask)
	}
	config := endpoint.Config()
	config.Password, config.RuntimeParams = s.Password, s.Parameters
	return config, nil
}

// ask asks the first process for one connection's password.
func (w *worker) ask(ctx context.Context) (string, error) {
	answer := make(chan password, 1)
	w.mu.Lock()
	w.questions = append(w.questions, answer)
	number := len(w.questions)
	w.mu.Unlock()
	_ = w.tell(report{Question: number})
	select {
	case a := <-answer:
		if a.Refused != "" {
			return "", errors.New(a.Refused)
		}
		return a.Text, nil
	case <-ctx.Done():
		return "", context.Cause(ctx)
	}
}

func (w *worker) answer(a password) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if at := a.Question - 1; at >= 0 && at < len(w.questions) && w.questions[at] != nil {
		w.questions[at] <- a
		w.questions[at] = nil
	}
}

// debugger sends debug()'s output to the first process.
type debugger struct{ *worker }

func (d debugger) Write(p []byte) (int, error) {
	_ = d.tell(report{Debug: string(p)})
	return len(p), nil
}
