package request

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/cilium/ebpf/ringbuf"

	"github.com/realiops/realiops/internal/measure/probe"
	"github.com/realiops/realiops/internal/printable"
	"github.com/realiops/realiops/internal/runfile"
)

const (
	// fetching is the interval at which requests are fetched from the kernel while there are any. The ring holds
	// 140,000, enough for 560,000 a second.
	fetching = 250 * time.Millisecond
	// looking is the interval between looks at the files, naming between queries for missing names.
	looking = time.Second
	naming  = 5 * time.Second
	// share is the part of the time that looks at the files may take; shareForWaiting is that part
	// while requests wait for their file.
	share           = 0.0025
	shareForWaiting = 0.05
	// mostWaiting bounds the waiting requests, and latest their wait. Beyond that,
	// readings leave out what is unknown.
	mostWaiting = 100_000
	latest      = 3 * time.Second
)

// Sampler follows the requests of a server's disks.
type Sampler struct {
	kernel *kernel
	stop   chan struct{}
	done   sync.WaitGroup

	mu      sync.Mutex // guards the fields below
	account account
	atlas   atlas
	files   files
	unnamed unnamed
	waiting []waiting
	named   spell // of relations
	looked  spell // at all files
	found   spell // of new files
	ranking ranking
	others  otherPrograms
}

// waiting is a request without an inode, whose file is not known yet.
type waiting struct {
	event event
	since time.Time
}

// spell is when some work was last done, and how long it took.
type spell struct {
	began time.Time
	took  time.Duration
}

// since returns the spell that ends now.
func since(began time.Time) spell { return spell{began, time.Since(began)} }

// due reports whether to do the work again: once every has passed, and within its share of the time.
func (s spell) due(every time.Duration, share float64) bool {
	return time.Since(s.began) >= max(every, time.Duration(float64(s.took)/share))
}

// New follows the requests for a server's files. The error, a *probe.Error, says why that is impossible here.
func New(place Place) (*Sampler, error) { return open(place, mostFiles, ringBytes()) }

func open(place Place, most int, room uint32) (*Sampler, error) {
	roots, missing, err := rootsOf(place.Roots)
	if errors.Is(err, fs.ErrPermission) {
		err = fmt.Errorf("%w%s", err, probe.Lacking(probe.DACReadSearch))
	}
	if err != nil {
		return nil, err
	}
	s := &Sampler{
		stop: make(chan struct{}), ranking: newRanking(), others: otherPrograms{of: map[command]*counts{}},
		unnamed: unnamed{}, files: filesOf(place, roots, missing, most),
	}
	if s.kernel, err = attach(disksOf(roots), room); err != nil {
		return nil, err
	}
	s.look()
	s.done.Go(s.follow)
	return s, nil
}

func disksOf(roots []root) (disks []uint32) {
	for _, r := range roots {
		if !slices.Contains(disks, r.ground.disk) {
			disks = append(disks, r.ground.disk)
		}
	}
	return disks
}

// Name is request.
func (s *Sampler) Name() string { return Name }

// Metrics lists the metrics of all kinds of request.
func (s *Sampler) Metrics() []runfile.Metric { return Metrics() }

// Close removes the programs from the kernel.
func (s *Sampler) Close() {
	close(s.stop)
	s.kernel.wake()
	s.done.Wait()
	s.kernel.close()
}

// Sample returns the requests completed so far. Requests that still wait for their file, for three seconds at most,
// are in no kind and no sum of the server.
func (s *Sampler) Sample(ctx context.Context) (probe.Sample, error) {
	if err := ctx.Err(); err != nil {
		return probe.Sample{}, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.fetch(); err != nil {
		return probe.Sample{}, err
	}
	lost, err := s.kernel.lostEvents()
	if err != nil {
		return probe.Sample{}, fmt.Errorf("count lost requests: %w", err)
	}
	s.account.lost = float64(lost)
	s.name()
	if len(s.waiting) > 0 && s.looked.due(0, shareForWaiting) {
		s.look()
	}
	if waits := s.waits(); waits > latest {
		return probe.Sample{}, &probe.Error{Reason: runfile.Late,
			Err: fmt.Errorf("still looking for the files of %s after %.0f s; a later reading has them",
				printable.Counted(len(s.waiting), "request"), waits.Seconds())}
	}
	sample := probe.Sample{Values: s.account.values()}
	if missing := s.files.missing(); len(missing) > 0 {
		sample.Gaps = append(sample.Gaps, runfile.Gap{Metric: Name + "." + OtherPrograms.String() + "/writes",
			Reason: runfile.Unsupported,
			Detail: "requests for some of the server's files count as other programs': " + strings.Join(missing, "; ")})
	}
	return sample, nil
}

// Rank returns the server's relations and other files with the most bytes so far.
func (s *Sampler) Rank() runfile.Top {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.ranking.top(time.Now(), s.files.names)
}

// RankOthers returns the other programs with the most bytes so far.
func (s *Sampler) RankOthers() runfile.Top {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.others.top(s.ranking.from, time.Now())
}

// OtherPrograms returns the requests of other programs' commands so far.
func (s *Sampler) OtherPrograms() []OtherProgram {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.others.list()
}

// WaitForCounters finds the files of all requests so far, and the names of new relations.
func (s *Sampler) WaitForCounters(ctx context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.fetch(); err != nil {
		return err
	}
	s.named = spell{} // a load has its own table
	s.look()
	return ctx.Err()
}

// follow fetches requests and examines the files until the sampler is closed. It sleeps while there are no requests.
func (s *Sampler) follow() {
	for more := true; ; more = s.catchUp() {
		if !more {
			s.kernel.await(s.quiet())
		}
		select {
		case <-s.stop:
			return
		case <-time.After(fetching):
		}
	}
}

// quiet returns how long follow may sleep without requests; 0: for ever.
func (s *Sampler) quiet() time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.files.nameless {
		return naming
	}
	return 0
}

