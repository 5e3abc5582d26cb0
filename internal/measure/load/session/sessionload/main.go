// Command sessionload is the smallest load over package session: it shows what a session costs beside pgbench. The
// script scripts/bench-session runs the two in turn.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"runtime"
	"strconv"
	"sync"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/realiops/realiops/internal/measure/load/session"
)

type options struct {
	dsn, sql, mode string
	clients, procs int
	idle, copyRows int
	duration       time.Duration
}

func main() {
	var o options
	flag.StringVar(&o.dsn, "dsn", "", "connection string")
	flag.StringVar(&o.sql, "sql", "insert into t(value) values ($1)", "statement with one parameter, a random number")
	flag.StringVar(&o.mode, "M", "prepared", "simple, extended or prepared")
	flag.IntVar(&o.clients, "c", 8, "clients")
	flag.IntVar(&o.procs, "procs", 1, "GOMAXPROCS")
	flag.IntVar(&o.idle, "idle", 0, "instead, hold so many sessions that each ran one statement, and print the memory")
	flag.IntVar(&o.copyRows, "copy", 0, "instead, COPY so many rows of pgbench_accounts")
	flag.DurationVar(&o.duration, "T", 2*time.Second, "how long")
	flag.Parse()
	runtime.GOMAXPROCS(o.procs)
	if err := o.run(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, "sessionload:", err)
		os.Exit(1)
	}
}

func (o *options) run(ctx context.Context) error {
	config, err := pgconn.ParseConfig(o.dsn)
	if err != nil {
		return err
	}
	keeper := session.NewKeeper(func(ctx context.Context) (*pgconn.PgConn, error) {
		return pgconn.ConnectConfig(ctx, config)
	}, 30*time.Second)
	defer keeper.Close()
	sessions := make([]*session.Session, max(o.clients, o.idle))
	if o.copyRows > 0 {
		sessions = sessions[:1]
	}
	for i := range sessions {
		if sessions[i], err = keeper.Open(ctx); err != nil {
			return err
		}
		defer sessions[i].Close()
	}
	switch {
	case o.idle > 0:
		return o.holdIdle(sessions)
	case o.copyRows > 0:
		return o.copy(sessions[0])
	default:
		return o.load(sessions)
	}
}

func (o *options) load(sessions []*session.Session) error {
	insert, err := session.NewStatement("insert", o.sql, 1, false)
	if err != nil {
		return err
	}
	cpu, start := processCPU(), time.Now()
	counts, failures := make([]int64, len(sessions)), make([]error, len(sessions))
	var running sync.WaitGroup
	for i, s := range sessions {
		running.Go(func() { counts[i], failures[i] = o.repeat(s, insert, start.Add(o.duration)) })
	}
	running.Wait()
	elapsed, used := time.Since(start), processCPU()-cpu
	var transactions int64
	for i := range counts {
		if failures[i] != nil {
			return failures[i]
		}
		transactions += counts[i]
	}
	fmt.Printf("tps %.0f cpu %.3f\n", float64(transactions)/elapsed.Seconds(), used.Seconds()*1e6/float64(transactions))
	return nil
}

func (o *options) repeat(s *session.Session, insert *session.Statement, until time.Time) (int64, error) {
	random := rand.New(rand.NewPCG(1, uint64(s.PID())))
	value, args, text := make([]byte, 0, 32), make([][]byte, 1), make([]byte, 0, 256)
	for n := int64(0); ; n++ {
		if !time.Now().Before(until) {
			return n, nil
		}
		value = strconv.AppendInt(value[:0], 1+random.Int64N(1_000_000), 10)
		args[0] = value
		switch o.mode {
		case "simple":
			text = append(append(append(text[:0], "insert into t(value) values ("...), value...), ')')
			s.Query(text, false)
		case "extended":
			s.Extended(insert, args)
		default:
			s.Prepared(insert, args)
		}
		result, err := s.Finish()
		if err != nil {
			return n, err
		}
		if result.Err != nil {
			return n, result.Err
		}
	}
}

// copy fills pgbench_accounts as pgbench -i does, in one transaction with the truncation.
func (o *options) copy(s *session.Session) error {
	cpu, start, id := processCPU(), time.Now(), 0
	s.Query([]byte("begin; truncate pgbench_accounts"), false)
	if result, err := s.Finish(); err != nil || result.Err != nil {
		return fmt.Errorf("%w %w", err, result.Err)
	}
	result, err := s.CopyIn([]byte("copy pgbench_accounts from stdin with (freeze on)"), func(b []byte) ([]byte, error) {
		if id == o.copyRows {
			return b, io.EOF
		}
		id++
		b = append(strconv.AppendInt(b, int64(id), 10), '\t')
		b = strconv.AppendInt(b, int64((id-1)/100_000+1), 10)
		return append(b, "\t0\t\n"...), nil
	})
	if err != nil || result.Err != nil {
		return fmt.Errorf("%w %w", err, result.Err)
	}
	s.Query([]byte("commit"), false)
	if result, err := s.Finish(); err != nil || result.Err != nil {
		return fmt.Errorf("%w %w", err, result.Err)
	}
	elapsed, used := time.Since(start), processCPU()-cpu
	fmt.Printf("rows %d seconds %.3f cpu %.3f\n", result.Affected, elapsed.Seconds(), used.Seconds())
	return nil
}

// holdIdle lets every session run a statement, all in goroutines of their own as a load would, and prints the memory.
func (o *options) holdIdle(sessions []*session.Session) error {
	o.duration = time.Second
	if err := o.load(sessions); err != nil {
		return err
	}
	var hold sync.WaitGroup
	release := make(chan struct{})
	for range sessions {
		hold.Go(func() { <-release })
	}
	status, err := os.ReadFile("/proc/self/status")
	close(release)
	hold.Wait()
	fmt.Printf("%s", status)
	return err
}

// processCPU is what this process has used of the processors, user and system.
func processCPU() time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		panic(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
