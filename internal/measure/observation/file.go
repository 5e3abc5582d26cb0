package observation

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"time"

	"github.com/realiops/realiops/internal/measure/host"
	"github.com/realiops/realiops/internal/measure/postgres"
	"github.com/realiops/realiops/internal/measure/probe/anatomy"
	"github.com/realiops/realiops/internal/measure/probe/pgstat"
	"github.com/realiops/realiops/internal/measure/target"
	"github.com/realiops/realiops/internal/metric"
	"github.com/realiops/realiops/internal/printable"
	"github.com/realiops/realiops/internal/runfile"
)

// Options configures an observation.
type Options struct {
	Head     runfile.Run // the file's first line; the observation completes it
	Path     string      // of the file
	Append   bool        // continue the file
	Target   target.Options
	Interval time.Duration // between two readings of the probes
	For      time.Duration // at most
	Show     Display

	// Known is called with the metrics before anything is read. An error ends the observation.
	Known func([]runfile.Metric) error
	// Settled reads the file so far, now and then, and reports whether the observation may
	// end, and why; nil: it goes on.
	Settled func(path string, after time.Duration) (why string, settled bool)
	// Preview returns, now and then, the findings from the file so far; nil: they are not shown.
	Preview func(path string, after time.Duration) (text string, looked bool)
	// AtLeast is the shortest time before Settled may end the observation.
	AtLeast time.Duration
	// Now is the provider's clock.
	Now func() time.Time
}

// Display shows the progress of an observation.
type Display interface {
	target.Notices
	// Doing shows the findings so far beside the progress.
	Doing(text string)
	Record(runfile.Record)
}

// recording is a running observation with its file.
type recording struct {
	Options
	file     *runfile.Writer
	target   *target.Target
	cost     cost
	before   *runfile.Run // the head of a continued file; nil: it is a new one
	settings settings     // at the last look
	version  string       // of the server that the file is about
	fires    string       // the event triggers that each session fires; empty: none
	recorded bool         // the file holds a run, however it ended
}

const (
	// rarely is the interval of expensive queries.
	rarely = 5 * time.Minute
	// previewEvery is the interval between checks of whether a look at the file is due.
	previewEvery = 10 * time.Second
	// fewestLooks is how many of them precede a settled result.
	fewestLooks = 4
)

// Do observes a server and writes what it reads to a file. It creates the file first, so that an unwritable path
// fails before the server is asked anything. recorded reports whether anything was read; if not, no new file stays.
func Do(ctx context.Context, o Options) (recorded bool, err error) {
	r := &recording{Options: o}
	if err := r.openFile(); err != nil {
		return false, err
	}
	err = r.observe(ctx)
	if !r.recorded && r.before == nil {
		return false, errors.Join(err, r.file.Discard())
	}
	return r.recorded, errors.Join(err, r.file.Close())
}

// openFile creates the file, or continues an earlier observation's.
func (r *recording) openFile() (err error) {
	if r.Append {
		switch before, err := headOf(r.Path); {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			return fmt.Errorf("continue %s: %w", r.Path, err)
		case !before.Observed:
			return fmt.Errorf("continue %s: it is a run, not an observation", r.Path)
		default:
			r.before = &before
			r.file, err = runfile.Append(r.Path)
			return err
		}
	}
	r.file, err = runfile.Create(r.Path)
	return err
}

// headOf returns the first record of a run file.
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

