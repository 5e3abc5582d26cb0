// Package server defines a PostgreSQL server started for the experiment. The packages below start one: embedded,
// which needs nothing installed, and container.
package server

import (
	"context"

	"github.com/realiops/realiops/internal/runfile"
)

// Kinds of target, as the run file names them.
const (
	Embedded  = "embedded"
	Container = "container"
	Yours     = "dsn"
)

// A Server runs until Stop, or until it dies.
type Server interface {
	// DSN returns a connection string for a superuser.
	DSN() string
	// Target returns the facts about the server that are known without asking it: kind, image, storage.
	Target() runfile.Target
	// Died is closed when the server has ended unexpectedly; Cause then says why.
	Died() <-chan struct{}
	Cause() error
	// Stop ends the server and removes what was made for it, unless it is to be kept. A second call does nothing.
	Stop(ctx context.Context) error
	// Kept says, after Stop, what stays and how to use it; empty if nothing does.
	Kept() string
}
