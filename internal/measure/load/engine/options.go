package engine

import (
	"cmp"
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

const (
	Simple   Mode = "simple"
	Extended Mode = "extended"
	Prepared Mode = "prepared"
)

// Options configures a load. Zero values are pgbench's defaults where possible.
//
// Each function is called by one goroutine at a time while the load runs. An error from one of them ends the load.
// The other fields go to worker processes as JSON.
type Options struct {
	Scripts []Weighted        `json:"-"`
	Set     *script.Set       `json:"-"`
	Define  map[string]string // -D, and scale, client_id … unless given

	Connect func(context.Context) (*pgx.ConnConfig, error) `json:"-"`
	Mode    Mode

	Clients      int           // 0 is 1
	Threads      int           // pgbench's -j: which streams of random numbers clients share; 0 is 1
	Share        Share         // the threads whose clients run here
	Transactions int           // per client, -t; exclusive with Duration, [DefaultTransactions] if both are 0
	Duration     time.Duration // -T
	Warmup       time.Duration // uncounted time at the start
	Reconnect    bool          // -C: a connection for each transaction

	Rate         float64       // transactions a second over all clients, -R; 0: as fast as possible
	LatencyLimit time.Duration // -L

	MaxTries        int  // 0 is 1; with Unlimited, 0 means no limit
	Unlimited       bool // only time limits the tries
	ExitOnAbort     bool // --exit-on-abort
	ContinueOnError bool // --continue-on-error: an error ends the transaction, not the client

	Seed      uint64
	SeedGiven bool // -D set default_seed

	PerCommand bool             // -r
	Every      time.Duration    // interval of Ticks; 0: none
	Tick       func(Tick) error `json:"-"`
	// Log is called for each transaction after the warm-up; nil: none is logged.
	Log        func(Transaction) error `json:"-"`
	SampleRate float64                 // of Log; 0 is 1
	Trouble    func(Trouble)           `json:"-"` // called for each client that gives up, also in the warm-up
	Verbose    bool                    // pass every error to Trouble, even if the client goes on
	Debug      io.Writer               `json:"-"` // for debug()

	// Ready is called when all clients are connected, with the time and the connections that
	// took. They begin when it returns.
	Ready func(time.Duration, int64) error `json:"-"`

	// Silence is how long a server may send nothing, or go on after Duration, before the load gives up; 0: for ever.
	Silence time.Duration
}

// Share is some of a load's threads, counted from zero: those from From to before To. The zero value is all of them.
type Share struct{ From, To int }

func (s Share) has(thread int) bool { return s == Share{} || s.From <= thread && thread < s.To }

// Weighted is a script and its weight in the random choice.
type Weighted struct {
	Script *script.Script
	Weight int
}

// Complete fills in the defaults.
func (o *Options) Complete() {
	o.Clients = max(o.Clients, 1)
	o.Threads = min(max(o.Threads, 1), o.Clients)
	o.Mode = cmp.Or(o.Mode, Simple)
	if o.Transactions == 0 && o.Duration == 0 {
		o.Transactions = DefaultTransactions
	}
	if o.MaxTries == 0 && !o.Unlimited {
		o.MaxTries = 1
	}
	o.SampleRate = cmp.Or(o.SampleRate, 1)
}

// DefaultTransactions is pgbench's -t if neither -t nor -T is given.
const DefaultTransactions = 10

// check rejects impossible options.
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
		return fmt.Errorf("unknown mode %q; use %s, %s or %s", o.Mode, Simple, Extended, Prepared)
	case o.Transactions > 0 && o.Duration > 0:
		return errors.New("specify a number of transactions or a duration, not both")
	case o.Transactions < 0 || o.Duration < 0 || o.Warmup < 0 || o.Rate < 0 || o.LatencyLimit < 0 || o.MaxTries < 0:
		return errors.New("negative number, duration, rate or limit")
	}
	return nil
}
