package anatomy

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/realiops/realiops/internal/measure/postgres"
	"github.com/realiops/realiops/internal/measure/probe"
	"github.com/realiops/realiops/internal/runfile"
)

const (
	// pageChunk is how much WAL is read at a time: finding its pages takes a server ten to fifty
	// milliseconds and a few megabytes.
	pageChunk = 1 << 20
	// mostFiles bounds the files listed in one stretch; the rest is added up.
	mostFiles = 20_000
)

// Why WAL cannot be attributed to tables and indexes.
var (
	errFiles    = errors.New("only the server can name the tables and indexes in its WAL, with pg_walinspect")
	errNotBegun = errors.New("cannot read the names of tables and indexes")
	errOtherWAL = gap(runfile.Late, "", "the server has other WAL than before")
)

// WhyNoRelations says, in one line, why WAL cannot be attributed to tables and indexes, and the remedy.
func WhyNoRelations(err error) string {
	missing := probe.GapOf(err)
	missing.Metric = Name + "/records"
	remedy := Remedy(missing).Text
	if missing.Reason == runfile.Absent && missing.Code == undefinedObject {
		remedy = "a superuser may: create extension pg_walinspect;"
	}
	if remedy != "" {
		return err.Error() + " (" + strings.TrimSuffix(remedy, ";") + ")"
	}
	return err.Error()
}

// Relations attributes WAL to tables and indexes; see [Sampler].
type Relations interface {
	PassRelations(ctx context.Context) error
	Relations(ctx context.Context, within time.Duration) (runfile.WAL, error)
}

// WithoutRelations returns a Relations that fails with err for each stretch.
func WithoutRelations(err error) Relations { return without{err} }

type without struct{ error }

func (without) PassRelations(context.Context) error { return nil }

func (w without) Relations(context.Context, time.Duration) (runfile.WAL, error) {
	now := time.Now()
	return runfile.WAL{From: now, To: now, Missing: WhyNoRelations(w.error)}, nil
}

// relations records how far the WAL has been attributed to tables and indexes.
type relations struct {
	at    uint64 // begin of the WAL that is not attributed yet
	known bool   // and a record begins there
	when  time.Time
	names *names // nil: not begun
}

// AsCounted makes [Sampler.PassRelations] and [Sampler.Relations] begin and end with the readings, so that both cover
// the same records. Without it they go to the end of the WAL. Call it before either.
func (s *Sampler) AsCounted() { s.asCounted = true }

// relationsEnd returns the position up to which WAL can be attributed to tables and indexes now.
func (s *Sampler) relationsEnd(ctx context.Context) (end uint64, known bool, err error) {
	if s.asCounted && s.begun {
		return s.course.at, true, nil
	}
	return s.session.flushedEnd(ctx, s.relations.at)
}

// Untold says why the server cannot attribute its WAL to tables and indexes although it can be read, or returns "".
func (s *Sampler) Untold(ctx context.Context) string {
	if s.turn.Take(ctx) != nil {
		return ""
	}
	defer s.turn.Release()
	if s.session == nil || s.session.noBlocks == nil {
		return ""
	}
	return WhyNoRelations(s.session.noBlocks)
}

// PassRelations begins again at the end of the WAL, where the next [Sampler.Relations] will
// begin. It returns its own failure.
func (s *Sampler) PassRelations(ctx context.Context) error {
	if err := s.turn.Take(ctx); err != nil {
		return err
	}
	defer s.turn.Release()
	if s.refused != nil || s.files != nil {
		return nil
	}
	if err := s.passRelations(ctx); err != nil && ctx.Err() == nil {
		_ = s.failed(ctx, err)
	}
	return ctx.Err()
}

func (s *Sampler) passRelations(ctx context.Context) error {
	if err := s.connected(ctx); err != nil {
		return err
	}
	all, err := s.relations.names, error(nil)
	if all == nil {
		if all, err = newNames(ctx, s.session.conn); err != nil {
			return err
		}
	}
	end, known, err := s.relationsEnd(ctx) // last, since asking for names may write hint bits
	if err != nil {
		return err
	}
	s.relations = relations{at: end, known: known, when: time.Now(), names: all}
	return nil
}

