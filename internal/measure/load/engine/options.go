package engine

import (
	"context"
	"io"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/realiops/realiops/internal/measure/load/script"
)

// Mode is how statements are sent, as pgbench's -M has it.
type Mode string

// The modes.
const (
	Simple   Mode = "simple"
	Extended Mode = "extended"
	Prepared Mode = "prepared"
)

// Options say what to run. The zero value of a field is pgbench's default, where that is possible.
type Options struct {
	Scripts []Weighted
	Set     *script.Set
	Define  map[string]string // -D, and scale, client_id … unless given

	Connect func(context.Context) (*pgx.ConnConfig, error)
	Mode    Mode

	Clients      int           // 1 where 0
	Transactions int           // a client, -t; exclusive with Duration
	Duration     time.Duration // -T
	Warmup       time.Duration // runs before it counts
	Reconnect    bool          // -C: a connection for each transaction

	Rate         float64       // transactions a second over all clients, -R; 0: as fast as they can
	LatencyLimit time.Duration // -L

	MaxTries    int  // 1 where 0; 0 with Unlimited means no bound
	Unlimited   bool // tries bounded by the time alone
	ExitOnAbort bool // --exit-on-abort

	Seed      uint64
	SeedGiven bool // default_seed was given by -D

	PerCommand bool          // -r
	Every      time.Duration // of Ticks; 0: none
	Tick       func(Tick) error
	Log        func(Transaction) error // nil: transactions are not logged one by one
	SampleRate float64                 // of Log; 1 where 0
	Debug      io.Writer               // where debug() writes

	Silence time.Duration // a server that says nothing for so long is given up; 0: never
}

// Weighted is a script and how often it is chosen.
type Weighted struct {
	Script *script.Script
	Weight int
}
