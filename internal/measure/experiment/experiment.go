// Package experiment runs a plan: it runs each load in turn and ensures that the counters' growth during a
// load comes from that load alone.
//
// A repetition of a load goes: settle (make its table, write out what earlier loads left), read, begin, load, wait
// until the clients have left, write out its dirty pages, wait until the server has counted its rows, read, end. So
// the difference of the last readings before end and before begin holds exactly what the load caused. Then the rows
// of its table are counted one by one, to prove that neither load nor counters missed any, and the table is dropped.
package experiment

import (
	"context"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/realiops/realiops/internal/measure/layout"
	"github.com/realiops/realiops/internal/measure/load"
	"github.com/realiops/realiops/internal/runfile"
)

// Experiment is a plan and what it needs from the rest of the program.
type Experiment struct {
	Plan    runfile.Plan
	Control *pgx.Conn    // makes tables, asks for checkpoints
	Connect load.Connect // opens a client's session
	Engine  load.Engine  // runs the clients
	Schema  string
	Pooled  bool // a pooler stands between the clients and the server

	// Checkpoint is set if the user may request one. Without it a load's dirty pages are written during the next.
	Checkpoint bool
	// Followed waits until a checkpoint harms nobody who reads the WAL; nil: nobody does.
	Followed func(context.Context) error
	// Flush writes the file systems' own dirty data to the device; nil if they are on another machine.
	Flush func() error
	// Gone waits until the clients' sessions have ended.
	Gone func(context.Context) error
	// Layout locates the server's files if they can be read from here; otherwise Unreadable says why not.
	Layout     *layout.Layout
	Unreadable string
	// Evicts is set if the server can evict pages from shared buffers, as PostgreSQL 17 and later can.
	Evicts bool
	// ReadWAL reads the load's WAL before a checkpoint lets the server recycle it, and attributes the WAL since
	// PassWAL to tables and indexes. Both are nil if the WAL is not read.
	ReadWAL func(context.Context) (runfile.WAL, error)
	PassWAL func(context.Context) error
	// WaitForCounters waits until the server's counters include all work done.
	WaitForCounters func(context.Context) error
	// ReadAll reads all probes. It also runs before a checkpoint, so that the readings after it write nothing: the
	// first query on a catalog after a change sets hint bits and prunes pages, which writes WAL.
	ReadAll func(context.Context) error
	// Recover is called with the error of a failed repetition. It waits until the server accepts loads again and
	// returns a new Control, or says why the run cannot go on; nil: it never can.
	Recover func(ctx context.Context, failed error) (*pgx.Conn, error)
	// Moved returns the provider's description of the server at the beginning of a load, if a failover replaced the
	// server that the run began on. Nil, or nil from it: it is the same server.
	Moved func() *runfile.Cloud
	// Look is called before a load begins and after its clients have left, to see which other
	// sessions are at work. It may be nil.
	Look func(context.Context, runfile.Event) error
	// Others returns other sessions' work during a repetition of the load, if it is too much to be ignored, and
	// autovacuum's; nil, or nil from it: none. A disturbed repetition is left out and run again, unless the user
	// declared the server shared. Autovacuum is part of the server and disturbs nothing.
	Others func(context.Context, runfile.Load) (*runfile.Others, *runfile.Autovacuum)
	Shared bool
	// Spoiled returns why a repetition that just ended is useless, even on a shared server: a setting changed, or
	// this process stood still. Nil, or empty from it: it is not.
	Spoiled func() string
	// Record appends a record to the run file. An error from it ends the experiment.
	Record func(runfile.Record) error
	// Sync writes the records of a finished load to the disk.
	Sync func() error
	// Tell shows a message to the user.
	Tell func(string)
	// Doing is called with the activity while no load runs, such as a checkpoint; empty: a load runs.
	Doing func(string)
	// SoFar is called after each repetition, once its record is on the disk. It runs during the pause, and the next
	// load waits for it.
	SoFar func()

	// Period is the length of a source's periods, which count from 1970: each load begins shortly before one, so that
	// whole periods lie inside. Zero: loads begin immediately.
	Period time.Duration

	// Until is the deadline. Repetitions after the second are left out if they would end much later, unless the plan
	// is to be run whole. Remaining time goes to the loads that Next names. Zero: the plan is run as it is.
	Until time.Time
	Whole bool
	// Next returns, from the record so far, the load whose repetition would tell most; false: none would.
	Next func() (Addition, bool)

	lookingOn sync.WaitGroup // SoFar
	repeated  int            // repetitions run again because the server was lost
	spoiled   int            // repetitions run again because they were disturbed
	uncounted bool           // the server does not count rows, so waiting for its counters is in vain
}

// Addition is a load to run beyond the plan.
type Addition struct {
	Load runfile.Load
	Why  string
}

// answerWithin bounds our statements: a checkpoint of a large server takes long, but a hanging one must end.
const answerWithin = 5 * time.Minute

// stoppedWithin bounds our statements once the user has asked the run to stop.
const stoppedWithin = 10 * time.Second

func (e *Experiment) loadLength() time.Duration {
	return time.Duration(e.Plan.LoadSeconds * float64(time.Second))
}

// Wait waits for d, or until ctx ends.
func Wait(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-timer.C:
		return nil
	}
}
