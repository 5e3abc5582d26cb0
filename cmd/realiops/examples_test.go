package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/realiops/realiops/internal/measure/server/embedded"
	"github.com/realiops/realiops/internal/test/servertest"
)

// The examples of docs/reference/assertions.md pass as they are, and fail when an upgrade makes an order write two
// rows, each with the client and test runner of its language.
func TestExamples(t *testing.T) {
	t.Parallel()
	server := servertest.Start(t, embedded.Options{Version: "17"})
	boss := servertest.Connect(t, servertest.Endpoint(t, server.URL()))
	servertest.Exec(t, boss,
		"create extension pg_walinspect; create table orders (id int generated always as identity primary "+
			"key, customer int)")
	if err := boss.Close(t.Context()); err != nil { // an open session might report its work up to ten seconds later
		t.Fatal(err)
	}
	path := filepath.Dir(built(t)) + ":" + os.Getenv("PATH")
	for language, command := range map[string]func(*testing.T) []string{"python": pytest, "java": junit, "go": goTest} {
		t.Run(language, func(t *testing.T) {
			for writes, says := range map[string]string{"1": "", "2": "rows: 2 a run; the budget is 1"} {
				args := command(t)
				c := exec.CommandContext(t.Context(), args[0], args[1:]...)
				c.Dir = filepath.Join("testdata", "examples", language)
				c.Env = append(os.Environ(), "PATH="+path, "DATABASE_URL="+server.URL(), "ORM_WRITES="+writes,
					"PYTHONDONTWRITEBYTECODE=1")
				out, err := c.CombinedOutput()
				if passed := says == ""; (err == nil) != passed || !strings.Contains(string(out), says) {
					t.Errorf("with %s rows written: %v, want %q\n%s", writes, err, says, out)
				}
			}
		})
	}
}

// pytest finds the first Python with pytest and psycopg.
func pytest(t *testing.T) []string {
	t.Helper()
	for _, python := range []string{"python3", "/usr/bin/python3"} {
		if exec.Command(python, "-c", "import psycopg, pytest").Run() == nil {
			return []string{python, "-m", "pytest", "-q", "-p", "no:cacheprovider"}
		}
	}
	t.Skip("no Python here has psycopg and pytest (Debian: python3-psycopg, python3-pytest)")
	return nil
}

// junit compiles and runs the test with the jars of Debian's packages.
func junit(t *testing.T) []string {
	t.Helper()
	const jars = "/usr/share/java/"
	classes := strings.Join([]string{t.TempDir(), jars + "junit4.jar", jars + "hamcrest.jar", jars + "postgresql.jar"},
		":")
	for _, jar := range strings.Split(classes, ":")[1:] {
		if _, err := os.Stat(jar); err != nil {
			t.Skip("Debian's junit4 and libpostgresql-jdbc-java are not here")
		}
	}
	if _, err := exec.LookPath("javac"); err != nil {
		t.Skip("no Java compiler is here (Debian: default-jdk-headless)")
	}
	directory, _, _ := strings.Cut(classes, ":")
	source := filepath.Join("testdata", "examples", "java")
	compile := exec.CommandContext(t.Context(), "javac", "-cp", classes, "-d", directory,
		filepath.Join(source, "Order.java"), filepath.Join(source, "OrderTest.java"))
	if out, err := compile.CombinedOutput(); err != nil {
		t.Fatalf("javac: %v\n%s", err, out)
	}
	return []string{"java", "-cp", classes, "org.junit.runner.JUnitCore", "OrderTest"}
}

func goTest(*testing.T) []string { return []string{"go", "test", "-count=1", "."} }
