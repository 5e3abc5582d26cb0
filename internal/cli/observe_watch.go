package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/realiops/realiops/internal/cli/progress"
	"github.com/realiops/realiops/internal/measure/host"
	"github.com/realiops/realiops/internal/measure/observation"
	"github.com/realiops/realiops/internal/measure/postgres"
	"github.com/realiops/realiops/internal/measure/probe"
	"github.com/realiops/realiops/internal/measure/probe/block"
	"github.com/realiops/realiops/internal/measure/probe/pgstat"
	"github.com/realiops/realiops/internal/runfile"
)

// watching is one observation from the file to its end line.
type watching struct {
	env        Env
	options    observeOptions
	id         string
	parameters map[string]string
	started    time.Time
	target     *target
	show       *progress.Display
	file       *runfile.Writer
	cost       spending

	before   *runfile.Run // the head of the file that is gone on with; nil: it is a new one
	recorded bool         // the file holds a run, however it ended
}

const (
	// rarely is the time between two looks at what costs the server more to tell.
	rarely = 5 * time.Minute
	// fewestLooks are taken before anything is settled, however soon that may be.
	fewestLooks = 4
)

// run makes the file first, so that a place that cannot be written is found before the server is asked anything.
func (w *watching) run(ctx context.Context, path string) error {
	file, err := w.openFile(path)
	if err != nil {
		return err
	}
	w.file = file
	err = w.observe(ctx)
	if !w.recorded && w.before == nil {
		return errors.Join(err, file.Discard())
	}
	return errors.Join(err, file.Close())
}

// openFile makes the file, or goes on with one that an earlier observation has left.
func (w *watching) openFile(path string) (*runfile.Writer, error) {
	if !w.options.append {
		return runfile.Create(path)
	}
	before, err := headOf(path)
	if errors.Is(err, fs.ErrNotExist) {
		return runfile.Create(path)
	}
	if err != nil {
		return nil, fmt.Errorf("go on with %s: %w", path, err)
	}
	if !before.Observed {
		return nil, fmt.Errorf("go on with %s: it is a run that put a load on its server, and no observation", path)
	}
	w.before = &before
	return runfile.Append(path)
}

// headOf is the first record of a run file.
func headOf(path string) (runfile.Run, error) {
	records, file, err := runfile.OpenRows(path)
	if err != nil {
		return runfile.Run{}, err
	}
	defer file.Close()
	for record, err := range records {
		run, is := record.(runfile.Run)
		if err == nil && !is {
			err = runfile.ErrNotRunFile
		}
		return run, err
	}
	return runfile.Run{}, runfile.ErrEmpty
}

// observe asks the server what it is, writes the head of the file, and reads until the end.
func (w *watching) observe(ctx context.Context) error {
	t, err := w.options.target.open(ctx, w.env, w.show)
	if err != nil {
		return err
	}
	w.target = t
	facts, sources, err := w.open(ctx)
	w.file.Hide(t.secrets(ctx)...)
	if err != nil {
		return err
	}
	if _, err := w.options.require.names(countedNames(sources.metrics())); err != nil {
		return err // now, and not when it has been observed for days
	}
	if err := w.head(facts, sources); err != nil {
		return err
	}
	w.announce(facts, sources)
	w.cost.begin()
	o := observation.Observation{
		Interval: w.options.interval, For: w.options.length, Rarely: min(rarely, w.options.atLeast/fewestLooks), Started: pgstat.Name + ".server/started",
		Open: w.again, Record: w.record, Tell: w.show.Message,
	}
	if w.options.settled {
		o.Settled = (&settling{file: w.file, began: time.Now(), atLeast: w.options.atLeast}).ask
	}
	err = o.Run(ctx, w.source(ctx, sources))
	return errors.Join(err, w.end(err))
}

