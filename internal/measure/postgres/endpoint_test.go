package postgres

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// reached holds the parts of an endpoint that a test compares.
type reached struct {
	Host, Database, User, Password string
	Port                           int
	Local                          bool
}

func TestParseTakesWhatLibpqTakes(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	for _, name := range []string{"PGHOST", "PGPORT", "PGDATABASE", "PGPASSWORD", "PGSERVICE", "PGPASSFILE",
		"PGSERVICEFILE"} {
		t.Setenv(name, "")
		os.Unsetenv(name)
	}
	t.Setenv("PGUSER", "me")
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(home, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(".pgpass", "db.example:5432:*:me:from-pgpass\n")
	write(".pg_service.conf", "[prod]\nhost=10.1.2.3\nport=6432\ndbname=orders\nuser=app\n")

	check := func(dsn string, want reached) {
		t.Helper()
		e, err := Parse(dsn)
		if err != nil {
			t.Errorf("%q: %v", dsn, err)
			return
		}
		got := reached{e.Host(), e.config.Database, e.config.User, e.Password(), e.Port(), e.Local()}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q:\n%s", dsn, diff)
		}
	}
	check("postgres://you:pw@127.0.0.1:5433/test", reached{"127.0.0.1", "test", "you", "pw", 5433, true})
	check("host=localhost dbname=test", reached{Host: "localhost", Database: "test", User: "me", Port: 5432,
		Local: true})
	check("postgres://db.example/x", reached{Host: "db.example", Database: "x", User: "me",
		Password: "from-pgpass", Port: 5432})
	check("service=prod", reached{Host: "10.1.2.3", Database: "orders", User: "app", Port: 6432})
	check("postgres:///x?host=/var/run/postgresql", reached{Host: "/var/run/postgresql", Database: "x", User: "me",
		Port: 5432, Local: true})
	t.Setenv("PGHOST", "::1")
	t.Setenv("PGPORT", "5555")
	check("", reached{Host: "::1", User: "me", Port: 5555, Local: true})
	check("o'reilly", reached{Host: "::1", Database: "o'reilly", User: "me", Port: 5555, Local: true})
}

// A program that reads only DATABASE_URL gets the same TLS settings as the connection string.
func TestDatabaseURLKeepsTLS(t *testing.T) {
	for dsn, want := range map[string]string{
		"postgres://a:c@db.example/shop?sslmode=verify-full&sslrootcert=system": "postgres://a:c@db.example:5432/shop?sslmode=verify-full&sslrootcert=system",
		"postgres://a:b@127.0.0.1/shop?sslmode=disable":                         "postgres://a:b@127.0.0.1:5432/shop?sslmode=disable",
		"postgres://a:b@127.0.0.1/shop":                                         "postgres://a:b@127.0.0.1:5432/shop",
	} {
		endpoint, err := Parse(dsn)
		if err != nil {
			t.Fatal(err)
		}
		if got := endpoint.Environment(nil, endpoint.Config().Host); !slices.Contains(got, "DATABASE_URL="+want) {
			t.Errorf("%s: %q, want %s", dsn, got, want)
		}
	}
}