// Relations attributes the WAL since PassRelations, or its own last call, to tables and indexes. It stops after
// within; of a stretch too long for that, it reads evenly spread places. The error is about ctx only.
func (s *Sampler) Relations(ctx context.Context, within time.Duration) (runfile.WAL, error) {
	if err := s.turn.Take(ctx); err != nil {
		return runfile.WAL{}, err
	}
	defer s.turn.Release()
	w := runfile.WAL{From: s.relations.when, To: time.Now()}
	err := s.refused
	switch {
	case err != nil:
	case s.files != nil:
		err = errFiles
	case s.relations.names == nil:
		err = errNotBegun
	default:
		begun := s.relations
		err = s.tellRelations(ctx, within, &w)
		if err != nil && s.session != nil && s.session.conn.IsClosed() { // since the last time, minutes ago
			s.hangUp(ctx)
			s.relations = begun
			err = s.tellRelations(ctx, within, &w)
		}
		if partly := s.session != nil && s.session.noBlocks != nil; err != nil && !partly && ctx.Err() == nil {
			err = s.failed(ctx, err)
		}
	}
	if err != nil {
		w.Missing = WhyNoRelations(err)
	}
	return w, ctx.Err()
}

func (s *Sampler) tellRelations(ctx context.Context, within time.Duration, w *runfile.WAL) error {
	if err := s.connected(ctx); err != nil {
		return err
	}
	if s.session.noBlocks != nil {
		return s.session.noBlocks
	}
	end, known, err := s.relationsEnd(ctx)
	if err != nil {
		return err
	}
	from := s.relations
	s.relations.at, s.relations.known, s.relations.when = end, known, w.To
	if end < from.at {
		return errOtherWAL // it was restored
	}
	w.Bytes = int64(end - from.at)
	places := evenly(chunksOf(place{span{from.at, end}, from.known, true}, pageChunk))
	t, err := s.session.tell(ctx, places, within)
	if err != nil {
		return err
	}
	w.Read = int64(t.read)
	w.Items, err = t.items(ctx, s.session.conn, from.names)
	return err
}

// told sums up the WAL read, by file and kind of record.
type told struct {
	read  uint64
	files map[file]map[string]runfile.WALPart
	rest  map[string]runfile.WALPart // of files beyond mostFiles
	none  map[string]runfile.WALPart // of records without a page
}

// tell reads places in turn until time is up. It skips WAL older than any that the server has recycled.
func (s *session) tell(ctx context.Context, places []place, within time.Duration) (*told, error) {
	t := &told{files: map[file]map[string]runfile.WALPart{}, rest: map[string]runfile.WALPart{},
		none: map[string]runfile.WALPart{}}
	for began := time.Now(); len(places) > 0 && time.Since(began) < within; {
		at := places[0]
		places = places[1:]
		err := s.outsideOfZeros(ctx, at, func(p place) error { return s.tellPlace(ctx, p, t) })
		switch refused, isRefused := isRefusal(err); {
		case isRefused && (refused.Code == undefinedFile || refused.Code == internalError):
			places = slices.DeleteFunc(places, func(p place) bool { return p.first < at.first })
		case isRefused && refused.Code == queryCanceled:
		case err != nil:
			return t, err
		}
	}
	return t, nil
}

func (s *session) tellPlace(ctx context.Context, at place, t *told) error {
	if at.size() == 0 {
		return nil
	}
	return pgx.BeginFunc(ctx, s.conn, func(tx pgx.Tx) error {
		for _, sql := range []string{postgres.SafeTransaction, limits, room} {
			if _, err := tx.Exec(ctx, sql); err != nil {
				return err
			}
		}
		rows, err := tx.Query(ctx, s.reader, at.arguments()...)
		if err != nil {
			return err
		}
		w, err := windowOf(rows)
		if err != nil {
			return err
		}
		all, err := writtenIn(ctx, tx, s.blocks, w.span)
		if err == nil {
			t.add(w, all)
		}
		return err
	})
}

