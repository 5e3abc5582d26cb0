package run

import (
	"context"
	"fmt"
	"time"

	"github.com/realiops/realiops/internal/measure/experiment"
	"github.com/realiops/realiops/internal/measure/host"
	"github.com/realiops/realiops/internal/measure/layout"
	"github.com/realiops/realiops/internal/measure/postgres"
	"github.com/realiops/realiops/internal/measure/target"
	"github.com/realiops/realiops/internal/printable"
)

// disks follows the free space of the file systems that hold the user's server's files, as far as they are on this
// machine. A full disk fails every session's statements, and stops the server if its WAL is there.
type disks struct {
	roots []layout.Root
	free  func(path string) (int64, error)
	left  map[string]int64 // by path, at the last look
}

const (
	freeLook = 100 * time.Millisecond
	// leastLeft bytes stay free, plus what is written in looksToEnd looks, until the clients have ended.
	leastLeft   = 128 << 20
	looksToEnd  = 5
	leastToHave = 2 * leastLeft // before the first load
)

func newDisks(l *layout.Layout) *disks {
	d := &disks{free: host.Free, left: map[string]int64{}}
	if l == nil {
		return d
	}
	for _, r := range l.Roots {
		if r.Err == nil && r.Role != layout.Log {
			d.roots = append(d.roots, r)
		}
	}
	return d
}

// disksUnder returns the disks that a run follows. It follows none for a server started for the run.
func disksUnder(t *target.Target, l *layout.Layout) *disks {
	if t.Own() {
		return newDisks(nil)
	}
	return newDisks(l)
}

// RefuseFull returns an error if a run would not begin on the server because a disk is nearly full.
func RefuseFull(t *target.Target, l *layout.Layout) error { return disksUnder(t, l).refuse() }

// refuse returns an error if a disk is nearly full before anything is put on it.
func (d *disks) refuse() error {
	return d.each(func(r layout.Root, free, _ int64) error {
		if free >= leastToHave {
			return nil
		}
		return fmt.Errorf("%s has %s MB free, but a run needs %s MB, or it could fill the disk and stop the server; "+
			"free up space, or use another server",
			holds(r), printable.Count(free/1e6), printable.Count(leastToHave/1_000_000))
	})
}

// watch calls end before the loads fill a disk.
func (d *disks) watch(ctx context.Context, end func(error)) {
	for experiment.Wait(ctx, freeLook) == nil {
		if err := d.look(); err != nil {
			end(err)
			return
		}
	}
}

func (d *disks) look() error {
	return d.each(func(r layout.Root, free, used int64) error {
		if free >= leastLeft+looksToEnd*used {
			return nil
		}
		return fmt.Errorf("%s has only %s MB left, so the loads were stopped before it was full; free up space, or "+
			"run shorter loads (--load-seconds)", holds(r), printable.Count(free/1e6))
	})
}

// each calls look with the free space of each disk and its decrease since the last look. It skips
// disks whose free space is unknown.
func (d *disks) each(look func(r layout.Root, free, used int64) error) error {
	for _, r := range d.roots {
		free, err := d.free(r.Path)
		if err != nil {
			continue
		}
		before, known := d.left[r.Path]
		if !known {
			before = free
		}
		d.left[r.Path] = free
		if err := look(r, free, max(0, before-free)); err != nil {
			return err
		}
	}
	return nil
}

func holds(r layout.Root) string {
	switch r.Role {
	case layout.WAL:
		return "the disk with the server's WAL"
	case layout.Tablespaces:
		return "the disk with the tablespace " + postgres.Quoted(r.Name)
	default:
		return "the disk with the server's data"
	}
}
