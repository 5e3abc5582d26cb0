//go:build linux

package main

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/realiops/realiops/internal/test/process"
)

// servers go away, come back, hang, refuse and change during a measurement.
func servers() []Fault {
	return in("server", slices.Concat(gone(), hangs(), refusing(), changing(), measured("server"))...)
}

func again(by syscall.Signal) strike {
	return toServer(func(s *server) error { return s.restart(by) })
}

func gone() (all []Fault) {
	ways := []struct {
		name string
		do   strike
	}{
		{"is restarted", again(syscall.SIGINT)},
		{"is stopped at once and started", again(syscall.SIGQUIT)},
		{"crashes and recovers", sql("create temp table x (a int)").and(toServer(crash))},
		{"is killed", toServer(func(s *server) error { return s.end(syscall.SIGKILL) })},
	}
	for _, way := range ways {
		all = append(all,
			Fault{Name: "`run`, whose server " + way.name, Prepare: theirs(longRun()), When: underLoad, Strike: way.do,
				Status: 2, Says: "realiops:"},
			Fault{Name: "`load`, whose server " + way.name, Prepare: theirs(loads("10")),
				When: moment{text: "progress:"}, Strike: way.do, Status: 2, Says: "realiops:"},
		)
		if way.name != "is killed" {
			all = append(all, Fault{Name: "`observe`, whose server " + way.name, Prepare: theirs(observing("15s")),
				When: reading, Strike: way.do, Within: 2 * time.Minute})
		}
	}
	return append(all,
		Fault{Name: "`observe`, whose server is killed and stays away", Prepare: theirs(observing("15s")),
			When: reading, Strike: ways[3].do, Within: 2 * time.Minute, Marks: "connection refused"},
		Fault{Name: "`run` through a relay, whose server fails over to another", Prepare: relayed(longRun()),
			When: underLoad, Strike: failover, Status: 2, Says: "realiops:"},
		Fault{Name: "`observe` through a relay, whose server fails over to another", Prepare: relayed(observing("15s")),
			When: reading, Strike: failover, Within: 2 * time.Minute},
		Fault{Name: "`load` through a relay, whose server fails over to another", Prepare: relayed(loads("40")),
			When: moment{text: "progress:"}, Strike: failover, Status: 2, Says: "realiops:"},
	)
}

// crash kills a session of the server, which then restarts.
func crash(s *server) error {
	for _, child := range process.Children(s.pid()) {
		title, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", child))
		if text := string(title); len(text) > 0 && strings.Contains(text, " 127.0.0.1(") {
			return syscall.Kill(child, syscall.SIGKILL)
		}
	}
	return errors.New("the server has no session")
}

// failover leads to a second server, as after a promotion, and stops the first.
func failover(s *scene) error {
	other, err := s.server()
	if err != nil {
		return err
	}
	s.relay.lead(other.address())
	return s.servers[0].end(syscall.SIGQUIT)
}

// hangs are servers that stop.
func hangs() []Fault {
	stop := toServer(func(s *server) error { return s.everyProcess(syscall.SIGSTOP) })
	wake := toServer(func(s *server) error { return s.everyProcess(syscall.SIGCONT) })
	still := stop.and(pause(6*time.Second), wake)
	interrupt := signal(syscall.SIGINT, group)
	return []Fault{
		{Name: "`run`, whose server hangs for 6 s", Prepare: theirs(runs()), When: underLoad, Strike: still,
			Within: 2 * time.Minute},
		{Name: "`observe`, whose server hangs for 6 s", Prepare: theirs(observing("15s")), When: reading, Strike: still,
			Within: 2 * time.Minute},
		{Name: "`load`, whose server hangs for 6 s", Prepare: theirs(loads("10")), When: moment{text: "progress:"},
			Strike: still},
		{
			Name: "`run`, whose server hangs, and Ctrl-C", Prepare: theirs(longRun()), When: underLoad, Status: 2,
			Within: 2 * time.Minute, Says: "Interrupt again to end at once: the schema realiops may stay",
			Strike: stop.and(pause(time.Second), interrupt, pause(4*time.Second), wake),
		},
		{
			Name: "`run`, whose server hangs, and Ctrl-C twice", Prepare: theirs(longRun()), When: underLoad,
			Status: -1, Stays: true, Says: "ended at once: the schema realiops may stay",
			Strike: stop.and(interrupt, pause(500*time.Millisecond), signal(syscall.SIGTERM, group),
				pauseAnyway(time.Second), wake),
		},
	}
}