// catchUp fetches requests, and reports whether there were any, or some still wait.
func (s *Sampler) catchUp() (more bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	more = s.kernel.reader.AvailableBytes() > 0
	_ = s.fetch() // the next reading reports it
	if s.found.due(looking, shareForWaiting) {
		s.name()
	}
	if len(s.waiting) > 0 && s.looked.due(looking, shareForWaiting) {
		s.look()
	}
	s.learn() // also of files found before
	return more || len(s.unnamed) > 0 || len(s.waiting) > 0
}

// look finds the server's files, and assigns waiting requests to them.
func (s *Sampler) look() {
	began := time.Now()
	s.files.look(began)
	s.learn()
	if s.files.moved {
		s.atlas = s.files.atlas()
	}
	s.settle()
	s.looked = since(began)
}

// name finds new files, and assigns the requests with their inodes to them.
func (s *Sampler) name() {
	if len(s.unnamed) == 0 {
		return
	}
	began := time.Now()
	for at := range s.unnamed {
		s.files.forget(at.inode)
	}
	s.files.find(began)
	s.learn()
	s.settleNamed()
	s.found = since(began)
}

// learn reads the names of new relations.
func (s *Sampler) learn() {
	if !s.files.nameless || s.files.place.Relations == nil || !s.named.due(naming, share) {
		return
	}
	began := time.Now()
	if names, err := s.files.place.Relations(); err == nil {
		s.files.name(names)
	}
	s.named = since(began)
}

// waits returns how long the oldest request has been waiting.
func (s *Sampler) waits() time.Duration {
	if len(s.waiting) == 0 {
		return 0
	}
	return time.Since(s.waiting[0].since)
}

func (s *Sampler) fetch() error {
	var record ringbuf.Record
	var e event
	s.kernel.reader.SetDeadline(time.Now())
	for {
		err := s.kernel.reader.ReadInto(&record)
		if errors.Is(err, os.ErrDeadlineExceeded) {
			return nil
		}
		if err == nil {
			err = e.read(record.RawSample)
		}
		if err != nil {
			return fmt.Errorf("read requests from the kernel: %w", err)
		}
		s.take(e)
	}
}

// take counts a request for its file if that is known. A request that may be for a new file waits for the next looks.
func (s *Sampler) take(e event) {
	postmaster := s.files.place.Postmaster
	s.account.total(&e, s.kernel.bits.flushing)
	if e.Bytes == 0 && e.writes() && ours(&e, postmaster) {
		s.account.serverFlushes++ // requested by itself, not with data
	}
	if e.Bytes == 0 || e.operation() != opRead && !e.writes() {
		return
	}
	notes, by := s.kernel.bits.notes, askerOf(&e, postmaster)
	file, told := s.files.of(&e, notes)
	switch {
	case told && file == nil:
		s.unnamed.add(&e, by)
		return
	case !told && e.Operation&notes == 0:
		if s.looked.due(looking, share) { // only now are the files' places needed
			s.look()
		}
		file = s.atlas.find(&e, postmaster)
	}
	wait := file == nil && mayBeNew(&e, postmaster, notes)
	if !told && file != nil && mayBeShared(&e, postmaster) {
		file.doubted, wait = true, true
	}
	switch {
	case wait && len(s.waiting) < mostWaiting:
		s.waiting = append(s.waiting, waiting{e, time.Now()})
	default:
		s.give(by, s.ownerOf(&e, file), countsOf(&e))
	}
}

// ownerOf returns the owner of a request. file is nil if it is not the server's.
func (s *Sampler) ownerOf(e *event, file *file) owner {
	if file == nil {
		return owner{kind: s.unmapped(e)}
	}
	return file.owner
}

func (s *Sampler) give(by asker, whose owner, all counts) {
	s.account.kinds[whose.kind].plus(all)
	if whose.kind == OtherPrograms {
		s.others.add(by, all)
	}
	s.ranking.add(whose, all)
}

// settle assigns waiting requests to the files that the last look found, and the rest by their processes.
func (s *Sampler) settle() {
	s.settleNamed()
	for _, w := range s.waiting {
		postmaster := s.files.place.Postmaster
		s.give(askerOf(&w.event, postmaster), s.ownerOf(&w.event, s.atlas.find(&w.event, postmaster)), countsOf(&w.event))
	}
	s.waiting = s.waiting[:0]
}

// settleNamed assigns requests to the files with their inodes. The others are not the server's, or were
// deleted before their names were read.
func (s *Sampler) settleNamed() {
	for at, all := range s.unnamed {
		whose := owner{kind: OtherPrograms}
		if one := s.files.at(at.inode); one != nil {
			whose = one.owner
		} else if at.by.server {
			whose.kind = Other
		}
		s.give(at.by, whose, *all)
	}
	clear(s.unnamed)
}

// unmapped classifies a request for sectors of no file by the process that caused it. A session whose commit waits
// for the file system's journal may write the journal itself.
func (s *Sampler) unmapped(e *event) Kind {
	switch notes, server := s.kernel.bits.notes, ours(e, s.files.place.Postmaster); {
	case e.byKernel("jbd2/", ""), e.byKernel("xfsaild/", ""), e.byKernel("", "xfs-cil"), e.byKernel("", "xfs-log"):
		return Journal
	case server && e.writes() && (notes == 0 || e.Operation&notes != 0):
		return Journal
	case server:
		return Other // a directory, or a file deleted before a look
	default:
		return OtherPrograms
	}
}
