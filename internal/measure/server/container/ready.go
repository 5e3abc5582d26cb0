package container

import (
	"context"
	"fmt"
	"net"
	"net/url"
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/moby/moby/client"
	"github.com/testcontainers/testcontainers-go"

	"github.com/realiops/realiops/internal/measure/probe/block"
	"github.com/realiops/realiops/internal/printable"
	"github.com/realiops/realiops/internal/runfile"
)

// The superuser and the database of the image.
const (
	user     = "postgres"
	database = "postgres"
)

// startWithin bounds how long a started container may take to accept connections. initdb takes longest: it
// writes some 40 MB and syncs them.
const startWithin = 3 * time.Minute

var errSilent = fmt.Errorf("it did not accept connections within %s", printable.Duration(startWithin))

// again is the pause between attempts.
const again = 50 * time.Millisecond

// await returns the data directory once the server accepts connections, or an error if it never will.
//
// It connects with the server's own random password, which proves that the right server answers: while an image
// initializes, its server does not listen outside, but the engine's proxy does.
func (s *Server) await(ctx context.Context, c testcontainers.Container, password string) (directory string, err error) {
	ctx, cancel := context.WithTimeoutCause(ctx, startWithin, errSilent)
	defer cancel()
	for {
		s.dsn, err = s.address(ctx, c, password)
		if err == nil {
			directory, err = ask(ctx, s.dsn)
		}
		if err == nil {
			return directory, nil
		}
		select {
		case <-s.attachment.over:
			return "", fmt.Errorf("it stopped: %w", s.attachment.outcome)
		case <-ctx.Done():
			return "", fmt.Errorf("%w: %w", context.Cause(ctx), err)
		case <-time.After(again):
		}
	}
}

// address returns the connection string with the container's published port.
func (s *Server) address(ctx context.Context, c testcontainers.Container, password string) (string, error) {
	port, err := c.MappedPort(ctx, serverPort.String())
	dsn := url.URL{
		Scheme: "postgres", User: url.UserPassword(user, password), Path: database, RawQuery: "sslmode=disable",
		Host: net.JoinHostPort(s.engine.host, port.Port()),
	}
	return dsn.String(), err
}

const askWithin = 5 * time.Second

// ask connects and asks for the data directory.
func ask(ctx context.Context, dsn string) (directory string, err error) {
	ctx, cancel := context.WithTimeout(ctx, askWithin)
	defer cancel()
	conn, err := pgx.Connect(ctx, dsn)
	if err != nil {
		return "", err
	}
	defer conn.Close(ctx)
	err = conn.QueryRow(ctx, "show data_directory").Scan(&directory)
	return directory, err
}

// storageOf returns the storage under a container's directory; empty if it is not in a volume that this host can see.
func (e *engine) storageOf(ctx context.Context, id, directory string) runfile.Storage {
	inspected, err := e.ContainerInspect(ctx, id, client.ContainerInspectOptions{})
	if err != nil || !e.local {
		return runfile.Storage{}
	}
	for _, m := range inspected.Container.Mounts {
		below, inside := strings.CutPrefix(path.Clean(directory)+"/", path.Clean(m.Destination)+"/")
		if !inside || m.Source == "" {
			continue
		}
		if storage, err := block.StorageOf(filepath.Join(m.Source, below)); err == nil {
			return storage
		}
	}
	return runfile.Storage{}
}
