package engine

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/realiops/realiops/internal/measure/load/script"
	"github.com/realiops/realiops/internal/measure/load/session"
)

// client runs transactions one after another in its own session, as one goroutine. Other goroutines
// may use only its tally and open.
type client struct {
	*load
	id      int
	thread  *thread
	session *session.Session
	open    atomic.Pointer[session.Session] // the session, for the stopper
	env     script.Env
	tally   tally
	alarm   alarm // nil if the client never waits

	now   time.Duration // on the load's clock; 0: read it again when needed
	count int           // counted transactions

	// Of the current transaction.
	due, begun     time.Duration
	at             int  // the current command
	piped          bool // between \startpipeline and \endpipeline
	statements     int64
	returned       int64  // rows in this transaction
	rows           int64  // of the session at its begin
	sent, received uint64 // the same

	lapFrom time.Duration // begin of the command, if measured
	scratch scratch

	connecting time.Duration
	left       time.Duration // when it was done, or its last transaction where it was cut short
	cutShort   bool
}

func newClient(l *load, t *thread, id int, random script.Random, common *script.Vars) (*client, error) {
	vars := common.Clone()
	if _, given := l.Define["client_id"]; !given {
		if err := vars.DefineValue("client_id", script.Int(int64(id))); err != nil {
			return nil, err
		}
	}
	c := &client{
		load: l, id: id, thread: t, env: script.Env{Vars: vars, Random: &random, Debug: l.debug},
		tally: tally{totals: l.totals},
	}
	if l.Rate > 0 || l.has(script.KindSleep) {
		c.alarm = newAlarm()
	}
	return c, nil
}

func (c *client) run() {
	defer c.leave()
	for c.goesOn() {
		if p := &c.programs[c.thread.choose()]; !c.await(p) || !c.transact(p) {
			return
		}
	}
}

func (c *client) leave() {
	if !c.cutShort {
		c.left = c.time()
	}
	c.disconnect()
	c.tally.handOver()
	c.running.Add(-1)
}

// goesOn reports whether the client begins another transaction.
func (c *client) goesOn() bool {
	if c.Transactions > 0 && c.count >= c.Transactions || c.stopped() {
		return false
	}
	return c.over == never || c.time() < c.over
}

// stopped reports whether the load ends early.
func (c *client) stopped() bool {
	select {
	case <-c.stopping:
		return true
	default:
		return false
	}
}

// time reads the clock, unless nothing has happened since the last reading.
func (c *client) time() time.Duration {
	if c.now == 0 {
		c.now = c.clock.now()
	}
	return c.now
}

// await waits until the next transaction is due, skipping the ones that are too late already.
func (c *client) await(p *program) bool {
	if c.Rate == 0 {
		return true
	}
	for {
		c.due = c.thread.next()
		switch turnOf(c.due, c.time(), c.LatencyLimit, c.over) {
		case ends:
			return false
		case waits:
			return c.sleepUntil(c.due)
		case skips:
			c.record(p, skipped, 1)
			if !c.goesOn() {
				return false
			}
		}
	}
}

// sleepUntil reports whether it slept to the end.
func (c *client) sleepUntil(at time.Duration) bool {
	wait := at - c.time()
	if wait <= 0 {
		return true
	}
	c.now = 0
	return c.alarm.sleep(wait)
}

// transact runs a transaction with its retries, and reports whether the client goes on.
func (c *client) transact(p *program) bool {
	if c.session == nil && !c.reconnect(p) {
		return false
	}
	c.begun = c.time()
	if c.Rate == 0 {
		c.due = c.begun
	}
	c.statements, c.returned = 0, 0
	var random script.Random // saved for a retry
	var vars *script.Vars
	if c.MaxTries != 1 {
		random, vars = *c.env.Random, c.env.Vars.Clone()
	}
	for try := 1; ; try++ {
		err := c.attempt(p)
		if err == nil {
			c.record(p, done, try)
			if c.session.Status() != session.Idle { // like pgbench, count a script that left its transaction open
				c.statements, c.returned = 0, 0
				return c.abort(p, errOpenTransaction, try) != Aborts
			}
			return c.part()
		}
		switch c.afterFailure(p, err, try) {
		case TriesAgain:
			// Restore both, as pgbench's manual promises. pgbench 15.18 keeps variables that the failed try set.
			*c.env.Random, c.env.Vars = random, vars.Clone()
		case FailsTransaction:
			if vars != nil { // the random numbers go on
				c.env.Vars = vars
			}
			return c.part()
		case Aborts:
			return false
		}
	}
}

