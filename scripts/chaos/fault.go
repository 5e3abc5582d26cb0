//go:build linux

package main

import (
	"errors"
	"os"
	"slices"
	"strings"
	"time"
)

// Fault is something that goes wrong, over one command.
type Fault struct {
	// process, disk, server, network, lies, scrapers, cloud, other sessions, files, settings, inputs, ids, limits
	Class string
	Name  string
	// Prepare makes what the command meets, in a directory of its own, and gives the command.
	Prepare func(*place) ([]string, error)
	// Strike is done to the command When it has come so far; nil: what it meets is all.
	When   moment
	Strike strike

	Status int                   // -1: it dies by a signal
	Says   string                // a part of the one line on standard error; empty: there is no complaint
	Never  string                // must not be printed anywhere
	Marks  string                // a part of what every report of what was measured says of it
	Check  func(*scene) []string // what else must be so in the end, as what is not; nil: nothing
	Stays  bool                  // the schema may stay on the server: nobody was left to drop it
	// Within bounds how long it may take; a minute where it is not set.
	Within   time.Duration
	MemoryMB int64 // that it may take at most; 300 where it is not set
}

func faults() []Fault {
	return slices.Concat(processes(), disks(), servers(), networks(), lies(), scrapers(), clouds(), otherSessions(),
		otherFiles(), settings(), inputs(), secrets(), ids(), limits())
}

// in gives rows their class.
func in(class string, all ...Fault) []Fault {
	for i := range all {
		all[i].Class = class
	}
	return all
}

// skipped is why a fault cannot be tried here.
type skipped string

func (s skipped) Error() string { return string(s) }

// asRoot skips what an ordinary user cannot arrange.
func asRoot() error {
	if os.Geteuid() != 0 {
		return skipped("only root can arrange it")
	}
	return nil
}

// try lets it happen, and says which promises were broken.
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
		// the directory is another each time
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