// refusing are servers that must not be measured.
func refusing() (all []Fault) {
	role := "create role joe login password '" + rolesPassword + "'"
	for name, command := range map[string]prepare{"run": runs(), "doctor": plain("doctor"), "observe": observes(),
		"load": loads("2"), "measure": measures()} {
		add := func(fault string, m meets, status int, says string) {
			all = append(all, Fault{Name: fmt.Sprintf("`%s` on a server %s", name, fault), Prepare: m.by(command),
				Status: status, Says: says})
		}
		add("without a free connection",
			meets{settings: []string{"max_connections=4", "superuser_reserved_connections=3", "max_wal_senders=0"},
				role: "joe",
				sql:  []string{role, "alter role joe connection limit 0"}}, 1, "too many connections")
		add("whose database is gone", meets{query: "dbname=gone"}, 1, `database "gone" does not exist`)
		add("that does not know the role", meets{role: "nobody"}, 1, "password authentication failed")
		add("where the role may not connect", meets{role: "joe",
			sql: []string{role, "revoke connect on database postgres from public"}}, 1, "permission denied for database")
	}
	return append(all,
		Fault{Name: "`run` where the role may not create a schema", Prepare: meets{
			role: "joe", sql: []string{role}}.by(runs()), Status: 1, Says: "permission denied for database"},
		Fault{Name: "`run` where the session is read-only", Prepare: meets{
			sql: []string{"alter system set default_transaction_read_only = on", "select pg_reload_conf()"}}.by(runs()),
			Status: 1, Says: "read-only"},
		Fault{Name: "`run` where somebody has a schema of that name",
			Prepare: meets{sql: []string{"create schema realiops"}}.by(runs()), Status: 1, Says: "realiops",
			Stays: true},
		Fault{Name: "`run` with sslmode=require on a server without TLS",
			Prepare: meets{query: "sslmode=require"}.by(runs()), Status: 1, Says: "the server does not support TLS"},
	)
}

// changing are servers that are another thing in the end than at the beginning.
func changing() []Fault {
	return []Fault{
		{Name: "`run`, whose sessions are ended", Prepare: theirs(longRun()), When: underLoad, Status: 2,
			Says: "realiops:",
			Strike: sql("select pg_terminate_backend(pid) from pg_stat_activity where application_name " +
				"like 'realiops%'")},
		{Name: "`run`, the session of whose probes is ended", Prepare: theirs(runs()), When: underLoad,
			Strike: sql("select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'realiops' " +
				"and state = 'idle' and query like '%pg_current_wal_flush_lsn%'")},
		{Name: "`run`, the session of which that looks for others is ended", Prepare: theirs(runs()), When: underLoad,
			Strike: pause(time.Second).and(sql("select pg_terminate_backend(pid) from pg_stat_activity where " +
				"application_name = 'realiops' and query like '%pg_locks%' and pid <> pg_backend_pid()"))},
		{Name: "`run`, a statement of whose load is cancelled", Prepare: theirs(runs()), When: underLoad, Status: 2,
			Says: "canceling statement due to user request",
			Strike: sql("do $$ begin for i in 1..50 loop perform pg_cancel_backend(pid) from pg_stat_activity where " +
				"application_name = 'realiops load'; perform pg_sleep(0.01); end loop; end $$")}, // a commit ignores it
		{Name: "`run`, whose table is locked by another for 8 s", Prepare: theirs(runs()), When: underLoad,
			Strike: lockTables(8 * time.Second)},
		{Name: "`run`, whose schema is dropped", Prepare: theirs(longRun()), When: underLoad,
			Strike: insisting(sql("drop schema realiops cascade")), Status: 2, Says: "does not exist"},
		{Name: "`run`, whose server takes no writes any more", Prepare: theirs(longRun()), When: underLoad, Status: 2,
			Says: "read-only", Stays: true,
			Strike: sql("alter system set default_transaction_read_only = on", "select pg_reload_conf()")},
		{Name: "`run`, whose statistics are reset", Prepare: theirs(runs()), When: underLoad, Marks: "reset",
			Strike: sql("select pg_stat_reset()", "select pg_stat_reset_shared('bgwriter')")},
		{Name: "`observe`, whose statistics are reset", Prepare: meets{
			sql: []string{"create table theirs (a int)"}}.by(observing("20s")), When: reading, Marks: "reset",
			Strike: besides(10*time.Millisecond, "insert into theirs select generate_series(1, 100)").and(
				pause(5*time.Second), sql("select pg_stat_reset()", "select pg_stat_reset_shared('bgwriter')"))},
		{Name: "`run`, whose role loses its rights", Prepare: meets{role: "joe", sql: []string{
			"create role joe login password '" + rolesPassword + "' in role pg_monitor",
			"grant create on database postgres to joe",
		}}.by(longRun()), When: underLoad, Strike: sql("alter schema realiops owner to postgres"), Status: 2,
			Says: "permission denied", Stays: true},
		{Name: "`run`, whose database is dropped", Prepare: meets{sql: []string{"create database d"},
			query: "dbname=d"}.by(longRun()), When: underLoad,
			Strike: sql("drop database d with (force)"), Status: 2, Says: "realiops:"},
		{Name: "`observe`, whose database is dropped", Prepare: meets{sql: []string{"create database d"},
			query: "dbname=d"}.by(observing("20s")), When: reading,
			Strike: sql("drop database d with (force)"), Marks: "does not exist", Within: 2 * time.Minute},
	}
}
