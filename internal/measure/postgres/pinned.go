package postgres

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

type setting struct{ name, value string }

// safePath is the search_path of every session that runs our own statements. With another path, a user who
// may create objects in its schemas, or set the database's path, could make us run their functions,
// operators and types (CVE-2018-1058).
const safePath = "pg_catalog, pg_temp"

// meaning holds the settings that decide what our statements do, with whose privileges, and which
// functions they call. A database's owner may set each of them for all connections. The path comes first,
// because it affects the others.
var meaning = []setting{
	{"search_path", safePath},
	{"role", "none"},
	{"row_security", "off"}, // a policy causes an error instead of hiding rows
	{"default_table_access_method", "heap"},
	{"transform_null_equals", "off"},
	{"array_nulls", "on"},
	{"quote_all_identifiers", "off"},
	{"bytea_output", "hex"},
	{"IntervalStyle", "postgres"},
	{"TimeZone", "UTC"},
	{"extra_float_digits", "1"},
	{"exit_on_error", "off"},
	{"client_min_messages", "warning"},
	{"idle_in_transaction_session_timeout", "0"},
}

// later holds settings of the same kind that older versions lack.
var later = []setting{
	{"restrict_nonsystem_relation_kind", ""}, // since minor versions of August 2024
	{"transaction_timeout", "0"},             // 17
	{"stats_fetch_consistency", "cache"},     // 15
	{"idle_session_timeout", "0"},            // 14
}

// steady holds settings that do not affect our statements, but a hostile value could prevent or end a session,
// or make a statement take for ever. Settings that are measured, such as synchronous_commit, are in none of
// these lists and stay as they are.
var steady = []setting{
	{"client_encoding", "UTF8"},
	{"standard_conforming_strings", "on"},
	{"DateStyle", "ISO"},
	{"lock_timeout", lockTimeout},
	{"statement_timeout", "0"},
	{"default_transaction_isolation", "read committed"},
	{"default_transaction_deferrable", "off"},
	{"local_preload_libraries", ""},
	{"tcp_user_timeout", "0"}, {"tcp_keepalives_idle", "0"}, {"tcp_keepalives_interval", "0"},
	{"tcp_keepalives_count", "0"},
	{"debug_print_parse", "off"}, {"debug_print_rewritten", "off"}, {"debug_print_plan", "off"},
	{"vacuum_cost_delay", "0"},
	{"geqo", "off"}, {"jit", "off"}, {"max_parallel_workers_per_gather", "0"}, {"plan_cache_mode", "auto"},
	{"seq_page_cost", "1"}, {"random_page_cost", "4"}, {"effective_cache_size", "4GB"},
	{"cpu_tuple_cost", "0.01"}, {"cpu_index_tuple_cost", "0.005"}, {"cpu_operator_cost", "0.0025"},
	{"enable_bitmapscan", "on"}, {"enable_hashagg", "on"}, {"enable_hashjoin", "on"}, {"enable_indexonlyscan", "on"},
	{"enable_indexscan", "on"}, {"enable_material", "on"}, {"enable_mergejoin", "on"}, {"enable_nestloop", "on"},
	{"enable_seqscan", "on"}, {"enable_sort", "on"}, {"enable_tidscan", "on"},
}

// lockTimeout bounds how long one of our statements waits for a lock.
const lockTimeout = "5s"

// pooledSettings lists the settings that every pooler accepts at the start of a session and keeps to that session.
var pooledSettings = []string{"client_encoding", "standard_conforming_strings", "DateStyle"}

// Pinned reports whether our sessions set the setting themselves, whatever the database or role has.
func Pinned(name string) bool {
	same := func(s setting) bool { return strings.EqualFold(s.name, name) }
	return slices.ContainsFunc(meaning, same) || slices.ContainsFunc(later, same) || slices.ContainsFunc(steady, same)
}

// SafeTransaction makes the rest of its transaction safe for our queries. Behind a pooler only a transaction can: a
// session's setting would stay with the server's session and reach its next client. It calls only functions of
// pg_catalog, and uses no operator.
var SafeTransaction = safeTransaction()

