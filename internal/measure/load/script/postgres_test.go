//go:build unix

package script_test

import (
	"bytes"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// dsnVariable names a server for the comparison; without it, the tests start one.
const dsnVariable = "REALIOPS_TEST_DSN"

// pgbench is the real pgbench, with a server.
type pgbench struct {
	path, dsn string
	dir       string // for scripts
}

// shared is the server that the first test starts and TestMain stops.
var shared struct {
	sync.Once
	dsn, missing string
	stop         func()
}

func TestMain(m *testing.M) {
	code := m.Run()
	if shared.stop != nil {
		shared.stop()
	}
	os.Exit(code)
}

// newPgbench skips the test if there is no pgbench or no server.
func newPgbench(t *testing.T) *pgbench {
	t.Helper()
	path, err := exec.LookPath("pgbench")
	if err != nil {
		t.Skip("no pgbench in PATH to compare with")
	}
	shared.Do(startServer)
	if shared.missing != "" {
		t.Skip(shared.missing)
	}
	return &pgbench{path: path, dsn: shared.dsn, dir: t.TempDir()}
}

// run executes one script and returns its standard error. The script may fail.
func (p *pgbench) run(t *testing.T, script string, args ...string) string {
	t.Helper()
	file := filepath.Join(p.dir, "script.sql")
	if err := os.WriteFile(file, []byte(script), 0o644); err != nil {
		t.Fatal(err)
	}
	args = append([]string{"-n", "-f", file}, args...)
	cmd := exec.CommandContext(t.Context(), p.path, append(args, p.dsn)...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	err := cmd.Run()
	if _, failed := err.(*exec.ExitError); err != nil && !failed {
		t.Fatal(err)
	}
	return stderr.String()
}

func startServer() {
	if shared.dsn = os.Getenv(dsnVariable); shared.dsn != "" {
		return
	}
	bin, account, err := findServer()
	if err != nil {
		shared.missing = fmt.Sprintf("no server to compare on: %v (or set %s)", err, dsnVariable)
		return
	}
	dir, err := os.MkdirTemp("", "script-test-")
	if err != nil {
		panic(err)
	}
	s := &server{bin: bin, dir: dir, account: account}
	shared.stop = s.stop
	shared.dsn = s.start()
}

// findServer finds the programs and an account to run them: they refuse root.
func findServer() (bin string, account *syscall.Credential, err error) {
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/initdb")
	if path, err := exec.LookPath("initdb"); err == nil && len(found) == 0 {
		found = []string{path}
	}
	if len(found) == 0 {
		return "", nil, fmt.Errorf("no initdb found")
	}
	if os.Getuid() != 0 {
		return filepath.Dir(found[0]), nil, nil
	}
	postgres, err := user.Lookup("postgres")
	if err != nil {
		return "", nil, err
	}
	uid, _ := strconv.Atoi(postgres.Uid)
	gid, _ := strconv.Atoi(postgres.Gid)
	return filepath.Dir(found[0]), &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}, nil
}

type server struct {
	bin, dir string
	account  *syscall.Credential
	process  *exec.Cmd
}

func (s *server) command(program string, args ...string) *exec.Cmd {
	cmd := exec.Command(filepath.Join(s.bin, program), args...)
	cmd.Dir = s.dir
	if s.account != nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: s.account}
	}
	return cmd
}

func (s *server) start() (dsn string) {
	if s.account != nil {
		if err := os.Chown(s.dir, int(s.account.Uid), int(s.account.Gid)); err != nil {
			panic(err)
		}
	}
	data := filepath.Join(s.dir, "data")
	if out, err := s.command("initdb", "-A", "trust", "-U", "postgres", "-E", "UTF8", "--no-locale", "-N", "-D", data).
		CombinedOutput(); err != nil {
		panic(fmt.Sprintf("initdb: %v: %s", err, out))
	}
	port := freePort()
	s.process = s.command("postgres", "-D", data, "-p", port, "-h", "127.0.0.1", "-k", s.dir, "-F")
	if err := s.process.Start(); err != nil {
		panic(err)
	}
	dsn = fmt.Sprintf("host=127.0.0.1 port=%s user=postgres dbname=postgres", port)
	s.wait(dsn)
	return dsn
}

func (s *server) wait(dsn string) {
	for range 600 { // a minute
		if out, err := s.command("pg_isready", "-d", dsn).CombinedOutput(); err == nil {
			return
		} else if strings.Contains(err.Error(), "no such file") {
			panic(string(out))
		}
		time.Sleep(100 * time.Millisecond)
	}
	panic("the server did not start within a minute")
}

func (s *server) stop() {
	if s.process != nil {
		_ = s.process.Process.Signal(syscall.SIGQUIT)
		_ = s.process.Wait()
	}
	_ = os.RemoveAll(s.dir)
}

func freePort() string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	defer l.Close()
	return strconv.Itoa(l.Addr().(*net.TCPAddr).Port)
}