// attempt runs the commands of a script.
func (c *client) attempt(p *program) error {
	c.piped = false
	for c.at = 0; c.at < len(p.steps); {
		next, err := c.execute(p)
		if err != nil {
			return err
		}
		if c.PerCommand { // the next command begins where this one ended
			c.now = c.clock.now()
			c.tally.addLap(lap{script: int32(p.index), command: int32(c.at), warmup: c.now < c.warm,
				took: c.now - c.lapFrom})
			c.lapFrom = c.now
		}
		c.at = next
	}
	if c.piped {
		return errOpenPipeline
	}
	return nil
}

// record records the end of a transaction.
func (c *client) record(p *program, how outcome, try int) {
	now := c.time()
	s := sample{
		script: int32(p.index), retries: int32(try - 1), outcome: how, paced: c.Rate > 0, warmup: now < c.warm,
	}
	if how == done {
		s.latency, s.lag = now-c.due, c.begun-c.due
		s.late = c.LatencyLimit > 0 && s.latency > c.LatencyLimit
	}
	if how != skipped { // a skipped one sent nothing: the figures are the previous transaction's
		s.statements, s.returned = c.statements, c.returned
		if c.session != nil {
			rows, sent, received := c.session.Rows(), c.session.Sent(), c.session.Received()
			s.rows, s.sent, s.received = rows-c.rows, int64(sent-c.sent), int64(received-c.received)
			c.rows, c.sent, c.received = rows, sent, received
		}
	}
	c.tally.add(s)
	if s.warmup || how == unfinished {
		return
	}
	c.count++
	c.left = now
	if c.Log != nil {
		c.log(c, &s, now)
		c.now = 0
	}
}

func (c *client) connect() error {
	s, err := c.load.open()
	if err != nil {
		return err
	}
	c.session, c.rows, c.sent, c.received = s, 0, 0, 0
	c.open.Store(s)
	return nil
}

func (c *client) disconnect() {
	if c.session != nil {
		c.open.Store(nil)
		_ = c.session.Close() // the server notices in any case
		c.session = nil
	}
}

// reconnect opens a session for one transaction.
func (c *client) reconnect(p *program) bool {
	from := c.time()
	err := c.connect()
	c.now = c.clock.now()
	c.connecting += c.now - from
	if err == nil || c.stopped() {
		return err == nil
	}
	c.at = 0
	c.abort(p, err, 1)
	return false
}

// part ends the session if each transaction has its own.
func (c *client) part() bool {
	if c.Reconnect {
		from := c.time()
		c.disconnect()
		c.now = c.clock.now()
		c.connecting += c.now - from
	}
	return true
}

// atATime is how many connections are opened in parallel: enough to hide the round trip, and few
// enough for the server's backlog.
const atATime = 16

// dial opens a connection for the dialer. It gives up on a server that accepts and then stays silent.
func (l *load) dial(ctx context.Context) (*pgconn.PgConn, error) {
	config, err := l.Connect(ctx)
	if err != nil {
		return nil, err
	}
	if config.AfterNetConnect == nil {
		return pgconn.ConnectConfig(ctx, &config.Config)
	}
	return pgconn.ConnectConfig(ctx, config.Config.Copy()) // its own copy, which may get its own password
}

// open opens a session, within the limit for a silent server.
func (l *load) open() (*session.Session, error) {
	ctx := l.ctx
	if l.Silence > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, l.Silence, session.ErrNoAnswer)
		defer cancel()
	}
	s, err := l.dialer.Open(ctx)
	if err != nil {
		if ctx.Err() != nil {
			err = fmt.Errorf("%w: %w", context.Cause(ctx), err)
		}
		return nil, err
	}
	l.connections.Add(1)
	return s, nil
}

// connect connects all clients before the load begins, unless each transaction has a connection of its own.
func (l *load) connect() error {
	if l.Reconnect {
		return nil
	}
	from := l.clock.now()
	var next atomic.Int64
	var failed atomic.Pointer[error]
	var workers sync.WaitGroup
	for range min(atATime, len(l.clients)) {
		workers.Go(func() {
			for i := next.Add(1) - 1; i < int64(len(l.clients)) && failed.Load() == nil; i = next.Add(1) - 1 {
				if err := l.clients[i].connect(); err != nil {
					failed.CompareAndSwap(nil, &err)
				}
			}
		})
	}
	workers.Wait()
	l.connecting = l.clock.now() - from
	if err := failed.Load(); err != nil {
		l.disconnect()
		return &ConnectError{Connected: l.connections.Load(), Clients: l.Clients, Err: *err}
	}
	return nil
}

func (l *load) disconnect() {
	for _, c := range l.clients {
		c.disconnect()
	}
}