// observe inspects the server, writes the head of the file, and reads until the end.
func (r *recording) observe(ctx context.Context) (err error) {
	if r.target, err = target.Open(ctx, r.Target, r.Show); err != nil {
		return err
	}
	facts, probes, err := r.open(ctx)
	r.file.Hide(r.target.Secrets(ctx)...)
	if err != nil {
		return err
	}
	if err := r.Known(probes.Metrics()); err != nil {
		return err // now, not after days
	}
	if err := r.head(facts, probes); err != nil {
		return err
	}
	r.announce(facts, probes)
	began := time.Now()
	r.cost.began, r.cost.processor = began, host.ProcessorTime()
	o := Observation{
		Interval: r.Interval, For: r.For, Rarely: min(rarely, r.AtLeast/fewestLooks), Started: pgstat.Name +
			".server/started",
		Open: r.again, Record: r.record, Tell: r.Show.Message,
	}
	if r.Settled != nil {
		o.Settled = func(context.Context) (why string, settled bool) {
			if r.file.Sync() != nil {
				return "", false // the next record fails as well
			}
			return r.Settled(r.file.Path(), time.Since(began))
		}
	}
	if r.Preview != nil {
		o.Preview = func() {
			if r.file.Sync() != nil {
				return // the next record fails as well
			}
			if text, looked := r.Preview(r.file.Path(), time.Since(began)); looked {
				r.Show.Doing(text)
			}
		}
	}
	err = o.Run(ctx, r.source(ctx, facts, probes))
	return errors.Join(err, r.end(err))
}

// open inspects the server and opens its probes. Its session stays open until the disks are found, which are
// those of the session's process.
func (r *recording) open(ctx context.Context) (postgres.Facts, *target.Probes, error) {
	session, err := r.target.Session(ctx)
	if err != nil {
		return postgres.Facts{}, nil, err
	}
	defer session.Close(ctx)
	facts := session.Facts
	r.settings.become(facts.Settings)
	switch {
	case facts.VersionNum < postgres.Oldest:
		return facts, nil, facts.Refuse(postgres.Permissions{})
	case facts.Standby:
		return facts, nil, pgstat.ErrStandby
	}
	triggers, err := postgres.EventTriggers(ctx, session.Control)
	if err != nil {
		return facts, nil, err
	}
	_, r.fires = postgres.Fired(triggers)
	probes, err := r.target.Observe(ctx, facts)
	return facts, probes, err
}

// again reopens everything after the server restarted or another one replaced it.
func (r *recording) again(ctx context.Context) (Source, error) {
	facts, probes, err := r.open(ctx)
	if err != nil {
		return Source{}, err
	}
	if err := r.sameMajor(r.version, facts.Version); err != nil {
		r.Show.Message("Stop this observation: " + err.Error())
		r.version = facts.Version // said once
	}
	return r.source(ctx, facts, probes), nil
}

func (r *recording) source(ctx context.Context, facts postgres.Facts, p *target.Probes) Source {
	r.cost.perReading.Store(int64(p.Stats.Queries(ctx)))
	ranking := pgstat.NewRanking(r.target.Endpoint.Config())
	relations, digests := relationsOf(p.Relations), digestsOf(r.target, facts, r.Now)
	rarely := func(ctx context.Context) []runfile.Record {
		ranked := ranking.Read(ctx)
		return slices.Concat(r.settings.look(ctx, r.target.Endpoint), ranked, p.RankRequests(), relations(ctx),
			digests(ctx, ranked))
	}
	return Source{Samplers: p.Samplers, Rarely: rarely, Close: p.Close}
}

// tellWithin bounds the time to attribute some minutes of WAL to tables and indexes. A sample of it is enough.
const tellWithin = 500 * time.Millisecond

// relationsOf returns a function that attributes the WAL since its last call to tables and indexes. It
// reports only once why it cannot.
func relationsOf(wal anatomy.Relations) func(context.Context) []runfile.Record {
	begun, missing := false, ""
	return func(ctx context.Context) []runfile.Record {
		if !begun {
			begun = true
			if wal.PassRelations(ctx) != nil {
				return nil // the session's end ends the rest
			}
		}
		told, err := wal.Relations(ctx, tellWithin)
		if err != nil || told.Bytes == 0 && told.Missing == missing {
			return nil
		}
		missing = told.Missing
		return []runfile.Record{told}
	}
}

