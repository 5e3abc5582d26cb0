package workers

import (
	"runtime"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/realiops/realiops/internal/measure/load/engine"
	"github.com/realiops/realiops/internal/measure/load/ring"
	"github.com/realiops/realiops/internal/measure/load/script"
	"github.com/realiops/realiops/internal/measure/postgres"
)

// cpusPerProcess is how many CPUs of the server's machine are worth a process of clients on a ring: a short transaction
// costs the server two to four times the CPU time that it costs the client.
const cpusPerProcess = 3

// shares divides the threads over processes. Each has its own, unless more processes would only take CPU time from a
// server on this machine: the more clients share a ring, the fewer system calls each of them needs.
func shares(o engine.Options, config *pgx.ConnConfig, apart bool) []engine.Share {
	processes := o.Threads
	if !apart && ridesBesideServer(o, config) {
		processes = min(processes, max(runtime.GOMAXPROCS(0)/cpusPerProcess, 1))
	}
	all := make([]engine.Share, processes)
	for i := range all {
		all[i] = engine.Share{From: i * o.Threads / processes, To: (i + 1) * o.Threads / processes}
	}
	return all
}

// ridesBesideServer reports whether the clients will share rings on the server's own machine, and do little but wait.
func ridesBesideServer(o engine.Options, config *pgx.ConnConfig) bool {
	server, err := postgres.Parse(config.ConnString())
	if err != nil || !server.Local() || config.TLSConfig != nil || o.Reconnect || makesRows(o.Scripts) {
		return false
	}
	r, err := ring.Open(nil)
	r.Close()
	return err == nil
}

func makesRows(scripts []engine.Weighted) bool {
	return slices.ContainsFunc(scripts, func(s engine.Weighted) bool {
		return slices.ContainsFunc(s.Script.Commands, func(c script.Command) bool { return c.Rows != nil })
	})
}
