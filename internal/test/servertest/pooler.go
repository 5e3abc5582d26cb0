//go:build unix

package servertest

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/realiops/realiops/internal/measure/postgres"
)

// Pooler puts a pgbouncer in front of the endpoint, in one of its pool modes, until the test ends.
func Pooler(t testing.TB, behind *postgres.Endpoint, mode string) *postgres.Endpoint {
	t.Helper()
	program, err := exec.LookPath("pgbouncer")
	if err != nil {
		program = "/usr/sbin/pgbouncer" // Debian's path, often not in PATH
	}
	if _, err := os.Stat(program); err != nil {
		t.Skip("no pgbouncer on this machine")
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := l.Addr().(*net.TCPAddr).Port
	l.Close()

	dir, err := os.MkdirTemp("", "realiops-pooler-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	config, file := behind.Config(), filepath.Join(dir, "pgbouncer.ini")
	text := fmt.Sprintf(
		"[databases]\n* = host=127.0.0.1 port=%d user=%s password=%s\n[pgbouncer]\nlisten_addr=127.0.0.1\n"+
			"listen_port=%d\nunix_socket_dir=\nauth_type=any\npool_mode=%s\n", config.Port, config.User,
		config.Password, port, mode)
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program, file)
	cmd.Stderr = t.Output()
	if os.Geteuid() == 0 { // it refuses to run as root
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: nobody(t)}
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = cmd.Process.Kill(), cmd.Wait() })
	for range 3000 { // a minute
		if conn, err := net.Dial("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port))); err == nil {
			conn.Close()
			break
		}
		time.Sleep(20 * time.Millisecond)
	}
	return Endpoint(t, fmt.Sprintf("host=127.0.0.1 port=%d dbname=%s user=x sslmode=disable", port, config.Database))
}

func nobody(t testing.TB) *syscall.Credential {
	t.Helper()
	u, err := user.Lookup("nobody")
	if err != nil {
		t.Skip(err)
	}
	uid, _ := strconv.ParseUint(u.Uid, 10, 32)
	gid, _ := strconv.ParseUint(u.Gid, 10, 32)
	return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
}