// head writes the run and its metrics at the begin of the file. In a continued file, it records that counters from
// before the pause are not comparable.
func (r *recording) head(facts postgres.Facts, p *target.Probes) error {
	head := r.Head
	head.Observed, head.Target, head.Host = true, r.target.Describe(facts, p.Storage), host.Facts()
	head.Clocks, head.Plan = []runfile.Clock{facts.Clock}, runfile.Plan{Name: "observe", Loads: []runfile.Load{}}
	var lines []runfile.Record
	if r.before == nil {
		lines = append(lines, head)
	} else if err := r.sameServer(head.Target); err != nil {
		return err
	}
	r.version = facts.Version
	r.Show.Record(head)
	var names []string
	for _, sampler := range p.Samplers {
		names = append(names, sampler.Name())
		for _, metric := range sampler.Metrics() {
			lines = append(lines, metric)
		}
	}
	for _, line := range lines {
		if err := r.file.Write(line); err != nil {
			return err
		}
	}
	r.recorded = true
	if r.before == nil {
		return nil
	}
	r.settings.goneOnFrom(head.Target.Settings, r.before.Target.Settings, r.before.Start)
	return Anew(r.file.Write, time.Now(), names, "the observation was interrupted")
}

// sameServer refuses to put two servers into one file.
func (r *recording) sameServer(now runfile.Target) error {
	then := r.before.Target
	if then.Host != now.Host || then.Port != now.Port || then.Database != now.Database {
		return fmt.Errorf("%s is an observation of %s:%d, database %s, but this is %s:%d, database %s", r.Path, then.Host,
			then.Port, then.Database, now.Host, now.Port, now.Database)
	}
	if then.SystemIdentifier != "" && now.SystemIdentifier != "" && then.SystemIdentifier != now.SystemIdentifier {
		return fmt.Errorf("%s is an observation of another server at %s:%d (system identifier %s, not %s); use a new file",
			r.Path, then.Host, then.Port, then.SystemIdentifier, now.SystemIdentifier)
	}
	if err := r.sameMajor(then.Version, now.Version); err != nil {
		return err
	}
	if then.SystemIdentifier == "" || now.SystemIdentifier == "" {
		r.Show.Message(fmt.Sprintf("Cannot tell whether %s is of this server: its system identifier is missing, or this "+
			"user may not read it", r.Path))
	}
	return nil
}

// sameMajor returns an error if the server was upgraded: other metrics, in one file, get no verdicts.
func (r *recording) sameMajor(then, now string) error {
	was, is := metric.VersionNum(then), metric.VersionNum(now)
	if was == is || was == 0 || is == 0 {
		return nil
	}
	return fmt.Errorf("%s is an observation of PostgreSQL %d, but the server is now PostgreSQL %d, whose counters would "+
		"get no verdicts in it; use a new file", r.Path, was/10000, is/10000)
}

// announce shows what begins, and what limits its results.
func (r *recording) announce(facts postgres.Facts, p *target.Probes) {
	tell := r.Show.Message
	tell(fmt.Sprintf("Observing %s at %s, every %s for %s, into the file %s. The database is not touched; Ctrl-C "+
		"ends it sooner.",
		facts.Describe(), r.target.Endpoint, printable.Duration(r.Interval), printable.Duration(r.For), r.Path))
	if facts.Pooler {
		tell("This is a connection pooler, so the server plans each reading again; connect to the server itself.")
	}
	if r.fires != "" {
		tell(r.fires)
	}
	if !facts.MaySeeOthers {
		tell("This user cannot see all work of other users: " + postgres.Grant("pg_monitor", facts.User))
	}
	if notice := p.Stats.Notice(); notice != "" {
		tell(notice)
	}
	if why := r.target.AWS.Unknown(facts); why != "" {
		tell("Performance Insights is not asked for statements: " + why)
	}
}

func (r *recording) record(line runfile.Record) error {
	if reading, is := line.(runfile.Reading); is {
		r.cost.waited += reading.Took
		if reading.Probe == pgstat.Name {
			r.cost.queries += r.cost.perReading.Load()
		}
	}
	r.Show.Record(line)
	return r.file.Write(line)
}

// end writes the last line, with the cost of the observation.
func (r *recording) end(failed error) error {
	end := runfile.EndOf(failed, false)
	cost, err := r.cost.total(r.file)
	end.Cost = &cost
	r.Show.Message(inWords(cost))
	return errors.Join(err, r.file.Write(end))
}
