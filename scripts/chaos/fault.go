//go:build linux

package main

import (
	"errors"
	"os"
	"slices"
	"strings"
	"time"
)

// Fault is a fault during one command.
type Fault struct {
	// process, disk, server, network, lies, scrapers, cloud, other sessions, files, settings, inputs, ids, limits
	Class string
	Name  string
	// Prepare prepares a directory, and returns the command.
	Prepare func(*place) ([]string, error)
	// Strike acts when the command has reached When; nil: the preparation is the whole fault.
	When   moment
	Strike strike

	Status int                   // -1: killed by a signal
	Says   string                // a part of the one line on standard error; empty: no complaint
	Never  string                // must not be printed anywhere
	Marks  string                // a part of the mark in every report of the measurement
	Check  func(*scene) []string // returns violated further conditions; nil: none
	Stays  bool                  // the schema may stay on the server, since no process remains to drop it
	// Within is the longest time that it may take; 0: a minute.
	Within   time.Duration
	MemoryMB int64 // the most that it may take; 0: 300
}

func faults() []Fault {
	return slices.Concat(processes(), disks(), servers(), networks(), lies(), scrapers(), clouds(), otherSessions(),
		otherFiles(), settings(), inputs(), secrets(), ids(), limits())
}

// in sets the class of faults.
func in(class string, all ...Fault) []Fault {
	for i := range all {
		all[i].Class = class
	}
	return all
}

// skipped is the reason why a fault cannot be tried here.
type skipped string

func (s skipped) Error() string { return string(s) }

// asRoot skips a fault that an ordinary user cannot arrange.
func asRoot() error {
	if os.Geteuid() != 0 {
		return skipped("only root can arrange it")
	}
	return nil
}

// try tries the fault, and returns the broken promises.
func (f Fault) try(p *place) (r result) {
	r = result{Fault: f}
	broken := func(problems ...string) { r.broken = append(r.broken, problems...) }
	if err := p.make(); err != nil {
		broken(err.Error())
		return r
	}
	s, err := f.happen(p)
	if len(p.servers) > 0 {
		r.version = p.version
	}
	if why, is := errors.AsType[skipped](err); is {
		r.skipped = string(why)
	} else if err != nil {
		broken("arrange it: " + err.Error())
	}
	if err := p.sendHome(); err != nil {
		broken(err.Error())
	}
	if s != nil {
		// the directory's name varies
		r.said = strings.NewReplacer(p.dir+"/", "", p.dir, ".").Replace(complaint(s.command.Err.String()))
		broken(f.clear(s)...)
		broken(f.lost(s)...)
		broken(f.unmarked(s)...)
		if f.Check != nil {
			broken(f.Check(s)...)
		}
		for _, server := range p.servers {
			broken(eventually(func() []string { return server.ours(f.Stays) })...)
		}
	}
	if err := p.close(); err != nil {
		broken(err.Error())
	}
	if s != nil {
		broken(s.left()...)
	}
	return r
}

// happen starts the command, strikes it and waits for its end.
func (f Fault) happen(p *place) (*scene, error) {
	args, err := f.Prepare(p)
	if err != nil {
		return nil, err
	}
	s, err := p.start(args, f.within())
	if err != nil {
		return nil, err
	}
	if f.Strike != nil {
		if err = s.await(f.When); err == nil {
			s.kept, _ = os.ReadFile(p.path(record))
			err = f.Strike(s)
		}
	}
	s.wait()
	if err != nil && s.command.Err.String() != "" {
		err = errors.Join(err, errors.New(strings.TrimSpace(s.command.Err.String())))
	}
	return s, err
}

func (f Fault) within() time.Duration {
	if f.Within == 0 {
		return time.Minute
	}
	return f.Within
}
