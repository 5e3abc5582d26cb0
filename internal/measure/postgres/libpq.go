package postgres

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"maps"
	"net"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// variables maps libpq's environment variables that pgx does not read to their keywords.
var variables = map[string]string{
	"PGHOSTADDR": "hostaddr", "PGREQUIREPEER": "requirepeer", "PGGSSENCMODE": "gssencmode",
	"PGGSSDELEGATION": "gssdelegation",
	"PGSSLCRL":        "sslcrl", "PGSSLCRLDIR": "sslcrldir", "PGSSLMINPROTOCOLVERSION": "ssl_min_protocol_version",
	"PGSSLMAXPROTOCOLVERSION": "ssl_max_protocol_version", "PGREQUIRESSL": "requiressl",
	"PGLOADBALANCEHOSTS": "load_balance_hosts",
	"PGCLIENTENCODING":   "client_encoding", "PGDATESTYLE": "DateStyle", "PGGEQO": "geqo",
}

// readByPGX maps the variables that pgx reads to their keywords.
var readByPGX = map[string]string{
	"PGHOST": "host", "PGPORT": "port", "PGDATABASE": "dbname", "PGUSER": "user", "PGPASSWORD": "password",
	"PGPASSFILE": "passfile", "PGAPPNAME": "application_name", "PGOPTIONS": "options",
	"PGCONNECT_TIMEOUT": "connect_timeout", "PGSSLMODE": "sslmode", "PGSSLKEY": "sslkey", "PGSSLCERT": "sslcert",
	"PGSSLCERTMODE": "sslcertmode", "PGSSLSNI": "sslsni", "PGSSLROOTCERT": "sslrootcert",
	"PGSSLNEGOTIATION": "sslnegotiation", "PGTARGETSESSIONATTRS": "target_session_attrs",
	"PGMINPROTOCOLVERSION": "min_protocol_version", "PGMAXPROTOCOLVERSION": "max_protocol_version",
	"PGCHANNELBINDING": "channel_binding", "PGREQUIREAUTH": "require_auth",
}

// without lists libpq's keywords that have no variable here.
var without = []string{
	"service", "servicefile", "sslpassword", "keepalives", "keepalives_idle", "keepalives_interval",
	"keepalives_count", "tcp_user_timeout", "fallback_application_name", "replication", "krbsrvname", "gsslib",
	"sslcompression", "authtype", "tty", "sslkeylogfile", "scram_client_key", "scram_server_key", "oauth_issuer",
	"oauth_client_id", "oauth_client_secret", "oauth_scope",
}

// variableOf returns the environment variable for a keyword, or "".
func variableOf(keyword string) string {
	for _, all := range []map[string]string{readByPGX, variables} {
		for variable, k := range all {
			if k == keyword {
				return variable
			}
		}
	}
	return ""
}

func known(keyword string) bool {
	startup := keyword == "DateStyle" || keyword == "geqo" // only variables set these
	return !startup && (variableOf(keyword) != "" || slices.Contains(without, keyword))
}

// libpq applies or refuses libpq's keywords that pgx would ignore or send to the server as settings. Keywords that
// ask for security are never ignored.
type libpq struct {
	config *pgx.ConnConfig
	dialer net.Dialer
	peer   string // the user that must run the server at a socket
	ip     string // of the host, instead of resolving its name
}

// asLibpq returns the address to use instead of resolving the host, if any.
func asLibpq(config *pgx.ConnConfig) (ip string, err error) {
	l := &libpq{config: config}
	for variable, keyword := range variables {
		if _, closer := config.RuntimeParams[keyword]; !closer && os.Getenv(variable) != "" {
			config.RuntimeParams[keyword] = os.Getenv(variable)
		}
	}
	for variable, keyword := range map[string]string{"PGTZ": "timezone", "PGDATESTYLE": "DateStyle", "PGGEQO": "geqo"} {
		if config.RuntimeParams[keyword] == os.Getenv(variable) && strings.EqualFold(os.Getenv(variable), "default") {
			delete(config.RuntimeParams, keyword) // an empty value means the server's
		}
	}
	maps.DeleteFunc(config.RuntimeParams, func(_, value string) bool { return value == "" })
	for _, keyword := range []string{"sslcompression", "tty", "gsslib"} {
		l.take(keyword) // makes no difference here: libpq itself ignores the first two
	}
	for _, obey := range []func() error{l.encryption, l.versions, l.dialing, l.addresses, l.sockets, l.names, l.queries,
		l.validation} {
		if err := obey(); err != nil {
			return "", err
		}
	}
	return l.ip, nil
}

// take removes a keyword, so that it is not sent to the server, and returns its value.
func (l *libpq) take(keyword string) string {
	value := l.config.RuntimeParams[keyword]
	delete(l.config.RuntimeParams, keyword)
	return value
}

