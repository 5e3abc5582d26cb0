package postgres_test

import (
	"fmt"
	"os/user"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/realiops/realiops/internal/measure/postgres"
	"github.com/realiops/realiops/internal/test/servertest"
)

// libpq's keywords are obeyed, or refused in one line. None is sent to the server, which would end the session.
func TestWhatLibpqKnows(t *testing.T) {
	database := servertest.Database(t, "17")
	c := database.Config()
	byTCP := fmt.Sprintf("host=127.0.0.1 port=%d dbname=%s user=%s password=%s sslmode=disable ", c.Port, c.Database,
		c.User, c.Password)
	bySocket := database.Config().ConnString() + "&"
	session := func(dsn string) (*pgx.Conn, error) {
		endpoint, err := postgres.Parse(dsn)
		if err != nil {
			return nil, err
		}
		conn, err := endpoint.ConnectUser(t.Context())
		if err == nil {
			t.Cleanup(func() { conn.Close(t.Context()) })
		}
		return conn, err
	}
	obeyed := func(dsn, ask, want string) {
		t.Helper()
		conn, err := session(dsn)
		if err != nil {
			t.Errorf("%s: %v", strings.TrimPrefix(dsn, byTCP), err)
			return
		}
		if got := servertest.Value[string](t, conn, ask); got != want {
			t.Errorf("%s: %s is %q, want %q", strings.TrimPrefix(dsn, byTCP), ask, got, want)
		}
	}
	refused := func(dsn, want string) {
		t.Helper()
		_, err := session(dsn)
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v, want one line about %q", strings.TrimPrefix(dsn, byTCP), err, want)
		}
	}
	// The owner of the server's processes must run it.
	boss := servertest.Connect(t, database)
	owner, err := user.LookupId(servertest.Value[string](t, boss,
		"select split_part(split_part(pg_read_file('/proc/self/status'), E'\\nUid:\\t', 2), E'\\t', 1)"))
	if err != nil {
		t.Fatal(err)
	}

	const one = "select '1'"
	alone := strings.Replace(byTCP, "host=127.0.0.1", "hostaddr=127.0.0.1", 1)
	obeyed(alone, "select host(inet_server_addr())", "127.0.0.1")
	obeyed(fmt.Sprintf("postgres:///%s?user=%s&password=%s&port=%d&hostaddr=127.0.0.1", c.Database, c.User, c.Password,
		c.Port), "select host(inet_server_addr())", "127.0.0.1")
	// Without the host it would be a socket.
	refused(strings.Replace(alone, "disable", "require", 1), "the server does not support TLS")
	obeyed(byTCP+"keepalives=1 keepalives_idle=30 keepalives_interval=5 keepalives_count=3 tcp_user_timeout=9000", one,
		"1")
	obeyed(byTCP+"keepalives=0 gssencmode=disable sslcompression=0 load_balance_hosts=disable", one, "1")
	obeyed(strings.Replace(byTCP, "host=127.0.0.1", "host=nowhere.invalid", 1)+"hostaddr=127.0.0.1", one, "1")
	obeyed(byTCP+"fallback_application_name=theirs", "show application_name", "theirs")
	obeyed(byTCP+"fallback_application_name=theirs application_name=own", "show application_name", "own")
	obeyed(byTCP, "show application_name", "realiops load")
	obeyed(byTCP+"client_encoding=LATIN1", "show client_encoding", "LATIN1")
	obeyed(bySocket+"requirepeer="+owner.Username, one, "1")
	obeyed(byTCP+"requirepeer=nobody-at-all", one, "1") // TCP peers are unknown, and libpq does not ask
	refused(bySocket+"requirepeer=nobody-at-all",
		"requirepeer specifies nobody-at-all, but the server runs as "+owner.Username)
	refused(byTCP+"gssencmode=require", "gssencmode=require is not supported")
	refused(byTCP+"sslcrl=/etc/crl.pem", "sslcrl is not supported")
	refused(byTCP+"keepalives=yes", "keepalives=yes; use 0 or 1")
	refused(byTCP+"keepalives_idle=long", "keepalives_idle=long is not a number")
	refused(byTCP+"hostaddr=nowhere", "hostaddr=nowhere is not an IP address")
	refused(byTCP+"ssl_min_protocol_version=SSLv3", "invalid ssl_min_protocol_version=SSLv3")
	refused(byTCP+"ssl_min_protocol_version=TLSv1.3 ssl_max_protocol_version=TLSv1.2",
		"ssl_min_protocol_version is later")
	refused(byTCP+"load_balance_hosts=random", "load_balance_hosts=random is not supported")
	refused(byTCP+"channel_binding=require", "channel binding")
	refused(byTCP+"replication=database", "replication=database is not supported")

	environment := func(name, value string, check func()) {
		t.Helper()
		t.Setenv(name, value)
		check()
		t.Setenv(name, "")
	}
	environment("PGREQUIREPEER", "nobody-at-all", func() { refused(bySocket, "requirepeer specifies nobody-at-all") })
	environment("PGGSSENCMODE", "require", func() { refused(byTCP, "gssencmode=require is not supported") })
	environment("PGSSLCRL", "/etc/crl.pem", func() { refused(byTCP, "sslcrl is not supported") })
	environment("PGCLIENTENCODING", "LATIN1", func() { obeyed(byTCP, "show client_encoding", "LATIN1") })
	environment("PGDATESTYLE", "German", func() { obeyed(byTCP, "show datestyle", "German, DMY") })
	environment("PGAPPNAME", "own", func() { obeyed(byTCP, "show application_name", "own") })
	environment("PGHOSTADDR", "127.0.0.1", func() {
		obeyed(strings.Replace(byTCP, "host=127.0.0.1", "host=nowhere.invalid", 1), one, "1")
	})
	t.Setenv("LC_ALL", "de_DE.ISO-8859-1")
	obeyed(byTCP+"client_encoding=auto", "show client_encoding", "LATIN1")
}

// The directory for temporary files may have a space in its name.
func TestOwnServersMayLieAnywhere(t *testing.T) {
	endpoint, err := postgres.ParseOwn("postgres://me@/db?host=/tmp/a%20b%2Bc/socket&port=1")
	if err != nil || endpoint.Host() != "/tmp/a b+c/socket" {
		t.Errorf("%v, %v", endpoint, err)
	}
}

// A server of ours is reached whatever the environment says of the user's servers.
func TestOwnServersNeedNoEnvironment(t *testing.T) {
	dsn := servertest.Database(t, "17").Config().ConnString()
	for name, value := range map[string]string{
		"PGREQUIREPEER": "nobody-at-all", "PGHOSTADDR": "192.0.2.1", "PGTARGETSESSIONATTRS": "standby",
		"PGCONNECT_TIMEOUT": "x",
		"PGOPTIONS":         "-c no=where", "PGCLIENTENCODING": "LATIN1", "PGGSSENCMODE": "require",
		"PGREQUIREAUTH":    "gss",
		"PGCHANNELBINDING": "require",
	} {
		t.Setenv(name, value)
	}
	endpoint, err := postgres.ParseOwn(dsn)
	if err != nil {
		t.Fatal(err)
	}
	conn, err := endpoint.Connect(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	conn.Close(t.Context())
}
