//go:build unix

package session

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

// server is a local PostgreSQL, shared by the tests of this package.
type server struct {
	dir, bin string
	port     int
}

var shared struct {
	sync.Mutex
	*server
	missing string
}

func TestMain(m *testing.M) {
	code := m.Run()
	if shared.server != nil {
		shared.stop()
	}
	os.Exit(code)
}

// aServer returns the shared server, which the first test starts.
func aServer(t testing.TB) *server {
	t.Helper()
	shared.Lock()
	defer shared.Unlock()
	if shared.server == nil && shared.missing == "" {
		shared.server, shared.missing = startServer()
	}
	if shared.missing != "" {
		t.Skip(shared.missing)
	}
	return shared.server
}

func startServer() (*server, string) {
	bins, _ := filepath.Glob("/usr/lib/postgresql/*/bin/postgres")
	if len(bins) == 0 {
		return nil, "needs PostgreSQL in /usr/lib/postgresql"
	}
	dir, err := os.MkdirTemp("", "session")
	if err != nil {
		return nil, err.Error()
	}
	s := &server{dir: dir, bin: filepath.Dir(slices.Max(bins)), port: freePort()}
	if err := s.start(); err != nil {
		s.stop()
		return nil, "start PostgreSQL: " + err.Error()
	}
	return s, ""
}

func (s *server) start() error {
	if uid, gid, ok := unprivileged(); ok {
		if err := os.Chown(s.dir, uid, gid); err != nil {
			return err
		}
	}
	if err := s.run("initdb", "-D", s.data(), "-U", "postgres", "-A", "trust", "--no-sync", "--locale=C",
		"--encoding=UTF8"); err != nil {
		return err
	}
	if err := s.makeCertificate(); err != nil {
		return err
	}
	settings := fmt.Sprintf(
		"listen_addresses='127.0.0.1'\nport=%d\nunix_socket_directories='%s'\nssl=on\nfsync=off\nmax_connections=40\n",
		s.port, s.dir)
	f, err := os.OpenFile(filepath.Join(s.data(), "postgresql.conf"), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	if _, err := f.WriteString(settings); err != nil {
		return err
	}
	return s.run("pg_ctl", "-D", s.data(), "-l", filepath.Join(s.dir, "log"), "-w", "start")
}

func (s *server) stop() {
	_ = s.run("pg_ctl", "-D", s.data(), "-m", "immediate", "-w", "stop")
	_ = os.RemoveAll(s.dir)
}

func (s *server) data() string { return filepath.Join(s.dir, "data") }

// run runs a program of the server as a user that PostgreSQL accepts.
func (s *server) run(name string, args ...string) error {
	cmd := exec.Command(filepath.Join(s.bin, name), args...)
	cmd.Dir = s.dir
	if uid, gid, ok := unprivileged(); ok {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}}
	}
	// pg_ctl's server keeps the output open, so it gets none.
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// unprivileged returns the user postgres if we are root.
func unprivileged() (uid, gid int, ok bool) {
	if os.Getuid() != 0 {
		return 0, 0, false
	}
	u, err := user.Lookup("postgres")
	if err != nil {
		return 0, 0, false
	}
	uid, _ = strconv.Atoi(u.Uid)
	gid, _ = strconv.Atoi(u.Gid)
	return uid, gid, true
}

// makeCertificate creates a self-signed certificate for the server.
func (s *server) makeCertificate() error {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "localhost"}, NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
	}
	certificate, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		return err
	}
	secret, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return err
	}
	for name, block := range map[string]*pem.Block{
		"server.crt": {Type: "CERTIFICATE", Bytes: certificate}, "server.key": {Type: "PRIVATE KEY", Bytes: secret},
	} {
		path := filepath.Join(s.data(), name)
		if err := os.WriteFile(path, pem.EncodeToMemory(block), 0o600); err != nil {
			return err
		}
		if uid, gid, ok := unprivileged(); ok {
			if err := os.Chown(path, uid, gid); err != nil {
				return err
			}
		}
	}
	return nil
}

func freePort() int {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}

// Ways to reach the server.
const (
	bySocket = "socket"
	byTCP    = "tcp"
	byTLS    = "tls"
)

var ways = []string{bySocket, byTCP, byTLS}

func (s *server) dsn(way string) string {
	host := map[string]string{
		bySocket: "host=" + s.dir, byTCP: "host=127.0.0.1 sslmode=disable",
		byTLS: "host=127.0.0.1 sslmode=verify-ca sslrootcert=" + filepath.Join(s.data(), "server.crt"),
	}[way]
	return fmt.Sprintf("%s port=%d user=postgres dbname=postgres", host, s.port)
}

// open opens a session that ends with the test.
func (s *server) open(t testing.TB, way string, patience time.Duration) *Session {
	t.Helper()
	config, err := pgconn.ParseConfig(s.dsn(way))
	if err != nil {
		t.Fatal(err)
	}
	dialer := NewDialer(func(ctx context.Context) (*pgconn.PgConn, error) {
		return pgconn.ConnectConfig(ctx, config)
	}, patience)
	opened, err := dialer.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { opened.Close(); dialer.Close() })
	return opened
}

// ask runs SQL through pgconn and returns the text of all rows, as a second opinion.
func (s *server) ask(t testing.TB, sql string) [][]string {
	t.Helper()
	conn, err := pgconn.Connect(t.Context(), s.dsn(bySocket))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.WithoutCancel(t.Context()))
	results, err := conn.Exec(t.Context(), sql).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var rows [][]string
	for _, result := range results {
		for _, row := range result.Rows {
			var text []string
			for _, value := range row {
				text = append(text, string(value))
			}
			rows = append(rows, text)
		}
	}
	return rows
}
