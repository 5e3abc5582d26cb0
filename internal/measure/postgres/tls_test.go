package postgres_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/realiops/realiops/internal/measure/postgres"
	"github.com/realiops/realiops/internal/measure/server/servertest"
)

const amazonsHost = "db1.c9akciq32rgd.eu-west-1.rds.amazonaws.com"

// authority signs certificates, and gives the file of its own.
func authority(t *testing.T) (file string, sign func(host string) tls.Certificate) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	own := &x509.Certificate{SerialNumber: big.NewInt(1), IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour)}
	der, err := x509.CreateCertificate(rand.Reader, own, own, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	file = filepath.Join(t.TempDir(), "root.crt")
	if err := os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o644); err != nil {
		t.Fatal(err)
	}
	return file, func(host string) tls.Certificate {
		t.Helper()
		c := &x509.Certificate{SerialNumber: big.NewInt(2), DNSNames: []string{host}, NotBefore: own.NotBefore, NotAfter: own.NotAfter}
		der, err := x509.CreateCertificate(rand.Reader, c, own, key.Public(), key)
		if err != nil {
			t.Fatal(err)
		}
		return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
	}
}

// encrypting stands before a server on a port and speaks TLS for it, with that certificate, where it is asked to.
func encrypting(t *testing.T, server string, certificate tls.Certificate) (port int) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go relay(conn, server, &tls.Config{Certificates: []tls.Certificate{certificate}})
		}
	}()
	return listener.Addr().(*net.TCPAddr).Port
}

// relay answers the request for TLS, eight bytes of which the last four say so, and passes on the rest.
func relay(client net.Conn, server string, config *tls.Config) {
	defer client.Close()
	behind, err := net.Dial("tcp", server)
	if err != nil {
		return
	}
	defer behind.Close()
	first := make([]byte, 8)
	if _, err := io.ReadFull(client, first); err != nil {
		return
	}
	if string(first[4:]) == "\x04\xd2\x16\x2f" {
		if _, err := client.Write([]byte("S")); err != nil {
			return
		}
		client = tls.Server(client, config)
	} else if _, err := behind.Write(first); err != nil {
		return
	}
	go func() { _, _ = io.Copy(behind, client); behind.Close() }()
	_, _ = io.Copy(client, behind)
}

func TestAmazonsHostsAreVerified(t *testing.T) {
	database := servertest.Database(t, "17")
	conn := servertest.Connect(t, database)
	server := "127.0.0.1:" + servertest.Value[string](t, conn, "show port")
	servertest.Exec(t, conn, "drop role if exists tls")
	servertest.Exec(t, conn, "create role tls login password 'token-1'")
	root, sign := authority(t)
	right, wrong := encrypting(t, server, sign(amazonsHost)), encrypting(t, server, sign("other.example"))
	t.Setenv("PGSSLMODE", "")

	open := func(port int, more string) *postgres.Endpoint {
		t.Helper()
		e := servertest.Endpoint(t, fmt.Sprintf("host=%s port=%d user=tls dbname=%s %s", amazonsHost, port, database.Config().Database, more))
		e.LookUp(func(context.Context, string) ([]string, error) { return []string{"127.0.0.1"}, nil })
		return e
	}
	check := func(e *postgres.Endpoint, want string) {
		t.Helper()
		conn, err := e.Connect(t.Context())
		if err == nil {
			conn.Close(t.Context())
		}
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n")) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	const password = " password=token-1 "
	check(open(right, password), "its certificate cannot be verified without Amazon's own: curl -fo ~/.postgresql/root.crt")
	check(open(right, password+"sslrootcert="+root), "")
	check(open(wrong, password+"sslrootcert="+root), "its certificate is for other names than "+amazonsHost)
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
	check(plain, plain.String()+": a token is not sent over a connection without TLS")
	if asked != 2 {
		t.Error("a token was made for a connection without TLS")
	}
	ended := open(right, "sslrootcert="+root)
	ended.SetPassword(func(context.Context) (string, error) { return "", errors.New("the credentials have expired") })
	check(ended, ended.String()+": the credentials have expired")
}
