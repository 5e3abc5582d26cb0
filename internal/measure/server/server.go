// Package server holds what the experiment needs of a PostgreSQL that was started for it. The ways to start one are
// the packages below: embedded, which needs nothing installed, and container.
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
	// DSN connects to the server as a superuser.
	DSN() string
	// Target returns the facts about the server that are known without asking it: kind, image, storage.
	Target() runfile.Target
	// Died is closed when the server has ended without being asked to; Cause then says why.
	Died() <-chan struct{}
	Cause() error
	// Stop ends the server and removes what was made for it, unless it was to be kept. A second call does nothing.
	Stop(ctx context.Context) error
	// Kept tells people, after Stop, what stays and how to go on with it; empty where nothing does.
	Kept() string
}
