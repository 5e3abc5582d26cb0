//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"
	"golang.org/x/sys/unix"

	"github.com/realiops/realiops/internal/measure/server/embedded"
	"github.com/realiops/realiops/internal/test/process"
)

// server is a PostgreSQL for a command. It may be stopped and started again.
type server struct {
	*embedded.Server
	data  string
	again *process.Process // its process after a restart
}

// server starts a server that is removed after the fault.
func (p *place) server(settings ...string) (*server, error) {
	settings = append([]string{"restart_after_crash=on", "autovacuum=off"}, settings...)
	started, err := embedded.Start(context.Background(), embedded.Options{
		Version: p.version, Settings: settings, Repository: os.Getenv("REALIOPS_PG_REPOSITORY"),
	})
	if err != nil {
		return nil, err
	}
	s := &server{Server: started, data: started.Target().Storage.Directory}
	p.servers = append(p.servers, s)
	p.atEnd(s.close)
	return s, nil
}

func (s *server) close() error {
	if s.again != nil {
		_ = s.everyProcess(syscall.SIGCONT)
		_ = s.again.Process.Signal(syscall.SIGQUIT)
		s.again.Wait()
	}
	return s.Stop(context.Background())
}

// pid returns the server's process, or 0 if it does not run.
func (s *server) pid() int {
	pid, err := process.Postmaster(s.data)
	if err != nil || syscall.Kill(pid, 0) != nil {
		return 0
	}
	return pid
}

// end sends the server a signal and waits for its end.
func (s *server) end(by syscall.Signal) error {
	pid := s.pid()
	if err := syscall.Kill(pid, by); err != nil {
		return err
	}
	if s.again != nil {
		s.again.Wait()
		s.again = nil
		return nil
	}
	for begun := time.Now(); time.Since(begun) < patience; time.Sleep(20 * time.Millisecond) {
		if syscall.Kill(pid, 0) == syscall.ESRCH {
			return nil
		}
	}
	return errors.New("the server does not end")
}

// restart ends the server by a signal and starts it again.
func (s *server) restart(by syscall.Signal) error {
	program, err := os.Readlink(fmt.Sprintf("/proc/%d/exe", s.pid()))
	if err != nil {
		return err
	}
	lock, err := s.lock()
	if err != nil {
		return err
	}
	defer lock.Close() // leaves it to the new server
	if err := s.end(by); err != nil {
		return err
	}
	return s.startAgain(program, lock)
}

// lock returns the lock that the server's processes hold on its directory. Others remove the directory if it is free.
func (s *server) lock() (*os.File, error) {
	pid := s.pid()
	handle, err := unix.PidfdOpen(pid, 0)
	if err != nil {
		return nil, fmt.Errorf("find the server: %w", err)
	}
	defer unix.Close(handle) //nolint:errcheck // nothing was written
	links, _ := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", pid))
	for _, link := range links {
		name, _ := os.Readlink(link)
		if filepath.Dir(name) != filepath.Dir(s.data) || !strings.Contains(filepath.Base(name), "lock") {
			continue
		}
		number, err := strconv.Atoi(filepath.Base(link))
		if err != nil {
			return nil, err
		}
		own, err := unix.PidfdGetfd(handle, number, 0)
		return os.NewFile(uintptr(own), name), err //nolint:gosec // a file descriptor is not negative
	}
	return nil, errors.New("the server holds no lock")
}

// startAgain tries until the server runs: leftovers of the last one may prevent it.
func (s *server) startAgain(program string, lock *os.File) (err error) {
	for begun := time.Now(); time.Since(begun) < patience; time.Sleep(200 * time.Millisecond) {
		if s.again == nil {
			if s.again, err = launch(program, s.data, lock); err != nil {
				return err
			}
		}
		if s.ask(func(*pgx.Conn) error { return nil }) == nil {
			return nil
		}
		select {
		case <-s.again.Ended():
			s.again = nil
		default:
		}
	}
	return errors.New("the server does not come back")
}

// launch starts a server as the owner of its data.
func launch(program, data string, lock *os.File) (*process.Process, error) {
	owner, err := ownerOf(data)
	if err != nil {
		return nil, err
	}
	c := exec.Command(program, "-D", data) //nolint:gosec // the server's own program
	c.Dir, c.ExtraFiles = data, []*os.File{lock}
	c.SysProcAttr, c.WaitDelay = owner, time.Second // its children may outlive it, and hold its output
	return process.Start(c)
}

// ownerOf has a process run as the owner of a directory.
func ownerOf(directory string) (*syscall.SysProcAttr, error) {
	info, err := os.Stat(directory)
	if err != nil {
		return nil, err
	}
	owner := info.Sys().(*syscall.Stat_t)
	if int(owner.Uid) == os.Geteuid() {
		return nil, nil //nolint:nilnil // it runs as this user
	}
	return &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: owner.Uid, Gid: owner.Gid}}, nil
}

// everyProcess signals all processes of the server, the first one first: once stopped, it starts no others.
func (s *server) everyProcess(signal syscall.Signal) error {
	pid := s.pid()
	if err := syscall.Kill(pid, signal); err != nil {
		return err
	}
	for _, child := range process.Children(pid) {
		_ = syscall.Kill(child, signal) // it may have ended
	}
	return nil
}

// ask opens a session of another user for a moment.
func (s *server) ask(do func(*pgx.Conn) error) error { return session(s.URL(), do) }

func session(dsn string, do func(*pgx.Conn) error) error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	conn, err := pgx.Connect(ctx, dsn)
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	return do(conn)
}

// sql executes statements in another user's session.
func (s *server) sql(statements ...string) error {
	return s.ask(func(conn *pgx.Conn) error {
		for _, text := range statements {
			if _, err := conn.Exec(context.Background(), text, pgx.QueryExecModeSimpleProtocol); err != nil {
				return fmt.Errorf("%s: %w", text, err)
			}
		}
		return nil
	})
}

// ours returns realiops's objects on a server, and nothing if it does not run.
func (s *server) ours(schemaToo bool) (found []string) {
	if s.pid() == 0 {
		return nil
	}
	err := s.ask(func(conn *pgx.Conn) error {
		var schema bool
		var sessions int
		err := conn.QueryRow(context.Background(), `select to_regnamespace('realiops') is not null,
			(select count(*) from pg_stat_activity where application_name like 'realiops%')`).Scan(&schema, &sessions)
		if schema && !schemaToo {
			found = append(found, "leaves the schema realiops on the server")
		}
		if sessions > 0 {
			found = append(found, fmt.Sprintf("leaves %d sessions on the server", sessions))
		}
		return err
	})
	if err != nil {
		found = append(found, "ask the server what is left: "+err.Error())
	}
	return found
}

// at returns the server's address with another host and port, or other parameters.
func (s *server) at(change func(*url.URL)) string {
	u, err := url.Parse(s.URL())
	if err != nil {
		panic(err) // it is our own
	}
	change(u)
	return u.String()
}

func (s *server) address() string {
	u, err := url.Parse(s.URL())
	if err != nil {
		panic(err) // it is our own
	}
	return u.Host
}
