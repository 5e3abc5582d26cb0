package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/realiops/realiops/internal/test/servertest"
)

// screen is a terminal with a program.
type screen struct {
	keys, inside *os.File

	mu    sync.Mutex
	shown bytes.Buffer
	news  chan struct{}
}

func newScreen(t *testing.T) *screen {
	t.Helper()
	keys, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skip(err)
	}
	number, err := unix.IoctlGetInt(int(keys.Fd()), unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(int(keys.Fd()), unix.TIOCSPTLCK, 0)
	}
	if err != nil {
		t.Skip(err)
	}
	inside, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skip(err)
	}
	s := &screen{keys: keys, inside: inside, news: make(chan struct{}, 1)}
	t.Cleanup(func() { _, _ = keys.Close(), inside.Close() })
	go func() {
		part := make([]byte, 4096)
		for {
			n, err := keys.Read(part)
			s.mu.Lock()
			s.shown.Write(part[:n])
			s.mu.Unlock()
			select {
			case s.news <- struct{}{}:
			default:
			}
			if err != nil {
				return
			}
		}
	}()
	return s
}

func (s *screen) text() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.shown.String()
}

// echoes reports whether the terminal shows what is typed.
func (s *screen) echoes(t *testing.T) bool {
	t.Helper()
	state, err := unix.IoctlGetTermios(int(s.inside.Fd()), unix.TCGETS)
	if err != nil {
		t.Fatal(err)
	}
	return state.Lflag&unix.ECHO != 0
}

// lastShown follows a program's output.
const lastShown = "<the end>"

// run runs a program in the terminal. At a prompt it types the keys.
func (s *screen) run(t *testing.T, c *exec.Cmd, keys string) (status int) {
	t.Helper()
	if c.Stdin == nil {
		c.Stdin = s.inside
	}
	c.Stdout, c.Stderr = s.inside, s.inside
	c.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true, Ctty: 1}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- c.Wait() }()
	late := time.After(time.Minute)
	for typed := false; ; {
		select {
		case <-late:
			_ = c.Process.Kill()
			t.Fatalf("it does not end, and shows\n%s", s.text())
		case <-s.news:
		case <-time.After(20 * time.Millisecond): // the terminal stops echoing a moment after the prompt
		case <-ended:
			if _, err := s.inside.WriteString(lastShown); err != nil {
				t.Fatal(err)
			}
			ended = nil
		}
		if strings.Contains(s.text(), lastShown) {
			return c.ProcessState.ExitCode()
		}
		if !typed && strings.Contains(s.text(), "Password for user") && !s.echoes(t) {
			typed = true
			if _, err := s.keys.WriteString(keys); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// TestPasswordPrompt: the password is asked for as in psql: in a terminal, once, and only if no other source has one.
func TestPasswordPrompt(t *testing.T) {
	t.Parallel()
	server := servertest.Alone(t, "17")
	c := server.Config()
	dsn := fmt.Sprintf("host=%s port=%d user=postgres dbname=postgres", c.Host, c.Port)
	dir := t.TempDir()
	file := filepath.Join(dir, "file.jsonl")
	pass := filepath.Join(dir, "pgpass")
	write(t, pass, "*:*:*:*:"+c.Password+"\n", 0o600)
	boss := servertest.Connect(t, server)
	servertest.Exec(t, boss, "create table kept (id int)")
	if err := boss.Close(context.Background()); err != nil {
		t.Fatal(err)
	}
	measure := []string{"measure", "--dsn", dsn, "-r", "1", "--warmup", "0", "--background", "50ms", "-o", file}
	for _, test := range []struct {
		name    string
		args    []string
		env     []string
		keys    string
		piped   bool // standard input is no terminal
		prompts int
		status  int
		says    string
	}{
		{name: "doctor", args: []string{"doctor", "--dsn", dsn}, keys: c.Password + "\n", prompts: 1,
			says: "PostgreSQL 17"},
		{name: "load", args: []string{"load", "-n", "-t", "5", "-c", "3", "-b", "select-only", dsn}, keys: "wrong\n",
			prompts: 1, status: 1, says: "password authentication failed"},
		{name: "measure", args: append(measure, "--sql", "insert into kept values (1)"), keys: c.Password + "\n",
			prompts: 1, says: "repetition 1 of 1"},
		{name: "a command that connects itself", args: append(measure, "--", "psql", "-Xqwc",
			"insert into kept values (1)"), keys: c.Password + "\n", prompts: 1, says: "repetition 1 of 1"},
		{name: "observe", args: []string{"observe", "--dsn", dsn, "--for", "1s", "-o", file}, keys: c.Password + "\n",
			prompts: 1, says: "PostgreSQL 17"},
		{name: "Ctrl-C", args: []string{"doctor", "--dsn", dsn}, keys: "\x03", prompts: 1, status: 1,
			says: "stopped by SIGINT (Ctrl-C)"},
		{name: "no password", args: []string{"doctor", "--dsn", dsn}, keys: "\x04\n", prompts: 1, status: 1,
			says: "password authentication failed"},
		{name: "PGPASSWORD", args: []string{"doctor", "--dsn", dsn}, env: []string{"PGPASSWORD=" + c.Password},
			says: "PostgreSQL 17"},
		{name: "a password file", args: []string{"doctor", "--dsn", dsn}, env: []string{"PGPASSFILE=" + pass},
			says: "PostgreSQL 17"},
		{name: "the connection string", args: []string{"doctor", "--dsn", dsn + " password=" + c.Password},
			says: "PostgreSQL 17"},
		{name: "CI", args: []string{"doctor", "--dsn", dsn}, env: []string{"CI=true"}, status: 1,
			says: "password authentication failed"},
		{name: "a pipe", args: []string{"doctor", "--dsn", dsn}, piped: true, status: 1,
			says: "password authentication failed"},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := newScreen(t)
			command := realiops(t, test.args...)
			command.Env = append([]string{"HOME=" + dir, "PATH=" + os.Getenv("PATH"), "TERM=xterm"}, test.env...)
			if test.piped {
				command.Stdin = strings.NewReader("piped\n")
			}
			_ = os.Remove(file)
			status := s.run(t, command, test.keys)
			text := s.text()
			if status != test.status || !strings.Contains(text, test.says) ||
				strings.Count(text, "Password for user postgres: ") != test.prompts {
				t.Errorf("exit status %d, want %d with %q and %d prompts:\n%s", status, test.status, test.says,
					test.prompts, text)
			}
			if !s.echoes(t) {
				t.Error("the terminal shows no keys any more")
			}
			kept, _ := os.ReadFile(file)
			if strings.Contains(text+string(kept), c.Password) {
				t.Errorf("the password is shown or kept:\n%s\n%s", text, kept)
			}
		})
	}
}
