package main

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/rogpeppe/go-internal/testscript"

	"github.com/realiops/realiops/internal/measure/server/embedded"
	"github.com/realiops/realiops/internal/test/accounttest"
	"github.com/realiops/realiops/internal/test/servertest"
)

// Tests that compare rates or times run alone; the others wait more than they work, and run in parallel.
func TestMain(m *testing.M) {
	testscript.Main(workshop{withServers{m}}, map[string]func(){"realiops": main})
}

// withServers runs tests that start servers and ask AWS.
type withServers struct{ m *testing.M }

func (w withServers) Run() int { return accounttest.Main(serversOf(w)) }

type serversOf struct{ m *testing.M }

func (s serversOf) Run() int { return servertest.Main(s.m) }

// containerImage is built by scripts/postgres-image.
const containerImage = "realiops/postgres:17-local"

// TestScripts runs the scripts in testdata/script: commands with their output and exit codes.
func TestScripts(t *testing.T) {
	t.Parallel()
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	runs, err := filepath.Abs(filepath.Join("..", "..", "testdata", "runs"))
	if err != nil {
		t.Fatal(err)
	}
	program := filepath.Dir(built(t))
	// a script for each command
	raced := []string{"baseline", "collect", "doctor", "history", "load", "measure", "observe", "prices", "run"}
	testscript.Run(t, testscript.Params{
		Dir: filepath.Join("testdata", "script"),
		Setup: func(env *testscript.Env) error {
			env.Setenv("XDG_CACHE_HOME", cache)
			env.Setenv("RUNS", runs)
			if name := strings.TrimPrefix(filepath.Base(env.WorkDir), "script-"); !slices.Contains(raced, name) {
				// before this binary, which testscript.Main has added
				env.Setenv("PATH", program+":"+env.Getenv("PATH"))
			}
			env.Setenv("GORACE", os.Getenv("GORACE"))
			env.Setenv("TMPDIR", os.TempDir()) // a server's user cannot enter the script's own
			if mirror := os.Getenv("REALIOPS_PG_REPOSITORY"); mirror != "" {
				env.Setenv("REALIOPS_PG_REPOSITORY", mirror)
			}
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"postgres": startPostgres,
			"sql":      execSQL,
			"await":    await,
			"exits":    exits,
		},
		Condition: func(condition string) (bool, error) {
			switch condition {
			case "image":
				return exec.Command("docker", "image", "inspect", containerImage).Run() == nil, nil
			case "versions":
				return servertest.Thorough(), nil
			case "root":
				return os.Geteuid() == 0, nil
			default:
				return false, fmt.Errorf("unknown condition %s", condition)
			}
		},
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
	})
}

// startPostgres is «postgres VERSION [name=value …]»: a server until the end of the script. $DSN and $URL connect as
// superuser, by socket and by TCP, $BARE as PGUSER, and $PID is its process.
func startPostgres(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 {
		ts.Fatalf("usage: postgres VERSION [name=value …]")
	}
	s, err := embedded.Start(context.Background(), embedded.Options{
		Version: args[0], Settings: args[1:], Repository: os.Getenv("REALIOPS_PG_REPOSITORY"),
	})
	ts.Check(err)
	ts.Defer(func() { ts.Check(s.Stop(context.Background())) })
	ts.Setenv("DSN", s.DSN())
	ts.Setenv("URL", s.URL())
	bare, err := url.Parse(s.URL())
	ts.Check(err)
	bare.User = nil
	ts.Setenv("BARE", bare.String())
	pid, err := os.ReadFile(filepath.Join(s.Target().Storage.Directory, "postmaster.pid"))
	if err == nil {
		first, _, _ := strings.Cut(string(pid), "\n")
		ts.Setenv("PID", first)
	}
}

// execSQL is «sql STATEMENT …», on the server from postgres.
func execSQL(ts *testscript.TestScript, neg bool, args []string) {
	ctx := context.Background()
	conn, err := pgx.Connect(ctx, ts.Getenv("DSN"))
	ts.Check(err)
	defer conn.Close(ctx)
	for _, statement := range args {
		if _, err := conn.Exec(ctx, statement); (err != nil) != neg {
			ts.Fatalf("%s: %v", statement, err)
		}
	}
}

// await is «await FILE TEXT»: it waits until the file, which another command writes, contains the text.
func await(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: await FILE TEXT")
	}
	for range 2400 { // two minutes
		text, err := os.ReadFile(ts.MkAbs(args[0]))
		if err == nil && strings.Contains(string(text), args[1]) {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	ts.Fatalf("%s never held %q", args[0], args[1])
}

// exits is «exits CODE COMMAND …».
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE COMMAND …")
	}
	code := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		ended, ok := errors.AsType[*exec.ExitError](err)
		if !ok {
			ts.Fatalf("%v", err)
		}
		code = ended.ExitCode()
	}
	if want := args[0]; strconv.Itoa(code) != want {
		ts.Fatalf("exit code %d, want %s", code, want)
	}
}