// encryption refuses what we do not support. libpq tries GSSAPI encryption first if there is a ticket; we never do.
func (l *libpq) encryption() error {
	if mode := l.take("gssencmode"); !slices.Contains([]string{"", "disable", "prefer"}, mode) {
		return fmt.Errorf("gssencmode=%s is not supported; leave it out, and encrypt with sslmode=verify-full", mode)
	}
	for _, keyword := range []string{"sslcrl", "sslcrldir", "scram_client_key", "scram_server_key", "sslkeylogfile",
		"oauth_issuer", "oauth_client_id"} {
		if l.take(keyword) != "" {
			return fmt.Errorf("%s is not supported; leave it out", keyword)
		}
	}
	l.take("requiressl") // it became sslmode
	if value := l.take("gssdelegation"); value != "" && value != "0" {
		return fmt.Errorf("gssdelegation=%s is not supported: realiops delegates no credentials; leave it out", value)
	}
	return nil
}

// versions limits the versions of TLS.
func (l *libpq) versions() error {
	known := map[string]uint16{"": 0, "tlsv1": tls.VersionTLS10, "tlsv1.1": tls.VersionTLS11,
		"tlsv1.2": tls.VersionTLS12, "tlsv1.3": tls.VersionTLS13}
	var bounds [2]uint16
	for i, keyword := range []string{"ssl_min_protocol_version", "ssl_max_protocol_version"} {
		value := l.take(keyword)
		version, ok := known[strings.ToLower(value)]
		if !ok {
			return fmt.Errorf("invalid %s=%s; use TLSv1, TLSv1.1, TLSv1.2 or TLSv1.3", keyword, value)
		}
		bounds[i] = version
	}
	if bounds[1] != 0 && bounds[0] > bounds[1] {
		return errors.New("ssl_min_protocol_version is later than ssl_max_protocol_version")
	}
	for _, c := range encrypting(l.config) {
		c.MinVersion, c.MaxVersion = cmp.Or(bounds[0], c.MinVersion), cmp.Or(bounds[1], c.MaxVersion)
	}
	return nil
}

// connectTimeout is the default, so that a host that drops packets does not look like a hang.
const connectTimeout = 10 * time.Second

// dialing sets how connections are opened and watched.
func (l *libpq) dialing() error {
	l.dialer.Timeout = cmp.Or(l.config.ConnectTimeout, connectTimeout)
	var numbers [4]int
	for i, keyword := range []string{"keepalives_idle", "keepalives_interval", "keepalives_count", "tcp_user_timeout"} {
		var err error
		if value := l.take(keyword); value != "" {
			if numbers[i], err = strconv.Atoi(value); err != nil || numbers[i] < 0 {
				return fmt.Errorf("%s=%s is not a number", keyword, value)
			}
		}
	}
	switch value := l.take("keepalives"); value {
	case "", "1":
		seconds := func(n int) time.Duration { return time.Duration(n) * time.Second }
		l.dialer.KeepAliveConfig = net.KeepAliveConfig{
			Enable: true, Idle: seconds(numbers[0]), Interval: seconds(numbers[1]), Count: numbers[2],
		}
	case "0":
		l.dialer.KeepAlive = -1
	default:
		return fmt.Errorf("invalid keepalives=%s; use 0 or 1", value)
	}
	if numbers[3] > 0 {
		if err := limitUnanswered(&l.dialer, numbers[3]); err != nil {
			return err
		}
	}
	if l.peer = l.take("requirepeer"); l.peer != "" {
		if err := peersAreKnown(); err != nil {
			return err
		}
	}
	l.config.DialFunc = l.dial
	return nil
}

func (l *libpq) dial(ctx context.Context, network, address string) (net.Conn, error) {
	if strings.HasPrefix(address, "@") {
		network, address = "unix", abstractPath(address)
	}
	conn, err := l.dialer.DialContext(ctx, network, address)
	if err != nil || l.peer == "" || network != "unix" { // like libpq, ask only if the kernel knows
		return conn, err
	}
	runs, err := peerOf(conn)
	if err == nil && runs != l.peer {
		err = &unsigned{fmt.Errorf("requirepeer specifies %s, but the server runs as %s", l.peer, runs)}
	}
	if err != nil {
		conn.Close()
		return nil, err
	}
	return conn, nil
}

// unsigned is the reason that a connection has no password.
type unsigned struct{ error }

func (u *unsigned) Unwrap() error { return u.error }

