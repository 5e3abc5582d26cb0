package output

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"sync"
	"time"

	"github.com/realiops/realiops/internal/measure/load/engine"
	"github.com/realiops/realiops/internal/owner"
)

// DefaultLogPrefix begins the names of log files.
const DefaultLogPrefix = "pgbench_log"

// Log is pgbench's log file of one thread, with a line for each transaction or each interval.
type Log struct {
	asked    Asked
	interval time.Duration

	mu      sync.Mutex
	file    *os.File
	buffer  *bufio.Writer
	scratch []byte
	interim aggregate // begins at zero until the load has begun
}

// LogName returns pgbench's name for the log file of a thread, counted from 1.
func LogName(prefix string, pid, thread int) string {
	if thread == 1 {
		return fmt.Sprintf("%s.%d", prefix, pid)
	}
	return fmt.Sprintf("%s.%d.%d", prefix, pid, thread-1)
}

// CreateLog creates the file. If interval is set, it has a line for each interval instead of each transaction.
func CreateLog(name string, asked Asked, interval time.Duration) (*Log, error) {
	if err := owner.File(name); err != nil && !errors.Is(err, fs.ErrNotExist) { // its name can be guessed
		return nil, fmt.Errorf("create the log file: %w; choose another with --log-prefix", err)
	}
	file, err := os.Create(name)
	if err != nil {
		return nil, fmt.Errorf("create the log file: %w", err)
	}
	return &Log{asked: asked, interval: interval, file: file, buffer: bufio.NewWriterSize(file, 64<<10)}, nil
}

// Transaction is the function for [engine.Options]. Any goroutine may call it.
func (l *Log) Transaction(t engine.Transaction) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.interval > 0 {
		l.begin(t.Ended.Add(-t.Latency))
		if err := l.endIntervals(t.Ended); err != nil {
			return err
		}
		l.interim.add(t, l.asked)
		return nil
	}
	l.scratch = l.append(l.scratch[:0], t)
	return l.write()
}

// Begin sets when the first interval begins. Without it, that is when the first transaction was due.
func (l *Log) Begin(load time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.begin(load)
}

func (l *Log) write() error {
	if _, err := l.buffer.Write(l.scratch); err != nil {
		return fmt.Errorf("write the log file: %w", err)
	}
	return nil
}

// append writes client, transaction, time, script, seconds and microseconds of the epoch, and lag and retries if the
// load can have any. pgbench counts a client's transactions from 1.
func (l *Log) append(b []byte, t engine.Transaction) []byte {
	b = strconv.AppendInt(b, int64(t.Client), 10)
	b = appendInt(b, int64(t.Number)+1)
	b = append(b, ' ')
	switch {
	case t.Outcome == engine.Done:
		b = strconv.AppendInt(b, t.Latency.Microseconds(), 10)
	case t.Outcome == engine.Skipped || l.asked.FailuresDetailed:
		b = append(b, t.Outcome...)
	default:
		b = append(b, engine.FailedOtherwise...)
	}
	b = appendInt(b, int64(t.Script))
	b = appendInt(b, t.Ended.Unix())
	b = appendInt(b, int64(t.Ended.Nanosecond()/1000))
	if l.asked.Rate > 0 {
		b = appendInt(b, t.Lag.Microseconds())
	}
	if l.asked.mayRetry() {
		b = appendInt(b, int64(t.Retries))
	}
	return append(b, '\n')
}

func appendInt(b []byte, n int64) []byte { return strconv.AppendInt(append(b, ' '), n, 10) }

// Flush writes buffered lines to the file.
func (l *Log) Flush() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.buffer.Flush(); err != nil {
		return fmt.Errorf("write the log file: %w", err)
	}
	return nil
}

// Close writes the intervals that have ended and closes the file.
func (l *Log) Close(now time.Time) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	var err error
	if l.interval > 0 && !l.interim.begin.IsZero() {
		err = l.endIntervals(now)
	}
	err = errors.Join(err, l.buffer.Flush(), l.file.Close())
	if err != nil {
		return fmt.Errorf("close the log file: %w", err)
	}
	return nil
}

type aggregate struct {
	begin time.Time

	done, skipped, retried, retries, serialization, deadlocks int64
	latency, lag                                              sums
}

// sums holds microseconds.
type sums struct {
	count                  int64
	sum, sum2, least, most float64
}

func (s *sums) add(d time.Duration) {
	us := float64(d.Microseconds())
	if s.count == 0 || us < s.least {
		s.least = us
	}
	s.most = max(s.most, us)
	s.count++
	s.sum += us
	s.sum2 += us * us
}

// begin starts the intervals at the whole second in which the load began, as pgbench does.
func (l *Log) begin(load time.Time) {
	if l.interim.begin.IsZero() {
		l.interim.begin = load.Truncate(time.Second)
	}
}

// endIntervals writes every interval that has ended, including empty ones.
func (l *Log) endIntervals(now time.Time) error {
	for next := l.interim.begin.Add(l.interval); !next.After(now); next = next.Add(l.interval) {
		l.scratch = l.interim.append(l.scratch[:0])
		if err := l.write(); err != nil {
			return err
		}
		l.interim = aggregate{begin: next}
	}
	return nil
}

// add counts as pgbench does: skipped transactions only as such, retries even of failed ones, times only of
// successful ones, and kinds of failures only if asked for.
func (a *aggregate) add(t engine.Transaction, asked Asked) {
	if t.Outcome == engine.Skipped {
		a.skipped++
		return
	}
	if t.Retries > 0 {
		a.retried++
		a.retries += int64(t.Retries)
	}
	switch {
	case t.Outcome == engine.Done:
		a.done++
		a.latency.add(t.Latency)
		if asked.Rate > 0 {
			a.lag.add(t.Lag)
		}
	case asked.FailuresDetailed && t.Outcome == engine.FailedSerializing:
		a.serialization++
	case asked.FailuresDetailed && t.Outcome == engine.FailedByDeadlock:
		a.deadlocks++
	}
}

// append writes the 15 columns of pgbench 15 and later.
func (a *aggregate) append(b []byte) []byte {
	b = strconv.AppendInt(b, a.begin.Unix(), 10)
	b = appendInt(b, a.done)
	for _, s := range []sums{a.latency, a.lag} {
		for _, v := range []float64{s.sum, s.sum2, s.least, s.most} {
			b = strconv.AppendFloat(append(b, ' '), v, 'f', 0, 64)
		}
	}
	for _, n := range []int64{a.skipped, a.retried, a.retries, a.serialization, a.deadlocks} {
		b = appendInt(b, n)
	}
	return append(b, '\n')
}
