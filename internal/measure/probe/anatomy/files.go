package anatomy

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/realiops/realiops/internal/measure/postgres"
	"github.com/realiops/realiops/internal/runfile"
)

// Files locates the WAL files of a server on this machine.
type Files struct {
	WAL     string // its directory
	Program string // pg_waldump of the server's major version

	timeline string
	segment  uint64 // size of a file
}

func (f *Files) dump(ctx context.Context, arguments ...string) ([]byte, error) {
	arguments = append([]string{"--path", f.WAL, "--timeline", f.timeline}, arguments...)
	command := exec.CommandContext(ctx, f.Program, arguments...)
	command.Env = []string{"LC_ALL=C"}
	printed, err := command.Output()
	if failed, ok := errors.AsType[*exec.ExitError](err); ok {
		err = gap(runfile.Late, "", "%s", strings.Join(strings.Fields(string(failed.Stderr)), " "))
	}
	return printed, err
}

var foundAt = regexp.MustCompile(`\blsn: ([0-9A-F]+)/([0-9A-F]+),`)

// next returns the beginning of the first record at or after a position.
func (f *Files) next(ctx context.Context, at uint64) (uint64, error) {
	printed, err := f.dump(ctx, "--start", position(at), "--limit", "1")
	if err != nil && strings.Contains(err.Error(), "could not find a valid record") {
		return (at/f.segment + 1) * f.segment, nil // zeros fill the file if the server switched to the next
	}
	if err != nil {
		return 0, err
	}
	found := foundAt.FindSubmatch(printed)
	if found == nil {
		return 0, gap(runfile.Late, "", "pg_waldump found no record after %s", position(at))
	}
	high, _ := strconv.ParseUint(string(found[1]), 16, 32) // hexadecimal digits
	low, _ := strconv.ParseUint(string(found[2]), 16, 32)
	return high<<32 | low, nil
}

func (f *Files) count(ctx context.Context, p place) (window, error) {
	var err error
	if !p.firstKnown {
		if p.first, err = f.next(ctx, p.first); err != nil {
			return window{}, err
		}
	}
	if !p.lastKnown {
		if p.last, err = f.next(ctx, p.last); err != nil {
			return window{}, err
		}
	}
	if p.first >= p.last { // both were in the zeros after a switch
		return window{span: span{p.last, p.last}}, nil
	}
	printed, err := f.dump(ctx, "--stats=record", "--start", position(p.first), "--end", position(p.last))
	w := window{span: p.span}
	for line := range strings.Lines(string(printed)) {
		if m := statistic.FindStringSubmatch(line); m != nil {
			w.kinds = append(w.kinds, kind{name: m[1], records: number(m[2]), images: number(m[3]), bytes: number(m[4])})
		}
	}
	return w, err
}

// Each line of the statistics is a kind and four numbers with their shares: records, bytes without
// images, bytes of images, and both.
var statistic = regexp.MustCompile(`^(\S+)\s+(\d+) \([^)]*\)\s+\d+ \([^)]*\)\s+(\d+) \([^)]*\)\s+(\d+) \(`)

func number(digits string) float64 {
	n, _ := strconv.ParseFloat(digits, 64) // digits
	return n
}

// countAll reads windows in turn until time is up.
func (f *Files) countAll(ctx context.Context, places []place, add func(window)) error {
	limited, cancel := context.WithTimeout(ctx, readWithin)
	defer cancel()
	for began := time.Now(); len(places) > 0 && time.Since(began) < readWithin; places = places[1:] {
		w, err := f.count(limited, places[0])
		if limited.Err() != nil {
			return ctx.Err() // the rest stays uncovered
		}
		if err != nil {
			return err
		}
		add(w)
	}
	return nil
}

// prepare finds the server's timeline, and checks that the program can read it.
func (f *Files) prepare(ctx context.Context, s *session) error {
	var at uint64
	err := postgres.QueryRow(ctx, s.conn,
		mark+`select pg_catalog.substr(pg_catalog.pg_walfile_name(pg_catalog.pg_current_wal_lsn()), 1, 8),
		pg_catalog.pg_wal_lsn_diff(redo_lsn, '0/0')::bigint from pg_catalog.pg_control_checkpoint()`).Scan(&f.timeline, &at)
	if err != nil {
		return fmt.Errorf("read the WAL position: %w", err)
	}
	timeline, err := strconv.ParseUint(f.timeline, 16, 32)
	if err != nil {
		return fmt.Errorf("read the timeline: %w", err)
	}
	f.segment = s.segment
	f.timeline = strconv.FormatUint(timeline, 10) // for the program; file names have it in hexadecimal
	_, err = f.next(ctx, at)
	return err
}