// addresses connects to hostaddr. The certificate must still match the host's name.
func (l *libpq) addresses() error {
	text := l.take("hostaddr")
	if text == "" {
		return nil
	}
	if strings.Contains(text, ",") || isSocket(l.config.Host) {
		return errors.New("hostaddr must be a single address, and host must not be a socket")
	}
	if net.ParseIP(text) == nil {
		return fmt.Errorf("hostaddr=%s is not an IP address", text)
	}
	for _, f := range l.config.Fallbacks {
		if f.Host != l.config.Host {
			return errors.New("hostaddr works with one host only, but host names several")
		}
	}
	l.ip = text
	l.config.LookupFunc = func(context.Context, string) ([]string, error) { return []string{text}, nil }
	return nil
}

// sockets lets a host that begins with @ be a socket without a file, which pgx takes for a name. Like libpq, it uses no
// TLS there.
func (l *libpq) sockets() error {
	lookup, plain := l.config.LookupFunc, pgconn.FallbackConfig{Host: l.config.Host, Port: l.config.Port}
	l.config.LookupFunc = func(ctx context.Context, host string) ([]string, error) {
		if strings.HasPrefix(host, "@") {
			return []string{host}, nil
		}
		return lookup(ctx, host)
	}
	if strings.HasPrefix(l.config.Host, "@") {
		l.config.TLSConfig = nil
	}
	l.config.Fallbacks = slices.DeleteFunc(l.config.Fallbacks, func(f *pgconn.FallbackConfig) bool {
		before := plain
		if plain = *f; strings.HasPrefix(f.Host, "@") {
			f.TLSConfig = nil
		}
		return f.TLSConfig == nil && f.Host == before.Host && f.Port == before.Port && strings.HasPrefix(f.Host, "@")
	})
	return nil
}

// abstractPath returns the name of a socket without a file from pgx's address, @name:5432.
func abstractPath(address string) string {
	colon := strings.LastIndexByte(address, ':')
	return address[:colon] + "/.s.PGSQL." + address[colon+1:]
}

// names sets the session's application name and encoding.
func (l *libpq) names() error {
	if name := l.take("fallback_application_name"); l.config.RuntimeParams["application_name"] == "" && name != "" {
		l.config.RuntimeParams["application_name"] = name
	}
	if l.config.RuntimeParams["client_encoding"] == "auto" {
		l.config.RuntimeParams["client_encoding"] = encodingOf(cmp.Or(os.Getenv("LC_ALL"), os.Getenv("LC_CTYPE"),
			os.Getenv("LANG")))
	}
	switch value := l.take("load_balance_hosts"); value {
	case "", "disable":
		return nil
	default:
		return fmt.Errorf("load_balance_hosts=%s is not supported: hosts are tried in order; leave it out", value)
	}
}

// encodingOf returns PostgreSQL's name for the encoding of a locale, for encodings still in use.
func encodingOf(locale string) string {
	_, encoding, _ := strings.Cut(locale, ".")
	encoding, _, _ = strings.Cut(encoding, "@")
	switch strings.ToUpper(strings.ReplaceAll(encoding, "-", "")) {
	case "UTF8":
		return "UTF8"
	case "ISO88591":
		return "LATIN1"
	case "ISO885915":
		return "LATIN9"
	default:
		return "SQL_ASCII"
	}
}

// validation makes target_session_attrs call pg_catalog's functions: pgx calls pg_is_in_recovery() unqualified, even
// in the user's own sessions and behind a pooler.
func (l *libpq) validation() error {
	validate := l.config.ValidateConnect
	if validate == nil {
		return nil
	}
	var firsts sync.Map
	l.config.ValidateConnect = func(ctx context.Context, conn *pgconn.PgConn) error {
		if _, err := conn.Exec(ctx, "begin; "+SafeTransaction).ReadAll(); err != nil {
			return err
		}
		refused := firstOf(&firsts, conn, validate(ctx, conn))
		_, err := conn.Exec(ctx, "commit").ReadAll()
		return cmp.Or(refused, err)
	}
	return nil
}

// firstOf keeps target_session_attrs=prefer-standby on the connection that sslmode=prefer or allow tries first. Without a
// standby pgx takes the last one it tried, which is of the other kind. firsts has that kind of each address: TLS or not.
func firstOf(firsts *sync.Map, conn *pgconn.PgConn, refused error) error {
	if _, ok := errors.AsType[*pgconn.NotPreferredError](refused); !ok {
		return refused
	}
	_, encrypted := conn.Conn().(*tls.Conn)
	if first, _ := firsts.LoadOrStore(conn.Conn().RemoteAddr().String(), encrypted); first != encrypted {
		return errors.New("the server also accepts what sslmode tries first")
	}
	return refused
}

// queries refuses settings with which our queries would fail.
func (l *libpq) queries() error {
	if value := l.take("replication"); !slices.Contains([]string{"", "false", "off", "no", "0"}, value) {
		return fmt.Errorf("replication=%s is not supported: replication sessions take no queries; leave it out", value)
	}
	return nil
}
