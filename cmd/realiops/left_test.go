package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/realiops/realiops/internal/test/servertest"
)

// Whatever ends a run on a server of the user's, its schema goes; where it may stay, that is said.
func TestTheSchemaGoesHoweverARunEnds(t *testing.T) {
	t.Parallel()
	plan := planFile(t, `{"name": "bulk", "method": "copy", "rows_per_tx": 100, "clients": 1}`, "60")
	for name, end := range map[string]func(run *os.Process, reading *os.File){
		"SIGQUIT":           func(run *os.Process, _ *os.File) { _ = run.Signal(syscall.SIGQUIT) },
		"nobody reads it":   func(_ *os.Process, reading *os.File) { _ = reading.Close() },
		"interrupted twice": func(run *os.Process, _ *os.File) { _, _ = run.Signal(os.Interrupt), run.Signal(syscall.SIGTERM) },
	} {
		t.Run(name, func(t *testing.T) {
			database := servertest.Database(t, "17")
			boss := servertest.Connect(t, database)
			reading, writing, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			c := exec.CommandContext(t.Context(), os.Args[0], "run", "--dsn", database.Config().ConnString(), "--yes", "--shared",
				"--plan", plan, "-o", filepath.Join(t.TempDir(), "run.jsonl"))
			c.Args[0], c.Stdout, c.Stderr = "realiops", writing, writing // which testscript.Main takes for the program
			if err := c.Start(); err != nil {
				t.Fatal(err)
			}
			writing.Close()
			said := make(chan string, 1)
			begun := make(chan bool, 1)
			go func() {
				var all bytes.Buffer
				for b := make([]byte, 4096); ; {
					n, err := reading.Read(b)
					all.Write(b[:n])
					if bytes.Contains(all.Bytes(), []byte("every load has been tried")) && len(begun) == 0 {
						begun <- true
					}
					if err != nil {
						said <- all.String()
						return
					}
				}
			}()
			select {
			case <-begun:
			case <-time.After(2 * time.Minute):
				t.Fatal("no run began")
			}
			time.Sleep(2 * time.Second)
			end(c.Process, reading)
			_ = c.Wait()
			text := <-said
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
