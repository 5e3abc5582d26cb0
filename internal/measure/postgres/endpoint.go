// Package postgres connects to the server under test and finds out what it is and what this user may do there.
//
// An [Endpoint] connects as libpq's users expect; [Inspect] asks the server about itself; [Facts.Refuse] decides
// whether it may be put under load; a [Schema] is the one place where realiops creates objects. Nothing here changes
// a setting or resets a counter.
package postgres

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/realiops/realiops/internal/input"
)

// Names of our sessions in pg_stat_activity.
const (
	applicationName = "realiops"
	clientName      = "realiops load"
)

// Endpoint says how to reach a server: host, port, database, user, password, TLS.
type Endpoint struct {
	config *pgx.ConnConfig
	from   conninfo // the source of config
	// hostaddr, used instead of resolving the host; empty: it is resolved
	ip     string
	pooled atomic.Bool                           // a pooler refuses our settings at the start of a session
	pins   pins                                  // which of our settings the server accepts
	ask    func(context.Context) (string, error) // returns a password for each connection; nil: they share one
}

// Parse parses a connection string as libpq does: a URL, keywords or a database name, completed from the PG*
// variables, the service file and the password file.
func Parse(dsn string) (*Endpoint, error) {
	config, from, err := read(dsn)
	if err != nil {
		return nil, fmt.Errorf("read the connection string: %w", err)
	}
	ip, err := asLibpq(config)
	if err != nil {
		return nil, fmt.Errorf("read the connection string: %w", err)
	}
	if from.value("sslmode") == "" {
		verifyByDefault(config)
	}
	config.ConnectTimeout = cmp.Or(config.ConnectTimeout, connectTimeout)
	bound(config)
	// Even a pooler can answer without named prepared statements.
	config.DefaultQueryExecMode = pgx.QueryExecModeExec
	from.refuseOpenKey(config)
	e := &Endpoint{config: config, from: from, ip: ip}
	e.usePasswordFile()
	return e, nil
}

// ownServer overrides environment settings that are meant for the user's servers, on a
// server that realiops has started.
var ownServer = url.Values{
	"target_session_attrs": {"any"}, "connect_timeout": {"10"}, "channel_binding": {"prefer"}, "require_auth": {""},
	"options": {""}, "timezone": {"UTC"}, "application_name": {""},
}

// ParseOwn is [Parse] for the URL of a server that realiops has started.
func ParseOwn(dsn string) (*Endpoint, error) {
	u, err := url.Parse(dsn)
	if err != nil {
		return nil, fmt.Errorf("read the address of our own server: %w", err)
	}
	query := u.Query()
	maps.Copy(query, ownServer)
	for _, keyword := range variables {
		query.Set(keyword, "")
	}
	u.RawQuery = Encode(query)
	e, err := Parse(u.String())
	if err == nil {
		e.from.given, e.from.query = parseAddress(dsn)
	}
	return e, err
}

// Warning returns libpq's warning about a password file that is ignored because other users can read it, or "". Every
// [Parse] checks the file; the caller should show the warning once.
func (e *Endpoint) Warning() string { return e.from.warning }

// Host returns the host, or the directory of the socket.
func (e *Endpoint) Host() string { return e.config.Host }

// Port returns the TCP port, or the number in the socket's name.
func (e *Endpoint) Port() int { return int(e.config.Port) }

// User returns the name of the role that connects.
func (e *Endpoint) User() string { return e.config.User }

// Password returns the secret, which must never be stored; empty if none is needed.
func (e *Endpoint) Password() string { return e.config.Password }

// Local reports whether the server is on this machine, judging by its name: a socket or a loopback
// address. Of several hosts all must be.
func (e *Endpoint) Local() bool {
	if e.ip != "" {
		return isLocal(e.ip)
	}
	return !slices.ContainsFunc(e.hosts(), func(h hostPort) bool { return !isLocal(h.host) })
}

// isSocket reports whether a host is the directory of a socket, or the beginning of the name of one without a file.
func isSocket(host string) bool { return strings.HasPrefix(host, "/") || strings.HasPrefix(host, "@") }

