package engine

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/realiops/realiops/internal/measure/load/script"
)

// Mode is the protocol for statements, as in pgbench's -M.
type Mode string

// The modes.
const (
	Simple   Mode = "simple"
	Extended Mode = "extended"
	Prepared Mode = "prepared"
)

// Options say what to run. The zero value of a field is pgbench's default, where that is possible.
//
// The functions are called while the load runs; each is called by one goroutine at a time. An error of one of them
// ends the load. What is plain goes to another process as JSON.
type Options struct {
	Scripts []Weighted        `json:"-"`
	Set     *script.Set       `json:"-"`
	Define  map[string]string // -D, and scale, client_id … unless given

	Connect func(context.Context) (*pgx.ConnConfig, error) `json:"-"`
	Mode    Mode

	Clients      int           // 1 where 0
	Threads      int           // pgbench's -j: which streams of random numbers clients share; 1 where 0
	Thread       int           // the one whose clients are run, from 1; 0: those of all
	Transactions int           // a client, -t; exclusive with Duration, 10 where both are 0
	Duration     time.Duration // -T
	Warmup       time.Duration // runs before it counts
	Reconnect    bool          // -C: a connection for each transaction

	Rate         float64       // transactions a second over all clients, -R; 0: as fast as they can
	LatencyLimit time.Duration // -L

	MaxTries        int  // 1 where 0; 0 with Unlimited means no bound
	Unlimited       bool // tries bounded by the time alone
	ExitOnAbort     bool // --exit-on-abort
	ContinueOnError bool // --continue-on-error: a statement that fails ends the transaction, not the client

	Seed      uint64
	SeedGiven bool // default_seed was given by -D

	PerCommand bool             // -r
	Every      time.Duration    // of Ticks; 0: none
	Tick       func(Tick) error `json:"-"`
	// nil: transactions are not logged one by one; those of the warm-up never are
	Log        func(Transaction) error `json:"-"`
	SampleRate float64                 // of Log; 1 where 0
	Trouble    func(Trouble)           `json:"-"` // told at once of each client that gives up, also in the warm-up
	Verbose    bool                    // report every error to Trouble, even if the client goes on
	Debug      io.Writer               `json:"-"` // where debug() writes

	// Ready is called when all clients are connected, with how long that took and how many connections it took. They
	// begin when it returns.
	Ready func(time.Duration, int64) error `json:"-"`

	// Silence is the longest time that a server may send nothing, or go on after the end of Duration, before it is
	// given up; 0: for ever.
	Silence time.Duration
}

// Weighted is a script and how often it is chosen.
type Weighted struct {
	Script *script.Script
	Weight int
}

// complete puts in the defaults and finds what cannot be.
func (o *Options) complete() error {
	o.Clients = max(o.Clients, 1)
	o.Threads = min(max(o.Threads, 1), o.Clients)
	if o.Mode == "" {
		o.Mode = Simple
	}
	if o.Transactions == 0 && o.Duration == 0 {
		o.Transactions = defaultTransactions
	}
	if o.MaxTries == 0 && !o.Unlimited {
		o.MaxTries = 1
	}
	if o.SampleRate == 0 {
		o.SampleRate = 1
	}
	return o.check()
}

// defaultTransactions is the number per client if no other is set.
const defaultTransactions = 10

func (o *Options) check() error {
	weight := 0
	for _, s := range o.Scripts {
		weight += s.Weight
	}
	switch {
	case o.Connect == nil:
		return errors.New("a load needs a server to connect to")
	case len(o.Scripts) == 0 || o.Set == nil:
		return errors.New("a load needs a script")
	case weight < 1:
		return errors.New("total script weight must not be zero")
	case !slices.Contains([]Mode{Simple, Extended, Prepared}, o.Mode):
		return fmt.Errorf("unknown mode %q: there are %s, %s and %s", o.Mode, Simple, Extended, Prepared)
	case o.Transactions > 0 && o.Duration > 0:
		return errors.New("a number of transactions and a duration exclude each other")
	case o.Transactions < 0 || o.Duration < 0 || o.Warmup < 0 || o.Rate < 0 || o.LatencyLimit < 0 || o.MaxTries < 0:
		return errors.New("a number, a duration, a rate or a limit is negative")
	}
	return nil
}
