//go:build linux

package main

import (
	"context"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/realiops/realiops/internal/test/servertest"
)

// walked returns the commands that connect to a server, under every setting that a database's owner may set for all
// its users, and under superusers' settings that break no server. A row sets as many settings as possible together,
// each with another value: every value of an enumeration, and both bounds of a number.
func walked() (all []Fault) {
	commands := map[string]prepare{
		"run": runs(), "doctor": plain("doctor"), "observe": observing("3s"),
	}
	for _, scope := range []struct {
		of   string
		rows int // numbers have at most three values
	}{{"database", walkRows}, {"role", 3}} {
		for row := range scope.rows {
			for name, command := range commands {
				all = append(all, Fault{
					Name:    fmt.Sprintf("`%s` with the values %d of all settings, set for the %s", name, row+1, scope.of),
					Within:  3 * time.Minute,
					Prepare: set(scope.of, row, command, hostile),
				})
			}
		}
	}
	for name, command := range commands {
		all = append(all, Fault{
			Name:    "`" + name + "` with settings of superusers, set for the database",
			Prepare: set("database", 0, command, superusers), Within: 3 * time.Minute,
		})
	}
	// Statements of a load, and measured statements, are the user's, and obey the user's
	// settings; our own queries do not.
	for row := range walkRows {
		for name, command := range map[string]prepare{"load": loads("2"), "measure": measures()} {
			all = append(all, Fault{
				Name: fmt.Sprintf("`%s` with the values %d of the settings that leave a statement alone, set for "+
					"the database", name, row+1),
				Within: 3 * time.Minute, Prepare: set("database", row, command, harmless),
			})
		}
	}
	return all
}

// walkRows is the number of values tried, besides its own, for the setting with the most of them.
const walkRows = 8

// hostile returns the settings that need no privilege, and the role of a user who would receive others' objects.
func hostile(conn *pgx.Conn) ([]servertest.Setting, error) {
	all, err := servertest.Hostile(context.Background(), conn)
	return append(all, servertest.Setting{Name: "role", Values: []string{"mallory"}}), err
}

// harmless leaves out settings that end or change statements or end sessions, as they would psql's.
func harmless(conn *pgx.Conn) (all []servertest.Setting, err error) {
	hostile, err := servertest.Hostile(context.Background(), conn)
	for _, s := range hostile {
		if !strings.HasSuffix(s.Name, "_timeout") &&
			!strings.Contains(" search_path local_preload_libraries restrict_nonsystem_relation_kind exit_on_error "+
				"application_name ", " "+s.Name+" ") {
			all = append(all, s)
		}
	}
	return all, err
}

// superusers' settings that change what statements do and break no server.
func superusers(conn *pgx.Conn) ([]servertest.Setting, error) {
	var all []servertest.Setting
	for _, s := range [][2]string{
		{"session_replication_role", "replica"}, {"lo_compat_privileges", "on"}, {"log_statement", "all"},
		{"log_duration", "on"}, {"lc_messages", "C"},
		{"allow_system_table_mods", "on"}, {"track_functions", "all"}, {"track_io_timing", "on"},
		{"log_min_messages", "debug1"}, {"deadlock_timeout", "1"},
		{"session_preload_libraries", "auto_explain"}, {"event_triggers", "off"}, {"debug_discard_caches", "0"},
		{"compute_query_id", "on"},
	} {
		var known bool
		if err := conn.QueryRow(context.Background(), "select exists (select from pg_settings where name = $1)",
			s[0]).Scan(&known); err != nil {
			return nil, err
		}
		if known {
			all = append(all, servertest.Setting{Name: s[0], Values: []string{s[1]}})
		}
	}
	return all, nil
}

// set prepares a command on a database in which each setting has its value of the row; settings
// with fewer values start again.
func set(scope string, row int, command prepare, which func(*pgx.Conn) ([]servertest.Setting, error)) prepare {
	return func(p *place) ([]string, error) {
		s, err := p.server()
		if err != nil {
			return nil, err
		}
		if err := s.sql("create role mallory", "create database walked owner mallory"); err != nil {
			return nil, err
		}
		err = s.ask(func(conn *pgx.Conn) error {
			all, err := which(conn)
			for _, one := range all {
				to := "database walked"
				if scope == "role" {
					to = "role postgres in database walked"
				}
				sql := fmt.Sprintf("alter %s set %s = '%s'", to, one.Name, one.Values[row%len(one.Values)])
				if _, err := conn.Exec(context.Background(), sql); err != nil {
					return fmt.Errorf("%s: %w", sql, err)
				}
			}
			return err
		})
		if err != nil {
			return nil, err
		}
		args, err := command(p)
		return append(args, "--dsn", s.at(func(u *url.URL) { u.Path = "/walked" })), err
	}
}