// add adds a window and its sums by file. The rest of the window belongs to no file.
func (t *told) add(w window, all []written) {
	t.read += w.span.size()
	none := map[string]runfile.WALPart{}
	for _, k := range w.kinds {
		none[k.name] = runfile.WALPart{Records: int64(k.records), Bytes: int64(k.bytes)}
	}
	for _, one := range all {
		of := t.files[one.file]
		switch {
		case of == nil && len(t.files) == mostFiles:
			of = t.rest
		case of == nil:
			of = map[string]runfile.WALPart{}
			t.files[one.file] = of
		}
		plus(of, partOf(one.kind), one.part)
		left := none[one.kind]
		none[one.kind] = runfile.WALPart{Records: left.Records - one.part.Records, Bytes: left.Bytes - one.part.Bytes}
	}
	for kind, left := range none {
		if left.Records > 0 {
			plus(t.none, partOf(kind), left)
		}
	}
}

func plus(parts map[string]runfile.WALPart, name string, more runfile.WALPart) {
	p := parts[name]
	parts[name] = runfile.WALPart{Records: p.Records + more.Records, Bytes: p.Bytes + more.Bytes,
		Images: p.Images + more.Images, ImageBytes: p.ImageBytes + more.ImageBytes}
}

// items returns the sums by relation, the most bytes first.
func (t *told) items(ctx context.Context, conn *pgx.Conn, all *names) ([]runfile.WALItem, error) {
	called, err := all.look(ctx, conn, slices.Collect(maps.Keys(t.files)))
	if err != nil {
		return nil, err
	}
	l := list{at: map[string]int{}}
	for f, parts := range t.files {
		item := called[f]
		if item.Is == "" { // created and dropped before its name could be read
			item.Is = sortBy(parts)
		}
		l.add(item, parts)
	}
	l.add(runfile.WALItem{Is: runfile.WALOfNone}, t.none)
	slices.SortFunc(l.items, func(a, b runfile.WALItem) int {
		return cmp.Or(cmp.Compare(bytesOf(b), bytesOf(a)), cmp.Compare(a.Is, b.Is), cmp.Compare(a.Name, b.Name))
	})
	rest := list{at: map[string]int{}}
	rest.add(runfile.WALItem{Is: runfile.OtherRelations}, t.rest)
	for len(l.items) > runfile.MostWALItems-1 {
		last := len(l.items) - 1
		if l.items[last].Is == runfile.WALOfNone { // keep it apart from the rest
			last--
		}
		rest.add(runfile.WALItem{Is: runfile.OtherRelations}, l.items[last].Parts)
		l.items = slices.Delete(l.items, last, last+1)
	}
	return append(l.items, rest.items...), nil
}

// sortBy infers a file's sort from the kinds of its records.
func sortBy(parts map[string]runfile.WALPart) string {
	for name := range parts {
		switch {
		case strings.HasPrefix(name, "heap_"):
			return runfile.WALTable
		case strings.HasPrefix(name, "btree_"), name == "index_other":
			return runfile.WALIndex
		case name == "sequence":
			return runfile.WALSequence
		}
	}
	return runfile.OtherRelations
}

type list struct {
	items []runfile.WALItem
	at    map[string]int
}

func (l *list) add(item runfile.WALItem, parts map[string]runfile.WALPart) {
	if len(parts) == 0 {
		return
	}
	key := fmt.Sprint(item.Is, item.Dropped, item.Name)
	at, known := l.at[key]
	if !known {
		at = len(l.items)
		item.Parts = map[string]runfile.WALPart{}
		l.at[key], l.items = at, append(l.items, item)
	}
	for name, p := range parts {
		plus(l.items[at].Parts, name, p)
	}
}

func bytesOf(i runfile.WALItem) (sum int64) {
	for _, p := range i.Parts {
		sum += p.Bytes
	}
	return sum
}
