//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/realiops/realiops/internal/test/process"
)

// place is the setting of a fault: a directory, and the files prepared there.
type place struct {
	dir, program, runs, version string

	servers []*server
	relay   *relay
	front   *encrypting
	service string   // the address of the HTTP service that it asks, if any
	env     []string // of the command, besides the common ones
	group   string   // the command's own control group, if any
	ulimit  string   // the command's limit, as an option of a shell's ulimit
	stdout  *os.File // where the command prints; nil: it is kept
	before  []string // files that were there before
	grows   string   // the one of them that the command extends
	memory  []segment
	dynamic []string // names of shared memory that was there before
	company []*scene // other commands that run meanwhile
	closing []func() error
}

// Names in a place.
const (
	record = "run.jsonl" // what is measured
	temp   = "tmp"       // temporary files of the command
)

func (p *place) path(name string) string { return filepath.Join(p.dir, name) }

func (p *place) make() (err error) {
	if p.memory, err = segments(); err != nil {
		return err
	}
	p.dynamic = dynamicMemory()
	if err := os.MkdirAll(p.path(temp), 0o700); err != nil {
		return err
	}
	return errors.Join(os.Chmod(p.dir, 0o755),
		os.Chmod(p.path(temp), 0o777|os.ModeSticky)) //nolint:gosec // servers are not root's
}

// atEnd adds an action for the end of the fault. The last one comes first.
func (p *place) atEnd(do func() error) { p.closing = append(p.closing, do) }

// sendHome ends the other commands.
func (p *place) sendHome() error {
	for _, s := range p.company {
		_ = s.command.Process.Signal(os.Interrupt)
		s.wait()
		if err := os.RemoveAll(s.dir); err != nil {
			return err
		}
	}
	return nil
}

func (p *place) close() (err error) {
	for _, do := range slices.Backward(p.closing) {
		err = errors.Join(err, do())
	}
	return err
}

// scene is a command during a fault.
type scene struct {
	*place
	command *process.Process
	kept    []byte // the record at the moment of the fault
	late    bool
	ctx     context.Context // ends with the command
	others  sync.WaitGroup  // working meanwhile
}

// start starts the program. All its descendants have the place in their environment or arguments.
func (p *place) start(args []string, within time.Duration) (*scene, error) {
	var err error
	if p.before, err = listing(p.dir); err != nil {
		return nil, err
	}
	s := &scene{place: p}
	command := exec.Command(p.program, args...) //nolint:gosec // from the table
	if p.ulimit != "" {
		command = exec.Command("sh", append([]string{"-c", "ulimit " + p.ulimit + ` && exec "$0" "$@"`, p.program},
			args...)...) //nolint:gosec // likewise
	}
	if p.group != "" {
		command = exec.Command("sh", append([]string{"-c", `echo $$ > "$0/cgroup.procs" && exec "$@"`, p.group,
			p.program}, args...)...) //nolint:gosec // from the table, too
	}
	command.Dir = p.dir
	if p.stdout != nil {
		command.Stdout = p.stdout
	}
	command.Env = append(withoutServer(os.Environ()), append([]string{
		"AWS_EC2_METADATA_DISABLED=true", "TMPDIR=" + p.path(temp), "CHAOS=" + p.dir,
	}, p.env...)...)
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if s.command, err = process.Start(command); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(context.Background())
	s.ctx = ctx
	late := time.AfterFunc(within, func() {
		s.late = true
		_ = s.command.Process.Kill()
	})
	s.others.Go(func() {
		defer cancel()
		s.command.Wait()
		late.Stop()
	})
	return s, nil
}

// withoutServer leaves out variables that name a server.
func withoutServer(environment []string) []string {
	return slices.DeleteFunc(environment, func(v string) bool {
		return strings.HasPrefix(v, "PG") || strings.HasPrefix(v, "DATABASE_URL=")
	})
}

func (s *scene) wait() {
	s.command.Wait()
	s.others.Wait()
}

func (s *scene) status() int { return s.command.Wait() }

// moment is a point in a command's progress: it has printed or recorded a text, made its record, or started a
// server, and then a while has passed.
type moment struct {
	text         string
	made, server bool
	plus         time.Duration
}

// underLoad is during a load of a run, and reading during an observation.
var (
	underLoad = moment{text: `"kind":"work"`}
	reading   = moment{text: `"kind":"read"`, plus: 2 * time.Second}
)

func after(d time.Duration) moment { return moment{plus: d} }

func (s *scene) await(m moment) error {
	for s.ctx.Err() == nil {
		recorded, err := os.ReadFile(s.path(record))
		_, runs := s.postgres()
		if (err == nil || !m.made) && (runs || !m.server) &&
			strings.Contains(string(recorded)+s.command.Printed(), m.text) {
			return s.pause(m.plus)
		}
		time.Sleep(20 * time.Millisecond)
	}
	return fmt.Errorf("the command ended before %q", m.text)
}

// pause waits while the command continues.
func (s *scene) pause(d time.Duration) error {
	select {
	case <-s.command.Ended():
		return errors.New("the command ended before its fault")
	case <-time.After(d):
		return nil
	}
}
