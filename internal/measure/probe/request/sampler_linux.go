package request

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/cilium/ebpf/ringbuf"

	"github.com/realiops/realiops/internal/measure/probe"
	"github.com/realiops/realiops/internal/runfile"
)

const (
	// fetching is how often requests are taken out of the kernel, which has room for 140,000: 560,000 a second.
	fetching = 250 * time.Millisecond
	// looking is how often the files are looked at, and naming how often names are asked for where one is missing.
	looking = time.Second
	naming  = 5 * time.Second
	// share is how much of the time looking may take, where there are many files or little time, and shareForOurs while requests of the
	// server's own processes wait for their file.
	share        = 0.0025
	shareForOurs = 0.05
	// enoughLooks at the files are given to a request whose file is not known.
	enoughLooks = 2
	// mostWaiting requests are kept that long.
	mostWaiting = 100_000
)

// Sampler follows the requests of a server's disks.
type Sampler struct {
	kernel *kernel
	stop   chan struct{}
	done   sync.WaitGroup

	mu      sync.Mutex // for all below
	account account
	atlas   atlas
	files   files
	waiting []waiting
	named   time.Time
	ranking ranking
	others  otherPrograms
}

// waiting is a request whose file was not found yet.
type waiting struct {
	event event
	looks int // there had been by then
}

// New follows the requests for a server's files. The error, a *probe.Error, says why that cannot be done here.
func New(place Place) (*Sampler, error) {
	roots, missing, err := rootsOf(place.Roots)
	if err != nil {
		return nil, err
	}
	s := &Sampler{
		stop: make(chan struct{}), ranking: newRanking(), others: otherPrograms{of: map[command]*counts{}},
		files: files{place: place, roots: roots, known: map[key]*file{}, names: place.Names, unfollowed: missing},
	}
	if s.kernel, err = attach(disksOf(roots), ringBytes); err != nil {
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

// Metrics lists what requests are told apart by.
func (s *Sampler) Metrics() []runfile.Metric { return Metrics() }

// Close takes the programs out of the kernel.
func (s *Sampler) Close() {
	close(s.stop)
	s.done.Wait()
	s.kernel.close()
}

// Sample takes what was completed by now. What waits for its file is in no kind yet, and in no sum of the server's.
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
		return probe.Sample{}, fmt.Errorf("ask how many requests were lost: %w", err)
	}
	s.account.lost = float64(lost)
	sample := probe.Sample{Values: s.account.values()}
	if missing := s.files.missing(); len(missing) > 0 {
		sample.Gaps = append(sample.Gaps, runfile.Gap{Metric: Name + "." + OtherPrograms.String() + "/writes", Reason: runfile.Unsupported,
			Detail: "requests for some of the server's files are among those of other programs: " + strings.Join(missing, "; ")})
	}
	return sample, nil
}

// Rank says which relations and other files of the server caused the most so far.
func (s *Sampler) Rank() runfile.Top {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.ranking.top(time.Now(), s.files.names)
}

// OtherPrograms says which commands of others did what so far.
func (s *Sampler) OtherPrograms() []OtherProgram {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.others.list()
}

// WaitForCounters finds the files of all requests so far, and the names of relations that were made meanwhile.
func (s *Sampler) WaitForCounters(ctx context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.fetch(); err != nil {
		return err
	}
	s.named = time.Time{} // a load has a table of its own
	for range enoughLooks {
		s.look()
	}
	s.settle()
	return ctx.Err()
}

// follow fetches requests and looks at the files, until it is told to stop.
func (s *Sampler) follow() {
	tick := time.NewTicker(fetching)
	defer tick.Stop()
	next := time.Now().Add(looking)
	for {
		select {
		case <-s.stop:
			return
		case <-tick.C:
		}
		s.mu.Lock()
		_ = s.fetch() // it is said when a reading is taken
		if began := time.Now(); began.After(next) {
			s.look()
			s.settle()
			took, may := time.Since(began), share
			if slices.ContainsFunc(s.waiting, func(w waiting) bool { return ours(&w.event, s.files.place.Postmaster) }) {
				may = shareForOurs
			}
			next = began.Add(max(looking, time.Duration(float64(took)/may)))
		}
		s.mu.Unlock()
	}
}

// look finds the server's files as they are now, with the names of relations.
func (s *Sampler) look() {
	s.files.look(time.Now())
	moved := s.files.moved
	if s.files.nameless && s.files.place.Relations != nil && time.Since(s.named) > naming {
		s.named = time.Now()
		if names, err := s.files.place.Relations(); err == nil {
			s.files.names, s.files.named = names, s.files.named+1
			s.files.look(time.Now())
			moved = true
		}
	}
	if moved {
		s.atlas = s.files.atlas()
	}
}

// fetch takes all requests out of the ring.
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
			return fmt.Errorf("take requests out of the kernel: %w", err)
		}
		s.take(e)
	}
}

// take counts a request, for its file where that is known; one that may be for a new file waits for the next looks.
func (s *Sampler) take(e event) {
	postmaster := s.files.place.Postmaster
	s.account.total(&e, s.kernel.bits.flushing)
	if e.Bytes == 0 && e.writes() && ours(&e, postmaster) {
		s.account.serverFlushes++ // asked for by itself, not with data
	}
	if e.Bytes == 0 || e.operation() != opRead && !e.writes() {
		return
	}
	file := s.atlas.find(&e, postmaster)
	switch {
	case file != nil && mayBeShared(&e, postmaster) && len(s.waiting) < mostWaiting:
		file.doubted = true
		s.waiting = append(s.waiting, waiting{e, s.files.looks})
	case file != nil:
		s.give(&e, file.owner)
	case mayBeNew(&e, postmaster) && len(s.waiting) < mostWaiting:
		s.waiting = append(s.waiting, waiting{e, s.files.looks})
	default:
		s.give(&e, owner{kind: s.unmapped(&e)})
	}
}

// give counts a request for its owner.
func (s *Sampler) give(e *event, whose owner) {
	s.account.kinds[whose.kind].add(e)
	if whose.kind == OtherPrograms {
		s.others.add(e)
	}
	s.ranking.add(whose, e)
}

// settle gives requests to files that were found meanwhile, and those that waited long enough to whoever asked for them.
func (s *Sampler) settle() {
	left := s.waiting[:0]
	for _, w := range s.waiting {
		file := s.atlas.find(&w.event, s.files.place.Postmaster)
		switch {
		case file != nil:
			s.give(&w.event, file.owner)
		case s.files.looks >= w.looks+enoughLooks:
			s.give(&w.event, owner{kind: s.unmapped(&w.event)})
		default:
			left = append(left, w)
		}
	}
	s.waiting = left
}

// unmapped says what sectors that belong to no file were for, by who asked for them. A session whose commit waits for the file
// system's journal may write it itself.
func (s *Sampler) unmapped(e *event) Kind {
	notes, server := s.kernel.bits.notes, ours(e, s.files.place.Postmaster)
	switch {
	case e.byKernel("jbd2/", ""), e.byKernel("xfsaild/", ""), e.byKernel("", "xfs-cil"), e.byKernel("", "xfs-log"):
		return Journal
	case server && e.writes() && (notes == 0 || e.Operation&notes != 0):
		return Journal
	case server:
		return Other // a directory, or a file that was gone before it was looked at
	default:
		return OtherPrograms
	}
}
