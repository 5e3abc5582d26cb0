package baseline

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/realiops/realiops/internal/input"
	"github.com/realiops/realiops/internal/measure/fio"
	"github.com/realiops/realiops/internal/measure/probe/block"
	"github.com/realiops/realiops/internal/measure/server/embedded"
	"github.com/realiops/realiops/internal/printable"
)

// Wishes holds the user's choices for a baseline.
type Wishes struct {
	Directory string // on the storage to measure; empty: where our own server's data would be
	AllowRAM  bool
	Set       string        // of jobs
	File      string        // instead of a set
	Only      []string      // the jobs to run; none: all
	Size      int64         // of the test files
	Runtime   time.Duration // of each job; 0: its own
	Until     time.Duration // how long one job may wait for a lasting slowdown; 0: do not wait
	Buffered  bool          // repeat the long write through the page cache
}

// Plan holds everything known before a file is written: program, place, and jobs.
type Plan struct {
	Wishes
	Program fio.Program
	Jobs    []fio.Job
	Place   fio.Place
}

// NewPlan finds what the user asked for, and refuses a place without enough room.
func NewPlan(ctx context.Context, w Wishes) (p *Plan, err error) {
	p = &Plan{Wishes: w}
	if p.Program, err = fio.Find(ctx, ""); err != nil {
		return nil, err
	}
	if err := p.findPlace(); err != nil {
		return nil, err
	}
	if err := p.chooseJobs(ctx); err != nil {
		return nil, err
	}
	const spare = 256 << 20 // for other programs
	if need := fio.TestBytes(p.Jobs) + spare; p.Place.Free < need {
		return nil, fmt.Errorf("%s has %s MB free, but the test files need %s MB, including %d MB to spare; free some, "+
			"name another directory with --dir, or make them smaller with --size", p.Directory,
			printable.Count(p.Place.Free/1e6), printable.Count(need/1e6), spare/1_000_000)
	}
	return p, nil
}

func (p *Plan) findPlace() (err error) {
	if p.Directory == "" {
		if p.Directory, err = embedded.TemporaryPlace(p.AllowRAM); err != nil {
			return err
		}
	}
	if p.Directory, err = filepath.Abs(p.Directory); err != nil {
		return err
	}
	if p.Place, err = fio.Examine(p.Directory); err != nil {
		return err
	}
	storage, err := block.StorageOf(p.Directory)
	if err == nil && storage.RAM && !p.AllowRAM {
		return fmt.Errorf("%s is %s, in memory, so nothing written there reaches a disk; name another with --dir, or allow "+
			"it with --allow-ram", p.Directory, storage.FileSystem)
	}
	return nil
}

func (p *Plan) chooseJobs(ctx context.Context) error {
	settings := fio.Settings{Size: p.Size, Runtime: cmp.Or(p.Until, p.Runtime), Direct: p.Place.Direct}
	if err := p.takeSet(ctx, settings); err != nil {
		return err
	}
	only := p.Only
	if p.Until != 0 && len(only) == 0 && len(p.Jobs) > 1 { // the set's job that empties a bucket of operations
		only = []string{
			map[string]string{fio.SetDatabase: "random-write", fio.SetPublished: "hub-random-8k"}[p.Wishes.Set]}
	}
	for _, name := range only {
		if !slices.Contains(p.Names(), name) {
			return fmt.Errorf("--only %s: want one of %s", name, strings.Join(p.Names(), ", "))
		}
	}
	if len(only) > 0 {
		p.Jobs = slices.DeleteFunc(p.Jobs, func(j fio.Job) bool { return !slices.Contains(only, j.Name) })
	}
	if p.Until != 0 && len(p.Jobs) != 1 {
		return fmt.Errorf("--until-throttled runs one job; choose it with --only from %s", strings.Join(p.Names(), ", "))
	}
	if p.Buffered {
		p.Jobs = append(p.Jobs,
			fio.AsDD(fio.Settings{Size: settings.Size, Runtime: cmp.Or(p.Runtime, p.Jobs[0].Runtime)}))
	}
	return nil
}

func (p *Plan) takeSet(ctx context.Context, settings fio.Settings) error {
	switch {
	case p.File != "":
		text, err := input.Read(ctx, p.File)
		if err != nil {
			return fmt.Errorf("read the jobs: %w", err)
		}
		p.Set = filepath.Base(p.File)
		if p.Jobs, err = fio.ReadFile(bytes.NewReader(text), p.Directory, settings); err != nil {
			return fmt.Errorf("%s: %w", p.File, err)
		}
	case p.Set == fio.SetPublished:
		p.Jobs = fio.Published(settings)
	default:
		p.Jobs = fio.Database(settings)
	}
	return nil
}

// Names returns the names of the jobs.
func (p *Plan) Names() (names []string) {
	for _, j := range p.Jobs {
		names = append(names, j.Name)
	}
	return names
}

// Lasts returns the duration of the jobs, including the pauses between them.
func (p *Plan) Lasts() time.Duration {
	const between = time.Second
	sum := idleFor
	for _, j := range p.Jobs {
		sum += j.Runtime + between
	}
	return sum
}

// Question returns what the place's owner must agree to; empty: nothing. chosen says that they named the place.
func (p *Plan) Question(chosen bool) string {
	if p.Until != 0 {
		return fmt.Sprintf("For up to %s, storage under %s is fully loaded, until its credits, if any, are used up. "+
			"Everything else on it will be slow.", printable.About(p.Until), p.Directory)
	}
	entries, err := os.ReadDir(p.Directory)
	if !chosen || err != nil || !slices.ContainsFunc(entries, func(e os.DirEntry) bool {
		return e.Name() != "lost+found"
	}) {
		return ""
	}
	return fmt.Sprintf("%s holds other files. They stay as they are, but for about %s their storage is fully loaded.",
		p.Directory, printable.About(p.Lasts()))
}
