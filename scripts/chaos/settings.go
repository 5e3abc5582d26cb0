//go:build linux

package main

import (
	"os"
	"time"
)

// settings are settings of servers, databases and roles.
func settings() (all []Fault) {
	run := func(name, setting string) Fault {
		return Fault{Name: "`run` with " + name,
			Prepare: meets{sql: []string{"alter role postgres set " + setting}}.by(runs())}
	}
	midway := func(name, setting, marks string) Fault {
		return Fault{Name: "`run`, in the middle of which " + name, Prepare: theirs(runs()), When: underLoad,
			Marks: marks, Strike: sql("alter system set "+setting, "select pg_reload_conf()"), Within: 3 * time.Minute}
	}
	all = []Fault{
		run("dates in German", "datestyle = 'German, DMY'"),
		run("intervals of the standard", "intervalstyle = 'sql_standard'"),
		run("the time of Kathmandu", "timezone = 'Asia/Kathmandu'"),
		run("another search_path", "search_path = 'nowhere'"),
		run("no search_path", "search_path = ''"),
		run("LATIN1 for clients", "client_encoding = 'LATIN1'"),
		run("standard_conforming_strings off", "standard_conforming_strings = off"),
		run("bytea in escapes", "bytea_output = 'escape'"),
		run("all identifiers quoted", "quote_all_identifiers = on"),
		run("serializable transactions", "default_transaction_isolation = 'serializable'"),
		run("no work memory to speak of", "work_mem = '64kB'"),
		run("a statement_timeout of 100 ms", "statement_timeout = '100ms'"),
		run("an idle_in_transaction_session_timeout of 50 ms", "idle_in_transaction_session_timeout = '50ms'"),
		run("a lock_timeout of 1 ms", "lock_timeout = '1ms'"),
		run("track_activities off", "track_activities = off"),
		run("row security", "row_security = off"),
		run("every statement compiled", "jit_above_cost = 0"),
		midway("fsync is switched off", "fsync = off", "fsync"),
		midway("full_page_writes is switched off", "full_page_writes = off", "full_page_writes"),
		midway("synchronous_commit is switched off", "synchronous_commit = off", "synchronous_commit"),
		midway("wal_compression is switched on", "wal_compression = on", "wal_compression"),
		midway("statements time out after 100 ms", "statement_timeout = '100ms'", ""),
		midway("track_counts is switched off", "track_counts = off", "track_counts"),
	}
	for _, name := range []string{"observe", "load", "doctor"} {
		command := map[string]prepare{"observe": observes(), "load": loads("2"), "doctor": plain("doctor")}[name]
		all = append(all,
			Fault{Name: "`" + name + "` with dates in German",
				Prepare: meets{sql: []string{"alter role postgres set datestyle = 'German'"}}.by(command)},
			Fault{Name: "`" + name + "` with another search_path",
				Prepare: meets{sql: []string{"alter database postgres set search_path = nowhere, public"}}.by(command)},
			Fault{Name: "`" + name + "` with LATIN1 for clients",
				Prepare: meets{sql: []string{"alter role postgres set client_encoding = 'LATIN1'"}}.by(command)},
		)
	}
	spaced := func(p *place) error {
		p.env = []string{"TMPDIR=" + p.path("temporary files")}
		return os.Mkdir(p.path("temporary files"), 0o777) //nolint:gosec // its server is not root's
	}
	return in("settings", append(append(append(all, walked()...), measured("settings")...),
		Fault{Name: "`run` of its own server, with a space in TMPDIR", Prepare: first(spaced, runs())},
		Fault{Name: "`run` on a server with fsync off", Prepare: meets{settings: []string{"fsync=off"}}.by(runs()),
			Marks: "fsync is off"},
		Fault{Name: "`run` on a server with full_page_writes off",
			Prepare: meets{settings: []string{"full_page_writes=off"}}.by(runs()), Marks: "full_page_writes is off"},
		Fault{Name: "`run` on a server with synchronous_commit off",
			Prepare: meets{settings: []string{"synchronous_commit=off"}}.by(runs()),
			Marks:   "synchronous_commit is off"},
		Fault{Name: "`run` on a server with track_counts off",
			Prepare: meets{settings: []string{"track_counts=off"}}.by(runs()), Marks: "track_counts"},
		Fault{Name: "`observe`, in the middle of which fsync is switched off", Prepare: theirs(observing("10s")),
			When: reading, Marks: "fsync", Strike: sql("alter system set fsync = off", "select pg_reload_conf()")},
	)...)
}
