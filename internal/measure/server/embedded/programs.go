package embedded

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/realiops/realiops/internal/measure/server/embedded/binaries"
	"github.com/realiops/realiops/internal/measure/supervisor"
)

// programs returns the directory of the programs to run, and fetches them if necessary.
func (s *Server) programs(ctx context.Context) (string, error) {
	switch o := s.options; o.BinDir {
	case "":
		bin, err := s.fetched(ctx)
		if err != nil && ctx.Err() == nil {
			return "", fmt.Errorf("%w%s", err, binaries.Hint())
		}
		return bin, err
	case InstalledBin:
		return installed(o.Version)
	default:
		return named(o.BinDir)
	}
}

func (s *Server) fetched(ctx context.Context) (string, error) {
	o := s.options
	release, err := binaries.Find(o.Version)
	if err != nil {
		return "", err
	}
	if o.CacheDir == "" {
		if o.CacheDir, err = binaries.CacheDirectory(); err != nil {
			return "", err
		}
	}
	store := binaries.Store{
		Directory: o.CacheDir, Repository: o.Repository, Notify: o.notify,
		Hold: func(directory string) (drop func()) {
			return s.supervisor.Hold(supervisor.Item{Directory: &supervisor.Directory{Path: directory}})
		},
	}
	return store.Bin(ctx, release)
}

func installed(version string) (string, error) {
	major, _, _ := strings.Cut(version, ".")
	n, err := strconv.Atoi(major)
	if version != "" && err != nil {
		return "", fmt.Errorf("%q is not a PostgreSQL version", version)
	}
	found, err := binaries.Installed(n)
	return found.Bin, err
}

func named(bin string) (string, error) {
	for _, program := range []string{"initdb", "postgres"} {
		if _, err := os.Stat(filepath.Join(bin, program)); err != nil {
			return "", fmt.Errorf("no server in %s: %w", bin, err)
		}
	}
	return bin, nil
}

// oldest is the first version whose counters realiops knows.
const oldest = 13

// checkVersion returns an error if an installed server has another version than the one asked for.
func checkVersion(c *cluster, o Options) error {
	digits := strings.FieldsFunc(c.version, func(r rune) bool { return r < '0' || r > '9' })
	if n, err := strconv.Atoi(strings.Join(digits[:min(1, len(digits))], "")); err != nil || n < oldest {
		return fmt.Errorf("%s has PostgreSQL %s, but realiops needs %d or newer", c.bin, c.version, oldest)
	}
	if o.Version != "" && o.Version != c.version && o.Version != digits[0] {
		return fmt.Errorf("%s has PostgreSQL %s, not %s", c.bin, c.version, o.Version)
	}
	return nil
}
