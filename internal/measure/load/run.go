package load

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/realiops/realiops/internal/runfile"
)

const (
	// reportEvery is the grain of the record of the load.
	reportEvery = time.Second
	// patience is how long a client may take to finish its transaction after the end, before it is cut off.
	patience = 10 * time.Second
)

// Connect opens a session for a client.
type Connect func(context.Context) (*pgx.Conn, error)

// Run lets the arm's clients repeat the workload for the duration and hands what they did to report, every second and
// once at the end; Replicate is the caller's to fill in. All clients are connected before the first begins, finish
// what they began, and have left when Run returns. When one fails, or ctx ends, all stop; what the server had
// confirmed by then has been reported.
func (w *Workload) Run(ctx context.Context, connect Connect, duration time.Duration, report func(runfile.Load) error) error {
	clients, err := connectAll(ctx, connect, w.arm.Clients)
	if err != nil {
		return err
	}
	work, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	start := time.Now()
	until := start.Add(duration)
	grace, cut := withGrace(work, until)
	defer cut()

	var running sync.WaitGroup
	for _, c := range clients {
		running.Go(func() {
			if err := c.repeat(work, grace, until, w.execute); err != nil {
				stop(fmt.Errorf("arm %s: %w", w.arm.Name, err))
			}
		})
	}
	finished := make(chan struct{})
	go func() { running.Wait(); close(finished) }()
	stop(reportUntil(finished, stop, report, &record{arm: w.arm, clients: clients, from: start}))
	return causeOf(work)
}

// causeOf is what ended the work, or nil where nothing did before its time.
func causeOf(work context.Context) error {
	if err := context.Cause(work); !errors.Is(err, context.Canceled) {
		return err
	}
	return nil
}

// withGrace gives the context of transactions: they outlive the end by patience, because cutting one off makes the
// server roll back what the device has already written; and no longer, because a server may have stopped answering.
func withGrace(work context.Context, until time.Time) (context.Context, context.CancelFunc) {
	grace, cut := context.WithDeadlineCause(context.WithoutCancel(work), until.Add(patience), errNoAnswer)
	unhook := context.AfterFunc(work, func() { time.AfterFunc(patience, cut) })
	return grace, func() { unhook(); cut() }
}

var errNoAnswer = fmt.Errorf("the server did not end a transaction within %v of its time", patience)

// reportUntil reports regularly while the clients work, and the rest when they have finished.
func reportUntil(finished <-chan struct{}, stop context.CancelCauseFunc, report func(runfile.Load) error, done *record) error {
	tick := time.NewTicker(reportEvery)
	defer tick.Stop()
	for {
		select {
		case <-finished:
			return reportOnce(done, report)
		case <-tick.C:
			if err := reportOnce(done, report); err != nil {
				stop(err)
			}
		}
	}
}

func reportOnce(done *record, report func(runfile.Load) error) error {
	line, err := done.next(time.Now())
	if err != nil {
		return fmt.Errorf("record the load: %w", err)
	}
	return report(line)
}

// client is one session and what it did.
type client struct {
	conn *pgx.Conn
	done *tally
}

func connectAll(ctx context.Context, connect Connect, n int) ([]*client, error) {
	clients := make([]*client, 0, n)
	for range n {
		conn, err := connect(ctx)
		if err != nil {
			for _, c := range clients {
				err = errors.Join(err, c.conn.Close(ctx))
			}
			return nil, err
		}
		clients = append(clients, &client{conn, newTally()})
	}
	return clients, nil
}

// repeat is a client's life. It ends at the time set, when work ends, or when a transaction fails.
func (c *client) repeat(work, grace context.Context, until time.Time, execute transaction) error {
	defer c.conn.Close(grace) //nolint:errcheck // all is confirmed by now; a goodbye that fails changes nothing
	for work.Err() == nil {
		began := time.Now()
		if !began.Before(until) {
			return nil
		}
		if err := execute(grace, c.conn.PgConn()); err != nil {
			return errors.Join(err, context.Cause(grace))
		}
		c.done.add(time.Since(began))
	}
	return nil
}
