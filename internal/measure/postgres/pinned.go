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

// safePath is the search_path of every session that runs our own statements. Whoever may create in a schema of another
// path, or set the path of the database, could have functions, operators and types of theirs run by whoever connects
// (CVE-2018-1058).
const safePath = "pg_catalog, pg_temp"

// meaning are the settings that decide what our statements do, whose rights they have and what they call. A database's
// owner may set each of them for all who connect to it. The path comes first: what follows is looked up by it.
var meaning = []setting{
	{"search_path", safePath},
	{"role", "none"},
	{"row_security", "off"}, // a policy is an error, and hides no rows
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

// later are settings of the same kind that not every version knows.
var later = []setting{
	{"restrict_nonsystem_relation_kind", ""}, // since minor versions of August 2024
	{"transaction_timeout", "0"},             // 17
	{"stats_fetch_consistency", "cache"},     // 15
	{"idle_session_timeout", "0"},            // 14
}

// steady are settings that no statement of ours depends on, while a hostile value of one keeps a session from being
// opened, ends it, or makes a statement take for ever. What is measured of a server, such as synchronous_commit, is in
// none of these lists: that stays as it is.
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

// lockTimeout is the longest that one of our statements waits for a lock.
const lockTimeout = "5s"

// pooledSettings lists the settings that every pooler takes at the start of a session, and keeps to that session.
var pooledSettings = []string{"client_encoding", "standard_conforming_strings", "DateStyle"}

// Pinned reports whether our own sessions run with a value of their own, whatever is set for a database or a role.
func Pinned(name string) bool {
	same := func(s setting) bool { return strings.EqualFold(s.name, name) }
	return slices.ContainsFunc(meaning, same) || slices.ContainsFunc(later, same) || slices.ContainsFunc(steady, same)
}

// SafeTransaction makes the rest of the transaction that it stands in safe to ask in: behind a pooler nothing else
// does. There a setting of the session would stay with the server's session, which is somebody else's next. It calls
// what only pg_catalog can have, and needs no operator.
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

// pins records which of our settings the endpoint's server takes.
type pins struct {
	mu      sync.Mutex
	asked   bool      // which of the later ones the server knows
	known   []setting // those of them
	refused []string  // those that it would not take at the start of a session
}

// put pins the settings in the parameters of a session. A parameter's name is the same in capitals, and of two that are
// one setting either could win.
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

// refuse notes which setting of ours a server, such as a managed one, would not take, and reports whether that is news.
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

// endedBy notes which of the later settings has ended the first session, and reports whether that is news. Which
// setting it was the server says: then it knows it.
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

// learn asks the first session which of the later settings the server knows; those after it are opened with them. It
// reports whether the first is to be opened again, since somebody has set another value. Behind a pooler only
// transactions have them.
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
	// As the session has them: a transaction of [QueryRow] would have ours.
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

// verify looks whether a setting that the server would not take has our value all the same.
func (p *pins) verify(ctx context.Context, conn *pgx.Conn) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, s := range meaning {
		if !slices.Contains(p.refused, s.name) || s.name == "role" { // whose session it is [Inspect] sees
			continue
		}
		var value string
		// As a client's session has it: a transaction of [QueryRow] would have ours.
		if err := conn.QueryRow(ctx, "/* realiops */ select pg_catalog.current_setting($1)",
			s.name).Scan(&value); err != nil {
			return err
		}
		if value != s.value {
			return fmt.Errorf("the server does not let realiops set %[1]s, which is %[2]q here and must be %[3]q, or "+
				"somebody else decides what its "+
				"statements do: alter role ... set %[1]s = '%[3]s'", s.name, value, s.value)
		}
	}
	return nil
}