// open asks the server what it is, and finds what can be read of it and of the disks under it. The session that asks stays
// until the disks are found: they are those of its process.
func (w *watching) open(ctx context.Context) (postgres.Facts, *sources, error) {
	control, facts, err := w.target.inspect(ctx, w.options.target)
	if err != nil {
		return facts, nil, err
	}
	defer control.Close(context.WithoutCancel(ctx)) //nolint:errcheck // nothing was written over it
	switch {
	case facts.VersionNum < postgres.Oldest:
		return facts, nil, facts.Refuse(postgres.Permissions{})
	case facts.Standby:
		return facts, nil, pgstat.ErrStandby
	}
	stats, err := pgstat.NewObserver(ctx, w.target.endpoint.Config())
	if err != nil {
		return facts, nil, err
	}
	s := &sources{stats: stats}
	device, err := s.findDevices(ctx, w.target, facts)
	if err != nil {
		device = block.Absent(err)
	}
	s.samplers = []probe.Sampler{stats, device}
	return facts, s, nil
}

// again opens everything anew, after the server was started anew or another one took its place.
func (w *watching) again(ctx context.Context) (observation.Source, error) {
	_, s, err := w.open(ctx)
	if err != nil {
		return observation.Source{}, err
	}
	return w.source(ctx, s), nil
}

func (w *watching) source(ctx context.Context, s *sources) observation.Source {
	w.cost.perReading.Store(int64(s.stats.Queries(ctx)))
	ranking := pgstat.NewRanking(w.target.endpoint.Config())
	return observation.Source{Samplers: s.samplers, Rarely: ranking.Read, Close: s.close}
}

// head opens the file with the run and the metrics it will hold, or says in one that is there already that counters are
// not to be compared with those of before the pause.
func (w *watching) head(facts postgres.Facts, s *sources) error {
	target := w.target.describe(facts, s.storage)
	if w.before != nil {
		if err := w.sameServer(target); err != nil {
			return err
		}
	}
	w.recorded = true
	var names []string
	var head []runfile.Record
	if w.before == nil {
		head = append(head, runfile.Run{
			Schema: runfile.Schema, ID: w.id, Start: w.started, Version: version(), Parameters: w.parameters, Observed: true, Target: target,
			Host: host.Facts(), Clocks: []runfile.Clock{facts.Clock}, Plan: runfile.Plan{Name: "observe", Arms: []runfile.Arm{}},
		})
	}
	for _, sampler := range s.samplers {
		names = append(names, sampler.Name())
		for _, metric := range sampler.Metrics() {
			head = append(head, metric)
		}
	}
	for _, r := range head {
		if err := w.file.Write(r); err != nil {
			return err
		}
	}
	if w.before == nil {
		return nil
	}
	return observation.Anew(w.file.Write, time.Now(), names, "the observation had stopped, and goes on")
}

// sameServer refuses to put what two servers did into one file.
func (w *watching) sameServer(now runfile.Target) error {
	then := w.before.Target
	if then.Host != now.Host || then.Port != now.Port || then.Database != now.Database {
		return fmt.Errorf("%s is an observation of %s:%d, database %s, and this is %s:%d, database %s", w.file.Path(),
			then.Host, then.Port, then.Database, now.Host, now.Port, now.Database)
	}
	return nil
}

// announce says what is going on, and what makes it tell less than it could.
func (w *watching) announce(facts postgres.Facts, s *sources) {
	tell := w.show.Message
	tell(fmt.Sprintf("Observing %s at %s, every %v for %v, into %s. Nothing is written there; Ctrl-C ends it sooner.",
		facts.Describe(), w.target.endpoint, w.options.interval, w.options.length, w.file.Path()))
	if facts.Pooler {
		tell("A connection pooler answers in the server's name: each reading is planned anew, which costs the server more; connect to the server itself.")
	}
	if !facts.MaySeeOthers {
		tell("This user does not see the work of others in full: grant pg_monitor to " + postgres.Quoted(facts.User))
	}
	if notice := s.stats.Notice(); notice != "" {
		tell(notice)
	}
}

func (w *watching) record(r runfile.Record) error {
	w.cost.follow(r)
	w.show.Record(r)
	return w.file.Write(r)
}

// end writes the last line, with what the observation has cost.
func (w *watching) end(failed error) error {
	end := runfile.Ended{At: time.Now(), Status: runfile.Complete}
	if failed != nil {
		end.Status, end.Cause = runfile.Broken, oneLine(failed.Error())
	}
	cost, err := w.cost.total(w.file)
	end.Cost = &cost
	w.show.Message(inWords(cost))
	return errors.Join(err, w.file.Write(end))
}
