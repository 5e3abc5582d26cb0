//go:build linux

package main

import (
	"net/url"
	"os"
	"path/filepath"
	"strings"
)

// prepare prepares the surroundings of a command, and returns the command.
type prepare = func(*place) ([]string, error)

func plain(args ...string) prepare {
	return func(*place) ([]string, error) { return args, nil }
}

// file prepares a command on a file with some text; % stands for its name.
func file(text string, args ...string) prepare {
	return func(p *place) ([]string, error) {
		err := os.WriteFile(p.path("file"), []byte(text), 0o600)
		return with(args, p.path("file")), err
	}
}

// on prepares a command on a shipped run; % stands for its name.
func on(run string, args ...string) prepare {
	return func(p *place) ([]string, error) { return with(args, filepath.Join(p.runs, run)), nil }
}

func with(args []string, name string) []string {
	all := append([]string{}, args...)
	for i := range all {
		all[i] = strings.ReplaceAll(all[i], "%", name)
	}
	return all
}

// first runs a preparation before another.
func first(do func(*place) error, then prepare) prepare {
	return func(p *place) ([]string, error) {
		if err := do(p); err != nil {
			return nil, err
		}
		return then(p)
	}
}

// within runs the command under a limit of a shell's ulimit.
func within(ulimit string, then prepare) prepare {
	return first(func(p *place) error { p.ulimit = ulimit; return nil }, then)
}

// printingTo redirects the command's output to a file, such as an always full one.
func printingTo(name string, then prepare) prepare {
	return first(func(p *place) (err error) {
		p.stdout, err = os.OpenFile(name, os.O_WRONLY, 0)
		if err == nil {
			p.atEnd(p.stdout.Close)
		}
		return err
	}, then)
}

// The plans of runs: a short one, a longer one, and one that lasts until it is stopped.
const (
	shortPlan  = `{"loads":[{"name":"idle"},{"name":"bulk","method":"copy","rows_per_tx":100,"clients":2}],"repetitions":1,"load_seconds":3}`
	tenSeconds = `{"loads":[{"name":"bulk","method":"copy","rows_per_tx":100,"clients":2}],"repetitions":1,"load_seconds":10}`
	longPlan   = `{"loads":[{"name":"bulk","method":"copy","rows_per_tx":100,"clients":2},{"name":"single","method":"insert","rows_per_tx":1,"clients":2}],"repetitions":1,"load_seconds":30}`
)

func planned(plan string, more ...string) prepare {
	return func(p *place) ([]string, error) {
		args := append([]string{"run", "--plan", p.path("plan.json"), "-o", record, "--progress", "none"}, more...)
		return args, os.WriteFile(p.path("plan.json"), []byte(plan), 0o600)
	}
}

// Commands that measure, on the server of [theirs] or [meets]. The first runs a server of its own.
func runs(more ...string) prepare     { return planned(shortPlan, more...) }
func longRun(more ...string) prepare  { return planned(longPlan, more...) }
func observes(more ...string) prepare { return observing("6s", more...) }

func observing(duration string, more ...string) prepare {
	return plain(append([]string{"observe", "--for", duration, "-o", record, "--progress", "none"}, more...)...)
}

// loads returns a load of a script that needs no tables.
func loads(seconds string, more ...string) prepare {
	script := "create table if not exists t_:client_id (a int);\ninsert into t_:client_id values (1);\n"
	args := []string{"load", "-n", "-c", "2", "-T", seconds, "-P", "1", "-f", "%"}
	return file(script, append(args, more...)...)
}

// meets is a server that is prepared for a command.
type meets struct {
	settings []string // of the server
	sql      []string // executed beforehand
	role     string   // the user that connects; empty: the superuser
	query    string   // parameters of the connection
	relayed  bool
	encrypts bool // TLS, spoken by a relay
}

// by returns a command on the server.
func (m meets) by(command prepare) prepare {
	return func(p *place) ([]string, error) {
		s, err := p.server(m.settings...)
		if err != nil {
			return nil, err
		}
		if err := s.sql(m.sql...); err != nil {
			return nil, err
		}
		dsn, err := m.dsn(p, s)
		if err != nil {
			return nil, err
		}
		args, err := command(p)
		return append(args, "--dsn", dsn), err
	}
}

func (m meets) dsn(p *place, s *server) (dsn string, err error) {
	host := s.address()
	if m.encrypts {
		if p.front, err = newEncrypting(host); err != nil {
			return "", err
		}
		p.atEnd(p.front.close)
		host = p.front.address()
	}
	if m.relayed {
		if p.relay, err = newRelay(host); err != nil {
			return "", err
		}
		p.atEnd(p.relay.close)
		host = p.relay.address()
	}
	return s.at(func(u *url.URL) {
		u.Host = host
		if m.encrypts {
			u.RawQuery = "sslmode=require"
		}
		if m.role != "" {
			u.User = url.UserPassword(m.role, rolesPassword)
		}
		if m.query != "" {
			u.RawQuery += "&" + m.query
		}
	}), nil
}

// rolesPassword is the password of roles that faults make.
const rolesPassword = "chaos"

// theirs returns an ordinary server.
func theirs(command prepare) prepare { return meets{}.by(command) }

// relayed returns a server behind a relay.
func relayed(command prepare) prepare { return meets{relayed: true}.by(command) }
