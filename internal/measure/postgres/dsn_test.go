package postgres

import (
	"strings"
	"testing"
)

// TestNoPartOfAPasswordIsShown tries typos. The password consists of zq and zx, wherever it breaks.
func TestNoPartOfAPasswordIsShown(t *testing.T) {
	for _, name := range []string{"PGHOST", "PGPORT", "PGDATABASE", "PGUSER", "PGPASSWORD", "PGSERVICE"} {
		t.Setenv(name, "")
	}
	for _, dsn := range []string{
		"postgres:/joe:zqzx@127.0.0.1/db",
		"postgres//joe:zqzx@127.0.0.1/db",
		"postgre://joe:zqzx@127.0.0.1/db",
		"joe:zqzx@127.0.0.1/db",
		"jdbc:postgresql://h/db?user=joe&password=zqzx",
		"postgres://joe:zq/zx@127.0.0.1:1/db",
		"postgres://joe:12/zx@127.0.0.1:1/db", // in a port's place it is a number
		"postgres://joe:zq@zx@127.0.0.1:1/db",
		"postgres://joe:zq#zx@127.0.0.1:1/db",
		"postgres://joe:zq?zx@127.0.0.1:1/db",
		"postgres://joe:12?zx@127.0.0.1:1/db",
		"postgres://joe:zq%zx@127.0.0.1:1/db",
		"postgres://joe:zq zx@127.0.0.1:1/db",
		"postgres://joe:zq:zx@127.0.0.1:1/db",
		"postgres://joe:zq[zx@127.0.0.1:1/db",
		`postgres://joe:zq\zx@127.0.0.1:1/db`,
		"postgres://joe:zq`: zx@127.0.0.1:1/db",
		"postgres://joe:zqzx@127.0.0.1:99999/db",
		"postgres://joe:zqzx@[::1/db",
		"postgres://h/db?password=zq&zx",
		"host=127.0.0.1 pasword=zqzx",
		"host=127.0.0.1 passwd=zqzx",
		"host=127.0.0.1 pwd=zqzx",
		"host=127.0.0.1 PASSWORD=zqzx",
		"host=127.0.0.1 password zqzx",
		"host=127.0.0.1 password:zqzx",
		"host=127.0.0.1,password=zqzx",
		"host=127.0.0.1;password=zqzx",
		"host=127.0.0.1 password='zqzx",
		"host=127.0.0.1 password=zq zx",
		`host=127.0.0.1 password="zq zx"`,
		"password:zqzx host=127.0.0.1",
		"dbname='postgres:/joe:zqzx@127.0.0.1/db'",
	} {
		e, err := Parse(dsn)
		said := ""
		if err != nil {
			said = err.Error()
		} else {
			said = e.String()
		}
		for _, part := range []string{"zq", "zx"} {
			if strings.Contains(said, part) {
				t.Errorf("%s: a part of the password is shown: %s", dsn, said)
			}
		}
		if err != nil && (!strings.Contains(said, "password") || strings.Contains(said, "\n")) {
			t.Errorf("%s: it does not help to say: %s", dsn, said)
		}
		t.Logf("%-50s %s", dsn, said)
	}
}

// TestFilesAreNamed: the error of an unreadable certificate, key or service does not blame the password.
func TestFilesAreNamed(t *testing.T) {
	nowhere := t.TempDir() + "/nowhere"
	check := func(dsn string, want ...string) {
		t.Helper()
		_, err := Parse(dsn)
		if err == nil {
			t.Fatalf("%s is taken", dsn)
		}
		for _, part := range want {
			if !strings.Contains(err.Error(), part) {
				t.Errorf("%s: %v; want %s", dsn, err, part)
			}
		}
		if strings.Contains(err.Error(), "zqzx") || strings.Contains(err.Error(), "percent-encode") {
			t.Errorf("%s: %v", dsn, err)
		}
	}
	t.Setenv("PGSERVICEFILE", nowhere)
	check("service=shop password=zqzx", nowhere, "PGSERVICEFILE")
	check("host=h password=zqzx sslrootcert="+nowhere+" sslmode=verify-full", nowhere, "check sslmode")
	check("host=h password=zqzx sslcert="+nowhere+" sslkey="+nowhere, nowhere, "check sslmode")
	check("host=h password=zqzx sslcert="+nowhere, "sslkey")
	check("postgres://joe:zqzx@127.0.0.1/db?sslmode=wrong", "sslmode is invalid")
}

// TestErrorsNameTheAddress: errors name the address, since the host's name was not resolved.
func TestErrorsNameTheAddress(t *testing.T) {
	e, err := Parse("host=db.example hostaddr=192.0.2.1 port=1 user=u dbname=d")
	if want := "db.example:1 (hostaddr 192.0.2.1) as u, database d"; err != nil || e.String() != want {
		t.Errorf("%v, %v; want %s", e, err, want)
	}
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{"", "db", "host=h user=u", "postgres://u:p@h:1/d?sslmode=disable", "postgres:/u:p@h",
		"host='a b'", "service=none"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, dsn string) {
		if e, err := Parse(dsn); err == nil && e.String() == "" {
			t.Errorf("%q is read as nothing", dsn)
		}
	})
}
