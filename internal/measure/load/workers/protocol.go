package workers

import (
	"errors"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/realiops/realiops/internal/measure/load/engine"
	"github.com/realiops/realiops/internal/measure/load/session"
)

// greeting is the first thing that a worker says, so that another program, or a test that does not know the role, is
// not taken for one. It changes with what follows.
const greeting = "realiops worker 1"

// word is a message to a worker; one field is set.
type word struct {
	Order    *order    `json:",omitempty"` // the first one
	Begin    bool      `json:",omitempty"` // all clients of all workers are connected
	Stop     bool      `json:",omitempty"` // before its time
	Password *password `json:",omitempty"`
}

type order struct {
	Options engine.Options
	Scripts []source
	Server  server
	Log     *logFile `json:",omitempty"`
}

// source is a script to be parsed again.
type source struct {
	Name, Text string
	Weight     int
}

// server holds the parameters of a connection. Others, such as certificates and service files, come from the same
// sources as in the first process.
type server struct {
	Connection string            // as people gave it
	Password   string            // that was found
	Parameters map[string]string // of the sessions
	Asks       bool              // each connection needs a password of its own
}

// logFile is pgbench's log of one thread.
type logFile struct {
	Path             string
	Interval         time.Duration // 0: each transaction is logged
	FailuresDetailed bool
}

// password is the answer to a question.
type password struct {
	Question int
	Text     string
	Refused  string // why there is none
}

// report is a message from a worker; one field is set, or none in a sign of life.
type report struct {
	Greeting string   `json:",omitempty"` // the first one
	Ready    *ready   `json:",omitempty"`
	Tick     *tick    `json:",omitempty"`
	Trouble  *trouble `json:",omitempty"`
	Debug    string   `json:",omitempty"` // what debug() writes
	Question int      `json:",omitempty"` // asks for a password; from 1
	Ended    *ended   `json:",omitempty"` // the last one
}

// ready says that all clients are connected.
type ready struct {
	Took        time.Duration
	Connections int64
}

// tick is an engine.Tick.
type tick struct {
	From, To     time.Time
	Warmup, Last bool
	Running      int
	Processor    time.Duration // since the last one
	Scripts      []account
	Faults       []fault `json:",omitempty"`
	Aborted      []abort `json:",omitempty"`
}

// account sums up the work on one script. Commands with nothing to report are left out.
type account struct {
	Totals   totals
	Commands map[int]command `json:",omitempty"`
}

// totals are engine.Totals but for the lengths of time.
type totals struct {
	engine.Totals
	Latency, Lag *durations `json:",omitempty"`
}

type command struct {
	Latency           *durations `json:",omitempty"`
	Failures, Retries int64      `json:",omitempty"`
}

// durations are engine.Durations, the histogram in HdrHistogram's own compressed form.
type durations struct {
	Count                  int64
	Sum, Sum2, Least, Most float64
	Histogram              string
}

type fault struct {
	Kind  session.Kind
	Code  string
	Count int64
	First failure
}

type abort struct {
	Client int
	Why    failure
}

type trouble struct {
	engine.Trouble
	Err failure
}

type ended struct {
	Began       time.Time
	Elapsed     time.Duration
	Connecting  time.Duration
	Connections int64
	Poller      string
	Failed      *failure `json:",omitempty"`
	Connect     bool     `json:",omitempty"` // it failed because a client could not connect
	Abort       *abort   `json:",omitempty"` // it failed because a client gave up
}

// failure is an error on its way to another process: its text, and what the engine's callers ask of errors.
type failure struct {
	Text    string
	Kind    session.Kind
	Refused *pgconn.PgError `json:",omitempty"`
}

func newFailure(err error) failure {
	f := failure{Text: err.Error(), Kind: session.KindOf(err)}
	f.Refused, _ = errors.AsType[*pgconn.PgError](err)
	return f
}

func (f failure) err() error { return &remote{f} }

// remote is an error of another process.
type remote struct{ failure }

func (r *remote) Error() string { return r.Text }

