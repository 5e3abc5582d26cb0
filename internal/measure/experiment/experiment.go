// Package experiment runs a plan: it runs each load in turn and ensures that the counters' growth during a load
// comes from that load alone.
//
// A repetition of a load goes: settle (its table is made, what earlier loads left is written), read, begin, load, the
// clients leave, its own dirty pages are written, its rows are counted by the server, read, end. So the difference of
// the last readings before end and before begin holds everything the load caused, and nothing else. Then the rows in
// its table are counted one by one, which proves that neither load nor counters missed any, and the table is dropped.
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

// Experiment is a plan and what it needs of the world.
type Experiment struct {
	Plan    runfile.Plan
	Control *pgx.Conn    // makes tables, asks for checkpoints
	Connect load.Connect // opens a client's session
	Engine  load.Engine  // runs the clients
	Schema  string
	Pooled  bool // a pooler stands between the clients and the server

	// Checkpoint is set if the user may ask for one. Without it a load's dirty pages fall on the next.
	Checkpoint bool
	// Flush brings what the server's file system still holds to the device; nil where it is out of reach.
	Flush func() error
	// Gone waits until the clients' sessions have ended.
	Gone func(context.Context) error
	// Layout locates the server's files if they can be read from here; otherwise Unreadable says why not.
	Layout     *layout.Layout
	Unreadable string
	// Evicts is set if the server can be asked to take pages out of shared buffers: from 17 on.
	Evicts bool
	// ReadWAL reads the WAL of a load, before a checkpoint lets the server recycle it, and says which tables and
	// indexes what was written since PassWAL is about; nil, as PassWAL then is: nobody does.
	ReadWAL func(context.Context) (runfile.WAL, error)
	PassWAL func(context.Context) error
	// WaitForCounters waits until the server's counters have caught up with what it did.
	WaitForCounters func(context.Context) error
	// ReadAll takes a reading of every probe at once. It is called before a checkpoint as well, so that the readings
	// after it write nothing: whoever first reads the system's tables after a change sets hint bits and prunes pages,
	// which makes WAL.
	ReadAll func(context.Context) error
	// Recover is asked when a repetition has failed, with why. It waits until the server takes a load again and gives a
	// session in the place of Control, or says why the run cannot go on; nil: it never does.
	Recover func(ctx context.Context, failed error) (*pgx.Conn, error)
	// Moved returns the provider's description of the server at the beginning of a load if it is no longer the one
	// that the run began on. Nil, or nil from it: it is the same.
	Moved func() *runfile.Cloud
	// Look is called as a load is about to begin, and when its clients have left: who else is at work? Nil: nobody
	// looks.
	Look func(context.Context, runfile.Event) error
	// Others returns the other sessions' activity during a repetition of the load, if it is too much to be ignored,
	// and autovacuum's; nil, or nil from it: none. A disturbed repetition is left out and run again, unless the
	// user declared the server shared. Autovacuum belongs to the server and disturbs nothing.
	Others func(context.Context, runfile.Load) (*runfile.Others, *runfile.Autovacuum)
	Shared bool
	// Spoiled returns the reason why a repetition that just ended says nothing about its load, even on a shared
	// server: the server's settings changed, or this process stood still. Nil, or empty from it: none.
	Spoiled func() string
	// Record keeps a record. An error from it ends the experiment.
	Record func(runfile.Record) error
	// Sync brings the record of a finished load to the disk.
	Sync func() error
	// Tell shows a message to the user.
	Tell func(string)
	// Doing is called with the activity while no load runs, such as a checkpoint; empty: a load runs.
	Doing func(string)
	// SoFar is called when a load has been run for the first time, and its record is on the disk. It runs beside what
	// lies between two loads, and the next begins when it has returned.
	SoFar func()

	// Period is the period of a source that counts in whole ones since 1970: each load begins shortly before one,
	// so that whole ones lie inside. Zero: loads begin at once.
	Period time.Duration

	// Until is when all is to be done. Repetitions of the plan after the second are left out if they would end much
	// later, unless the plan is to be run whole, and what Next names is added while there is. Zero: the plan is run as
	// it is.
	Until time.Time
	Whole bool
	// Next names, from the record so far, the load that would tell most if it were run once more; false: none would.
	Next func() (Addition, bool)

	lookingOn sync.WaitGroup // SoFar
	repeated  int            // repetitions run again because the server was lost
	spoiled   int            // and those that were disturbed
	uncounted bool           // the server's counters of rows stand still, so waiting for them is in vain
}

// Addition is a load to be run beyond the plan.
type Addition struct {
	Load runfile.Load
	Why  string
}

// answerWithin bounds a statement of ours: a checkpoint of a large server takes its time, one that hangs must end.
const answerWithin = 5 * time.Minute

// stoppedWithin bounds a statement of ours while a user who has asked the run to stop waits.
const stoppedWithin = 10 * time.Second

func (e *Experiment) loadLength() time.Duration {
	return time.Duration(e.Plan.LoadSeconds * float64(time.Second))
}

// Wait waits until d has passed, or ctx ends.
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