func isLocal(host string) bool {
	if isSocket(host) || host == "localhost" {
		return true
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}

// hostPort is one of the hosts that are tried in turn.
type hostPort struct {
	host string
	port int
}

func (e *Endpoint) hosts() []hostPort {
	all := []hostPort{{e.config.Host, int(e.config.Port)}}
	for _, f := range e.config.Fallbacks {
		if next := (hostPort{f.Host, int(f.Port)}); next != all[len(all)-1] { // tried with TLS and without
			all = append(all, next)
		}
	}
	return all
}

// String returns the endpoint for messages, without secrets.
func (e *Endpoint) String() string {
	at := net.JoinHostPort(e.config.Host, fmt.Sprint(e.config.Port))
	switch {
	case isSocket(e.config.Host):
		at = fmt.Sprintf("socket %s, port %d", e.config.Host, e.config.Port)
	case e.ip != "" && e.ip != e.config.Host:
		at += fmt.Sprintf(" (hostaddr %s)", e.ip)
	}
	return fmt.Sprintf("%s as %s, database %s", at, e.config.User, cmp.Or(e.config.Database, e.config.User))
}

// refusal returns why there is no session, for each of several hosts.
func (e *Endpoint) refusal(err error) error {
	attempts := attemptsOf(err)
	if len(attempts) < 2 {
		return fmt.Errorf("connect to %s: %w", e, cmp.Or(distrust(err, e.config.Host), e.reasonOf(err)))
	}
	var all []string
	for _, a := range attempts {
		host, _, _ := net.SplitHostPort(a.at)
		failed := errors.Join(a.failed...)
		all = append(all, fmt.Sprintf("%s (%v)", a.at, cmp.Or(distrust(failed, host), e.reasonOf(failed))))
	}
	return fmt.Errorf("connect to any of the hosts as %s, database %s: %s", e.config.User,
		cmp.Or(e.config.Database, e.config.User), strings.Join(all, ", "))
}

// attempt is the failure of one host, with all its addresses, with and without TLS.
type attempt struct {
	at     string
	failed []error
}

// attemptsOf splits pgx's error by host. Only its text names them: address (host): reason.
func attemptsOf(err error) (all []attempt) {
	var joined interface{ Unwrap() []error }
	if !errors.As(err, &joined) {
		return nil
	}
	for _, failed := range joined.Unwrap() {
		at := "another"
		if unknown, is := errors.AsType[*net.DNSError](failed); is {
			at = unknown.Name
		} else if address, rest, found := strings.Cut(failed.Error(), " ("); found {
			host, _, _ := strings.Cut(rest, "): ")
			at = address
			if _, port, err := net.SplitHostPort(address); err == nil {
				at = net.JoinHostPort(host, port)
			}
		}
		if n := len(all); n > 0 && all[n-1].at == at {
			all[n-1].failed = append(all[n-1].failed, failed)
			continue
		}
		all = append(all, attempt{at, []error{failed}})
	}
	return all
}

// reasonOf returns the one useful error of pgx's list of hosts and attempts.
func (e *Endpoint) reasonOf(err error) error {
	if none, ok := errors.AsType[*unsigned](err); ok {
		return none.error
	}
	if refused, ok := errors.AsType[*pgconn.PgError](err); ok {
		if refused.Where != "" { // only code of the database has a context while a session begins
			return fmt.Errorf("the login event trigger failed: %s (%s); qualify the names in it, since realiops sets "+
				"search_path = %s, or as a superuser: alter role %s set event_triggers = off", refused.Message,
				refused.Where[strings.LastIndex(refused.Where, "\n")+1:], safePath, Quoted(e.config.User))
		}
		return errors.New(refused.Message + remedies[refused.Code])
	}
	if full := input.OutOfFiles(err); full != nil {
		return full
	}
	if unknown, ok := errors.AsType[*net.DNSError](err); ok && unknown.IsNotFound {
		return fmt.Errorf("could not resolve host name %s; check the name, and DNS on this machine", unknown.Name)
	}
	if errors.Is(err, context.Canceled) {
		return fmt.Errorf("no answer before the command was stopped (%w)", context.Canceled)
	}
	if dial, ok := errors.AsType[*net.OpError](err); ok {
		if errors.Is(dial, os.ErrDeadlineExceeded) || dial.Timeout() {
			return errors.New("timeout expired; check the host, and firewalls in between")
		}
		if errors.Is(dial, os.ErrPermission) {
			return dial.Err
		}
		return fmt.Errorf("%w; is the server running there?", dial.Err)
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return errors.New("timeout expired; check the host, and firewalls in between")
	}
	cause := innermost(err)
	if e.config.SSLNegotiation == "direct" && errors.Is(cause, io.EOF) {
		return errors.New("the server closed the connection on sslnegotiation=direct: it has no TLS, or is older " +
			"than PostgreSQL 17; leave out sslnegotiation, or enable TLS on the server")
	}
	return misunderstood(cause)
}

// noTLS is the text of pgx's untyped error for a server without TLS.
const noTLS = "server refused TLS connection"

// misunderstood explains an unexpected answer.
func misunderstood(err error) error {
	if err.Error() == noTLS {
		return errors.New("the server does not support TLS, but sslmode requires it; enable TLS on the server, or " +
			"use sslmode=disable")
	}
	text := strings.ReplaceAll(err.Error(), ": %!w(<nil>)", "") // pgx's text for an error without a cause
	for _, u := range unmet() {
		if slices.ContainsFunc(u.refusals, func(refusal string) bool { return strings.Contains(text, refusal) }) {
			return fmt.Errorf("%s; rejected by %s", text, u.keyword)
		}
	}
	return fmt.Errorf("the server there does not speak PostgreSQL's protocol (%w); check the port", err)
}

// demand is a keyword that asks for a kind of server, with pgx's text for another kind:
// most of these errors have no type.
type demand struct {
	keyword  string
	refusals []string
}

// unmet returns the demands in the order to check them.
func unmet() []demand {
	return []demand{
		{"target_session_attrs", []string{
			pgconn.ErrReadOnlyConnection.Error(), pgconn.ErrReadWriteConnection.Error(),
			pgconn.ErrPrimaryConnection.Error(), pgconn.ErrStandbyConnection.Error(),
		}},
		{"channel_binding", []string{"channel binding"}},
		{"require_auth", []string{"authentication method requirement"}},
		{"min_protocol_version", []string{"protocol version too low"}},
		{"sslcertmode", []string{"did not request an SSL certificate"}},
	}
}

// innermost returns the cause of the last of several attempts. pgx tries TLS first, even unasked.
func innermost(err error) error {
	for {
		var next error
		switch wrapping := err.(type) { //nolint:errorlint // check each layer
		case interface{ Unwrap() error }:
			next = wrapping.Unwrap()
		case interface{ Unwrap() []error }:
			if causes := wrapping.Unwrap(); len(causes) > 0 {
				next = causes[len(causes)-1]
			}
		}
		if next == nil {
			return err
		}
		err = next
	}
}

// remedies maps SQLSTATE codes to advice.
var remedies = map[string]string{
	// invalid_password
	"28P01": " (set it in the URL, PGPASSWORD or ~/.pgpass)",
	// invalid_authorization_specification: pg_hba.conf, roles that do not exist
	"28000": " (check pg_hba.conf, sslmode and the role name)",
	// invalid_catalog_name
	"3D000": " (set one with dbname=)",
	// too_many_connections
	"53300": " (" + moreSessions + ")",
	// insufficient_privilege: to connect to the database
	"42501": " (grant connect on it, or use another user or database)",
	// untranslatable_character: in the database's encoding the role's name is no text, which only SQL_ASCII allows
	"22P05": " (the role's name does not fit the encoding of the database: use a role with an ASCII name)",
	// cannot_connect_now
	"57P03": " (it is starting, stopping or recovering; try again)",
}
