//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/realiops/realiops/internal/test/process"
)

// strike disturbs a command or its surroundings.
type strike func(*scene) error

// and runs strikes one after another.
func (do strike) and(more ...strike) strike {
	return func(s *scene) error {
		err := do(s)
		for _, next := range more {
			if err == nil {
				err = next(s)
			}
		}
		return err
	}
}

// insisting repeats an action that a deadlock has ended.
func insisting(do strike) strike {
	return func(s *scene) (err error) {
		const tries = 10
		for range tries {
			if err = do(s); err == nil || !strings.Contains(err.Error(), "deadlock") {
				return err
			}
		}
		return err
	}
}

func pause(d time.Duration) strike {
	return func(s *scene) error { return s.pause(d) }
}

// pauseAnyway waits even after the command has ended.
func pauseAnyway(d time.Duration) strike {
	return func(*scene) error {
		time.Sleep(d)
		return nil
	}
}

// Processes that are signalled.
const (
	program    = ""
	worker     = "worker"
	supervised = "supervisor"
	group      = "group" // as a terminal sends it
)

// signal signals a process.
func signal(by syscall.Signal, whom string) strike {
	return func(s *scene) error {
		pid, err := s.find(whom)
		if err != nil {
			return err
		}
		return syscall.Kill(pid, by)
	}
}

// find returns the command's process of a kind.
func (s *scene) find(whom string) (int, error) {
	own := s.command.Process.Pid
	switch whom {
	case program:
		return own, nil
	case group:
		return -own, nil
	}
	for begun := time.Now(); time.Since(begun) < patience && s.ctx.Err() == nil; time.Sleep(10 * time.Millisecond) {
		for _, child := range process.Children(own) {
			arguments, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", child))
			words := strings.Split(string(arguments), "\x00")
			if len(words) > 1 && words[1] == whom {
				return child, nil
			}
		}
	}
	return 0, fmt.Errorf("the command has no %s", whom)
}

// toServer acts on the first server.
func toServer(do func(*server) error) strike {
	return func(s *scene) error { return do(s.servers[0]) }
}

func sql(statements ...string) strike {
	return toServer(func(s *server) error { return s.sql(statements...) })
}

// besides repeatedly works on the server until the command ends.
func besides(rest time.Duration, statements ...string) strike {
	return func(s *scene) error {
		s.others.Go(func() {
			_ = s.servers[0].ask(func(conn *pgx.Conn) error {
				for s.ctx.Err() == nil {
					_, err := conn.Exec(context.WithoutCancel(s.ctx), strings.Join(statements, ";"),
						pgx.QueryExecModeSimpleProtocol)
					if err != nil {
						return err
					}
					_ = s.pause(rest)
				}
				return nil
			})
		})
		return s.pause(50 * time.Millisecond)
	}
}

// network changes the relay's behaviour.
func network(change func(*relay)) strike {
	return func(s *scene) error {
		if s.relay == nil {
			return errors.New("there is no relay")
		}
		change(s.relay)
		return nil
	}
}

// lockTables locks all our tables for a while.
func lockTables(d time.Duration) strike {
	return toServer(func(s *server) error {
		return s.sql("do $$ declare t regclass; begin for t in select oid from pg_class where relkind = 'r' and " +
			"relnamespace = 'realiops'::regnamespace" +
			" loop execute format('lock table %s', t); end loop; perform pg_sleep(" +
			fmt.Sprint(d.Seconds()) + "); end $$")
	})
}