func safeTransaction() string {
	var calls []string
	for _, s := range meaning {
		calls = append(calls, fmt.Sprintf("pg_catalog.set_config('%s', '%s', true)", s.name, s.value))
	}
	for _, s := range later {
		calls = append(calls, fmt.Sprintf("case when pg_catalog.current_setting('%[1]s', true) is not null "+
			"then pg_catalog.set_config('%[1]s', '%[2]s', true) end", s.name, s.value))
	}
	return "/* realiops */ select " + strings.Join(calls, ", ")
}

// pins records which of our settings the endpoint's server accepts.
type pins struct {
	mu      sync.Mutex
	asked   bool      // the server was asked for the later settings
	known   []setting // the later settings that it knows
	refused []string  // settings that it rejects at the start of a session
}

// put sets our settings in a session's parameters. It removes other spellings of their names, since names are
// case-insensitive and either value could win.
func (p *pins) put(parameters map[string]string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, s := range slices.Concat(meaning, steady, p.known) {
		maps.DeleteFunc(parameters, func(name, _ string) bool { return strings.EqualFold(name, s.name) })
		if !slices.Contains(p.refused, s.name) {
			parameters[s.name] = s.value
		}
	}
}

var quoted = regexp.MustCompile(`"([A-Za-z_]+)"`)

// refuse records a setting that a server, such as a managed one, rejects. It reports whether it learned something.
func (p *pins) refuse(err error) bool {
	refused, ok := errors.AsType[*pgconn.PgError](err)
	if !ok || !slices.Contains([]string{"42501", "42704", "0A000", "22023", "55P02"}, refused.Code) {
		return false
	}
	found := quoted.FindStringSubmatch(refused.Message)
	p.mu.Lock()
	defer p.mu.Unlock()
	if found == nil || !Pinned(found[1]) || slices.Contains(p.refused, found[1]) {
		return false
	}
	p.refused = append(p.refused, found[1])
	return true
}

// endedBy records which later setting ended the first session, which proves that the server knows it. It
// reports whether it learned something.
func (p *pins) endedBy(err error) bool {
	ended, ok := errors.AsType[*pgconn.PgError](err)
	names := map[string]string{"57P05": "idle_session_timeout", "25P04": "transaction_timeout"}
	if !ok || names[ended.Code] == "" {
		return false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	s := setting{names[ended.Code], "0"}
	if slices.Contains(p.known, s) {
		return false
	}
	p.known = append(p.known, s)
	return true
}

// learn asks the first session which later settings the server knows; other sessions set them at their start. It
// reports whether to reopen the first because it has other values. Behind a pooler only transactions set them.
func (p *pins) learn(ctx context.Context, conn *pgx.Conn) (again bool, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.asked {
		return false, nil
	}
	var backend int
	there := make([]*string, len(later))
	targets := []any{&backend}
	asks := []string{"pg_catalog.pg_backend_pid()"}
	for i, s := range later {
		asks = append(asks, fmt.Sprintf("pg_catalog.current_setting('%s', true)", s.name))
		targets = append(targets, &there[i])
	}
	// Read the session's own value: a transaction of [QueryRow] would show ours.
	if err := conn.QueryRow(ctx, "/* realiops */ select "+strings.Join(asks, ", ")).Scan(targets...); err != nil {
		return false, err
	}
	p.asked, p.known = true, nil
	for i, s := range later {
		if there[i] != nil && backend == int(conn.PgConn().PID()) {
			p.known = append(p.known, s)
			again = again || *there[i] != s.value
		}
	}
	return again, nil
}

// verify returns an error if a setting that the server rejects has another value than ours.
func (p *pins) verify(ctx context.Context, conn *pgx.Conn) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, s := range meaning {
		if !slices.Contains(p.refused, s.name) || s.name == "role" { // [Inspect] checks the role
			continue
		}
		var value string
		// Read the value of a client's session: a transaction of [QueryRow] would show ours.
		if err := conn.QueryRow(ctx, "/* realiops */ select pg_catalog.current_setting($1)",
			s.name).Scan(&value); err != nil {
			return err
		}
		if value != s.value {
			return fmt.Errorf("the server does not let realiops set %[1]s to %[3]q instead of %[2]q, so others could "+
				"control its statements; run alter role ... set %[1]s = '%[3]s'", s.name, value, s.value)
		}
	}
	return nil
}
