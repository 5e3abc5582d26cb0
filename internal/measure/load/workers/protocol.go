package workers

import (
	"errors"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/realiops/realiops/internal/measure/load/engine"
	"github.com/realiops/realiops/internal/measure/load/session"
)

// greeting is a worker's first message, which tells it from other programs, such as a test without the role. Its
// number changes with the protocol.
const greeting = "realiops worker 2"

// word is a message to a worker. One field is set.
type word struct {
	Order    *order    `json:",omitempty"` // the first one
	Begin    bool      `json:",omitempty"` // all clients of all workers are connected
	Stop     bool      `json:",omitempty"` // early
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

// server holds the parameters of a connection. Certificates, service files and the like come from the same
// sources as in the first process.
type server struct {
	Connection string            // as the user gave it
	Password   string            // as found
	Parameters map[string]string // of the sessions
	Asks       bool              // each connection needs its own password
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
	Refused  string // the reason if there is none
}

// report is a message from a worker. At most one field is set; none is a sign of life.
type report struct {
	Greeting string   `json:",omitempty"` // the first one
	Ready    *ready   `json:",omitempty"`
	Tick     *tick    `json:",omitempty"`
	Trouble  *trouble `json:",omitempty"`
	Debug    string   `json:",omitempty"` // debug()'s output
	Question int      `json:",omitempty"` // asks for a password; from 1
	Ended    *ended   `json:",omitempty"` // the last one
}

// ready says that all clients are connected.
type ready struct{ Took time.Duration }

// tick is an engine.Tick.
type tick struct {
	From, To     time.Time
	Warmup, Last bool
	Running      int
	Processor    time.Duration // since the last one
	Scripts      []engine.ScriptResult
	Faults       []fault `json:",omitempty"`
	Aborted      []abort `json:",omitempty"`
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

// failure is an error for another process: its text, and the properties that the engine's callers use.
type failure struct {
	Text    string
	Kind    session.Kind
	Lost    string          `json:",omitempty"` // why the session ended
	Refused *pgconn.PgError `json:",omitempty"`
}

func newFailure(err error) failure {
	f := failure{Text: err.Error(), Kind: session.KindOf(err)}
	if lost, is := errors.AsType[*session.LostError](err); is {
		f.Lost = lost.Cause.Error()
	}
	f.Refused, _ = errors.AsType[*pgconn.PgError](err)
	return f
}

func (f failure) err() error { return &remote{f} }

type remote struct{ failure }

func (r *remote) Error() string { return r.Text }

// Unwrap returns the errors that session.KindOf and others look for.
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
		inside = append(inside, &session.LostError{Cause: errors.New(r.Lost)})
	}
	return inside
}

func pack(t engine.Tick, processor time.Duration) *tick {
	m := &tick{From: t.From, To: t.To, Warmup: t.Warmup, Last: t.Last, Running: t.Running, Processor: processor,
		Scripts: t.Record.Scripts}
	for _, f := range t.Record.Faults {
		m.Faults = append(m.Faults, fault{f.Kind, f.Code, f.Count, newFailure(f.First)})
	}
	for _, err := range t.Record.Aborted {
		if a, ok := errors.AsType[*engine.Abort](err); ok {
			m.Aborted = append(m.Aborted, abort{a.Client, newFailure(a.Err)})
		}
	}
	return m
}

// record converts the clients' work to a record of the load's scripts.
func (m *tick) record(scripts []engine.Weighted) (*engine.Record, error) {
	r := engine.NewRecord(scripts)
	if len(m.Scripts) != len(r.Scripts) {
		return nil, errors.New("a worker reported other scripts")
	}
	for i, of := range m.Scripts {
		if len(of.Commands) != len(r.Scripts[i].Commands) {
			return nil, errors.New("a worker reported other commands")
		}
	}
	r.Scripts = m.Scripts
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
