package postgres_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/realiops/realiops/internal/measure/postgres"
	"github.com/realiops/realiops/internal/test/servertest"
)

const amazonsHost = "db1.c9akciq32rgd.eu-west-1.rds.amazonaws.com"

func TestAmazonsHostsAreVerified(t *testing.T) {
	database := servertest.Database(t, "17")
	conn := servertest.Connect(t, database)
	server := "127.0.0.1:" + servertest.Value[string](t, conn, "show port")
	servertest.Exec(t, conn, "drop role if exists tls")
	servertest.Exec(t, conn, "create role tls login password 'token-1'")
	root, sign := servertest.Authority(t)
	right, wrong := servertest.Encrypting(t, server, sign(amazonsHost)),
		servertest.Encrypting(t, server, sign("other.example"))
	t.Setenv("PGSSLMODE", "")

	open := func(port int, more string) *postgres.Endpoint {
		t.Helper()
		e := servertest.Endpoint(t, fmt.Sprintf("host=%s port=%d user=tls dbname=%s %s", amazonsHost, port,
			database.Config().Database, more))
		e.LookUp(func(context.Context, string) ([]string, error) { return []string{"127.0.0.1"}, nil })
		return e
	}
	check := func(e *postgres.Endpoint, want string) {
		t.Helper()
		conn, err := e.Connect(t.Context())
		if err == nil {
			conn.Close(t.Context())
		}
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want) ||
			strings.Contains(err.Error(), "\n")) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	const password = " password=token-1 "
	check(open(right, password),
		"its certificate cannot be verified without Amazon's root certificates; run curl -fo ~/.postgresql/root.crt")
	check(open(right, password+"sslrootcert="+root), "")
	check(open(wrong, password+"sslrootcert="+root), "its certificate is not valid for "+amazonsHost+
		"; connect to other.example instead")
	check(open(wrong, password+"sslmode=require"), "") // as the user says
	check(open(right, password+"sslmode=disable"), "")

	asked := 0
	token := func(context.Context) (string, error) { asked++; return "token-1", nil }
	signedIn := open(right, "sslrootcert="+root)
	signedIn.SetPassword(token)
	check(signedIn, "")
	check(signedIn, "")
	if asked != 2 {
		t.Errorf("two connections took %d tokens", asked)
	}
	plain := open(right, "sslmode=disable")
	plain.SetPassword(token)
	check(plain, plain.String()+": tokens are only sent over TLS")
	if asked != 2 {
		t.Error("a token was made for a connection without TLS")
	}
	ended := open(right, "sslrootcert="+root)
	ended.SetPassword(func(context.Context) (string, error) { return "", errors.New("the credentials have expired") })
	check(ended, ended.String()+": the credentials have expired")
}

// TestPreferStandbyKeepsTLS: as with psql, a primary that is taken for lack of a standby is reached as sslmode tries
// first. The second connection knows what the first one met.
func TestPreferStandbyKeepsTLS(t *testing.T) {
	database := servertest.Database(t, "17")
	c := database.Config()
	_, sign := servertest.Authority(t)
	port := servertest.Encrypting(t, fmt.Sprintf("127.0.0.1:%d", c.Port), sign("localhost"))
	for sslmode, want := range map[string]bool{"prefer": true, "allow": false, "require": true, "disable": false} {
		e := servertest.Endpoint(t, fmt.Sprintf("host=127.0.0.1 port=%d user=%s password=%s dbname=%s sslmode=%s "+
			"target_session_attrs=prefer-standby", port, c.User, c.Password, c.Database, sslmode))
		for range 2 {
			conn, err := e.Connect(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if _, got := conn.PgConn().Conn().(*tls.Conn); got != want {
				t.Errorf("sslmode=%s: TLS is %v, want %v", sslmode, got, want)
			}
			_ = conn.Close(t.Context())
		}
	}
}

// TestKeysThatOthersCanReadAreRefused: as in libpq, only over TLS, and in its words.
func TestKeysThatOthersCanReadAreRefused(t *testing.T) {
	database := servertest.Database(t, "17")
	c := database.Config()
	root, sign := servertest.Authority(t)
	certificate := sign("localhost")
	port := servertest.Encrypting(t, fmt.Sprintf("127.0.0.1:%d", c.Port), certificate)
	dir := t.TempDir()
	key, cert := filepath.Join(dir, "key"), filepath.Join(dir, "cert")
	der, err := x509.MarshalPKCS8PrivateKey(certificate.PrivateKey)
	if err != nil {
		t.Fatal(err)
	}
	for path, block := range map[string]*pem.Block{
		key: {Type: "PRIVATE KEY", Bytes: der}, cert: {Type: "CERTIFICATE", Bytes: certificate.Certificate[0]},
	} {
		if err := os.WriteFile(path, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	const words = "has group or world access; file must have permissions u=rw (0600) or less if owned by the " +
		"current user, " +
		"or permissions u=rw,g=r (0640) or less if owned by root"
	check := func(mode os.FileMode, owner, port int, sslmode string, refused bool) {
		t.Helper()
		if err := os.Chmod(key, mode); err != nil {
			t.Fatal(err)
		}
		if os.Geteuid() == 0 && os.Chown(key, owner, -1) != nil {
			t.Fatal("the key's owner cannot be changed")
		}
		e := servertest.Endpoint(t,
			fmt.Sprintf("host=localhost port=%d user=%s password=%s dbname=%s sslmode=%s sslrootcert=%s "+
				"sslkey=%s sslcert=%s", port, c.User, c.Password, c.Database, sslmode, root, key, cert))
		conn, err := e.Connect(t.Context())
		if err == nil {
			conn.Close(t.Context())
		}
		if refused != (err != nil && strings.Contains(err.Error(), `private key file "`+key+`" `+words)) ||
			!refused && err != nil {
			t.Errorf("mode %o of user %d, sslmode=%s: %v", mode, owner, sslmode, err)
		}
	}
	plain := int(c.Port)
	check(0o600, 0, port, "verify-full", false)
	check(0o644, 0, port, "verify-full", true)
	check(0o644, 0, port, "require", true)
	check(0o604, 0, port, "verify-ca", true)
	check(0o620, 0, port, "require", true)
	check(0o644, 0, plain, "disable", false)
	check(0o644, 0, plain, "prefer", false)
	if os.Geteuid() == 0 {
		check(0o640, 0, port, "verify-full", false) // owned by root
		check(0o640, 65534, port, "verify-full", true)
		check(0o600, 65534, port, "verify-full", false)
	}
}
