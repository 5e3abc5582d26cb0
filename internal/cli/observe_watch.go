package cli

import (
	"context"
	"errors"
	"fmt"
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

	recorded bool // the file holds a run, however it ended
}

// rarely is the time between two looks at what costs the server more to tell.
const rarely = 5 * time.Minute

// run makes the file first, so that a place that cannot be written is found before the server is asked anything.
func (w *watching) run(ctx context.Context, path string) error {
	file, err := runfile.Create(path)
	if err != nil {
		return err
	}
	w.file = file
	err = w.observe(ctx)
	if !w.recorded {
		return errors.Join(err, file.Discard())
	}
	return errors.Join(err, file.Close())
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
	if err := w.head(facts, sources); err != nil {
		return err
	}
	w.announce(facts, sources)
	w.cost.begin()
	o := observation.Observation{
		Interval: w.options.interval, For: w.options.length, Rarely: rarely, Started: pgstat.Name + ".server/started",
		Open: w.again, Record: w.record, Tell: w.show.Message,
	}
	err = o.Run(ctx, w.source(sources))
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
	return w.source(s), nil
}

func (w *watching) source(s *sources) observation.Source {
	w.cost.perReading.Store(int64(s.stats.Queries(context.Background())))
	ranking := pgstat.NewRanking(w.target.endpoint.Config())
	return observation.Source{Samplers: s.samplers, Rarely: ranking.Read, Close: s.close}
}

// head opens the file: the run, and the metrics it will hold.
func (w *watching) head(facts postgres.Facts, s *sources) error {
	w.recorded = true
	run := runfile.Run{
		Schema: runfile.Schema, ID: w.id, Start: w.started, Version: version(), Parameters: w.parameters, Observed: true,
		Target: w.target.describe(facts, s.storage), Host: host.Facts(), Clocks: []runfile.Clock{facts.Clock}, Plan: runfile.Plan{Name: "observe", Arms: []runfile.Arm{}},
	}
	if err := w.file.Write(run); err != nil {
		return err
	}
	for _, sampler := range s.samplers {
		for _, metric := range sampler.Metrics() {
			if err := w.file.Write(metric); err != nil {
				return err
			}
		}
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
