package main

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/realiops/realiops/internal/test/process"
	"github.com/realiops/realiops/internal/test/servertest"
)

// Whatever ends a run on the user's server, its schema is dropped, or the message says that it may remain.
func TestTheSchemaGoesHoweverARunEnds(t *testing.T) {
	t.Parallel()
	plan := planFile(t, `{"name": "bulk", "method": "copy", "rows_per_tx": 100, "clients": 1}`, "60")
	for name, end := range map[string]func(run *os.Process, reading *os.File){
		"SIGQUIT":         func(run *os.Process, _ *os.File) { _ = run.Signal(syscall.SIGQUIT) },
		"nobody reads it": func(_ *os.Process, reading *os.File) { _ = reading.Close() },
		"interrupted twice": func(run *os.Process, _ *os.File) {
			_, _ = run.Signal(os.Interrupt), run.Signal(syscall.SIGTERM)
		},
	} {
		t.Run(name, func(t *testing.T) {
			database := servertest.Database(t, "17")
			boss := servertest.Connect(t, database)
			reading, writing, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			c := realiops(t, "run", "--dsn", database.Config().ConnString(), "--yes", "--shared", "--plan", plan,
				"-o", filepath.Join(t.TempDir(), "run.jsonl"))
			c.Stdout, c.Stderr = writing, writing
			p := start(t, c)
			writing.Close()
			var said process.Output
			read := make(chan struct{})
			go func() {
				defer close(read)
				_, _ = io.Copy(&said, reading) // until it ends, or its reader leaves
			}()
			must(t, p.Await("a run", func() bool {
				return strings.Contains(said.String(), "every load has been tried")
			}))
			end(p.Process, reading)
			p.Wait()
			<-read
			text := said.String()
			there := servertest.Value[bool](t, boss, "select to_regnamespace('realiops') is not null")
			if there && !strings.Contains(text, "ended at once: the schema realiops may stay") {
				t.Errorf("the schema is there, and nothing says so:\n%s", text)
			}
			if there && name != "interrupted twice" {
				t.Errorf("the schema is there:\n%s", text)
			}
		})
	}
}