// Unwrap gives what session.KindOf and others look for.
func (r *remote) Unwrap() []error {
	var inside []error
	if r.Refused != nil {
		inside = append(inside, r.Refused)
	}
	switch r.Kind {
	case session.NoAnswer:
		inside = append(inside, session.ErrNoAnswer)
	case session.Aborted:
		inside = append(inside, session.ErrAborted)
	case session.Lost:
		inside = append(inside, &session.LostError{Cause: errors.New(r.Text)})
	}
	return inside
}

func pack(t engine.Tick, processor time.Duration) (*tick, error) {
	m := &tick{
		From: t.From, To: t.To, Warmup: t.Warmup, Last: t.Last, Running: t.Running, Processor: processor,
		Scripts: make([]account, len(t.Record.Scripts)),
	}
	for i := range t.Record.Scripts {
		s, err := &t.Record.Scripts[i], error(nil)
		a := account{Totals: totals{Totals: s.Totals}}
		a.Totals.Totals.Latency, a.Totals.Totals.Lag = engine.Durations{}, engine.Durations{}
		a.Totals.Latency, err = packDurations(s.Totals.Latency)
		if err != nil {
			return nil, err
		}
		if a.Totals.Lag, err = packDurations(s.Totals.Lag); err != nil {
			return nil, err
		}
		for at, c := range s.Commands {
			if c.Latency.Count == 0 && c.Failures == 0 && c.Retries == 0 {
				continue
			}
			if a.Commands == nil {
				a.Commands = map[int]command{}
			}
			latency, err := packDurations(c.Latency)
			if err != nil {
				return nil, err
			}
			a.Commands[at] = command{latency, c.Failures, c.Retries}
		}
		m.Scripts[i] = a
	}
	for _, f := range t.Record.Faults {
		m.Faults = append(m.Faults, fault{f.Kind, f.Code, f.Count, newFailure(f.First)})
	}
	for _, err := range t.Record.Aborted {
		if a, ok := errors.AsType[*engine.Abort](err); ok {
			m.Aborted = append(m.Aborted, abort{a.Client, newFailure(a.Err)})
		}
	}
	return m, nil
}

// record converts the clients' work to a record of the load's scripts.
func (m *tick) record(scripts []engine.Weighted) (*engine.Record, error) {
	r := engine.NewRecord(scripts)
	if len(m.Scripts) != len(r.Scripts) {
		return nil, errors.New("a worker speaks of other scripts")
	}
	for i, a := range m.Scripts {
		s, err := &r.Scripts[i], error(nil)
		s.Totals = a.Totals.Totals
		if s.Totals.Latency, err = a.Totals.Latency.unpack(); err != nil {
			return nil, err
		}
		if s.Totals.Lag, err = a.Totals.Lag.unpack(); err != nil {
			return nil, err
		}
		for at, c := range a.Commands {
			if at < 0 || at >= len(s.Commands) {
				return nil, errors.New("a worker speaks of other commands")
			}
			s.Commands[at].Failures, s.Commands[at].Retries = c.Failures, c.Retries
			if s.Commands[at].Latency, err = c.Latency.unpack(); err != nil {
				return nil, err
			}
		}
	}
	for _, f := range m.Faults {
		r.Faults = append(r.Faults, engine.Fault{Kind: f.Kind, Code: f.Code, Count: f.Count, First: f.First.err()})
	}
	for _, a := range m.Aborted {
		r.Aborted = append(r.Aborted, a.err())
	}
	return r, nil
}

func (a abort) err() *engine.Abort {
	return &engine.Abort{Client: a.Client, Kind: a.Why.Kind, Err: a.Why.err()}
}

func packDurations(d engine.Durations) (*durations, error) {
	if d.Count == 0 {
		return nil, nil
	}
	text, err := d.Histogram.Encode(hdrhistogram.V2CompressedEncodingCookieBase)
	return &durations{d.Count, d.Sum, d.Sum2, d.Least, d.Most, string(text)}, err
}

func (d *durations) unpack() (engine.Durations, error) {
	if d == nil {
		return engine.Durations{}, nil
	}
	h, err := hdrhistogram.Decode([]byte(d.Histogram))
	return engine.Durations{Count: d.Count, Sum: d.Sum, Sum2: d.Sum2, Least: d.Least, Most: d.Most, Histogram: h}, err
}
