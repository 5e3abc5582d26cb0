//go:build linux

package main

import (
	"context"
	"net/url"
	"time"

	"github.com/jackc/pgx/v5"
)

// otherSessions work on the measured server.
func otherSessions() []Fault {
	table := "create table theirs (a int)"
	few, many := "insert into theirs values (1)", "insert into theirs select generate_series(1, 5000)"
	const marked = "Other sessions worked on the server"
	role := []string{table, "create role joe login password '" + rolesPassword + "'",
		"grant create on database postgres to joe"}
	const busy = 5 * time.Millisecond
	return in("other sessions", append([]Fault{
		{Name: "`run`, while somebody writes", Prepare: meets{sql: []string{table}}.by(runs()), When: underLoad,
			Strike: besides(busy, many), Marks: "other sessions made", Within: 3 * time.Minute},
		{Name: "`run`, while somebody commits", Prepare: meets{sql: []string{table}}.by(runs()), When: underLoad,
			Strike: besides(0, few), Marks: "other sessions made", Within: 3 * time.Minute},
		{Name: "`run --shared`, while somebody writes", Prepare: meets{sql: []string{table}}.by(runs("--shared")),
			When: underLoad, Strike: besides(busy, many), Marks: marked},
		{Name: "`run` by a role that does not see others, while somebody writes", Prepare: meets{sql: role,
			role: "joe"}.by(runs()), When: underLoad, Strike: besides(busy, many), Marks: "other sessions made",
			Within: 3 * time.Minute},
		{Name: "`run`, beside somebody who is in a transaction", Prepare: meets{
			sql: []string{table}}.by(first(inTransaction(few), runs())), Status: 1, Says: "at work on the server"},
		{Name: "`run`, while somebody writes in a transaction that does not end",
			Prepare: meets{sql: []string{"create database d"}}.by(planned(tenSeconds)), When: underLoad,
			Strike: elsewhere("with written as (" + few + " returning 1) select pg_sleep(60) from written"),
			Marks:  "whose writes no counter shows", Within: 3 * time.Minute},
		{Name: "`run`, while somebody is idle",
			Prepare: meets{sql: []string{table}}.by(first(inTransaction("commit"), runs()))},
		{Name: "`run`, while somebody vacuums", Prepare: meets{sql: []string{table, many}}.by(runs()), When: underLoad,
			Strike: besides(200*time.Millisecond, "vacuum theirs")},
		{Name: "`run`, while somebody writes in another database", Prepare: meets{
			sql: []string{"create database d"}}.by(runs()), When: underLoad, Strike: elsewhere(many),
			Marks: "other sessions made", Within: 3 * time.Minute},
		{Name: "`run` beside another run", Prepare: theirs(first(anotherRun, runs("--shared"))), Status: 1,
			Says: "another"},
		{Name: "`observe` beside a run", Prepare: theirs(first(anotherRun, observes()))},
		{Name: "`observe` beside `observe`", Prepare: theirs(first(anotherObservation, observes()))},
	}, measured("other sessions")...)...)
}

// inTransaction starts a session that executes a statement and then idles.
func inTransaction(statement string) func(*place) error {
	return func(p *place) error {
		conn, err := pgx.Connect(context.Background(), p.servers[0].URL())
		if err != nil {
			return err
		}
		p.atEnd(func() error { return conn.Close(context.Background()) })
		for _, text := range []string{"begin", statement} {
			if _, err := conn.Exec(context.Background(), text); err != nil {
				return err
			}
		}
		return nil
	}
}

// elsewhere works in the database d until the command ends.
func elsewhere(statement string) strike {
	return func(s *scene) error {
		s.others.Go(func() {
			_ = session(s.servers[0].at(func(u *url.URL) { u.Path = "/d" }), func(conn *pgx.Conn) error {
				_, err := conn.Exec(context.Background(), "create table theirs (a int)")
				for err == nil && s.ctx.Err() == nil {
					_, err = conn.Exec(context.Background(), statement)
				}
				return err
			})
		})
		return nil
	}
}

// anotherRun starts a run that lasts until the fault is over.
func anotherRun(p *place) error {
	return p.meanwhile(longRun("--shared"), `"kind":"work"`)
}

func anotherObservation(p *place) error {
	return p.meanwhile(observing("1m"), `"kind":"read"`)
}

// meanwhile runs another command on the server until the command has ended.
func (p *place) meanwhile(command prepare, until string) error {
	other := &place{dir: p.path("other"), program: p.program, runs: p.runs}
	if err := other.make(); err != nil {
		return err
	}
	args, err := command(other)
	if err != nil {
		return err
	}
	s, err := other.start(append(args, "--dsn", p.servers[0].URL()), 2*patience)
	if err != nil {
		return err
	}
	p.company = append(p.company, s)
	return s.await(moment{text: until})
}
