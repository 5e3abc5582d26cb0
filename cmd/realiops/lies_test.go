package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/realiops/realiops/internal/test/liartest"
)

// TestOneInterruptEndsWhatALiarHolds: a command held by a lying server ends at one Ctrl-C, or says in time what it
// waits for. scripts/chaos tries all lies.
func TestOneInterruptEndsWhatALiarHolds(t *testing.T) {
	t.Parallel()
	script := filepath.Join(t.TempDir(), "script.sql")
	if err := os.WriteFile(script, []byte("select 1;\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for command, lie := range map[string]string{
		"doctor":                  "is ready too early",
		"run":                     "is ready too early, and drips",
		"observe":                 "stops in the middle of a batch",
		"measure --sql select":    "stops in the middle of a row",
		"load -n -T 600 -f FILE":  "drips its answer",
		"load -n -T 1200 -f FILE": "sends notices without an end",
	} {
		t.Run(command+" of a server that "+lie, func(t *testing.T) {
			t.Parallel()
			lies := liartest.Lies()
			liar, err := liartest.Listen(lies[slices.IndexFunc(lies, func(l liartest.Lie) bool {
				return l.Name == lie
			})])
			if err != nil {
				t.Fatal(err)
			}
			defer liar.Close()
			args := append(strings.Fields(strings.ReplaceAll(command, "FILE", script)), "--dsn", liar.DSN())
			c := realiops(t, args...)
			c.Dir = t.TempDir()
			p := start(t, c)
			must(t, p.Await("a question", func() bool { return liar.Asked() > 0 }))
			time.Sleep(500 * time.Millisecond) // the answer is in progress by now, except on the slowest machines
			interrupted := time.Now()
			if err := p.Process.Signal(syscall.SIGINT); err != nil {
				t.Fatal(err)
			}
			status := p.Wait()
			took, told := time.Since(interrupted), strings.Count(p.Err.String(), "realiops: stopping; waiting for ")
			const endsWithin, toldEvery, busy = 10 * time.Second, 5 * time.Second, 5 * time.Second
			if took > endsWithin+busy && told < int(took/(toldEvery+busy)) || status < 1 {
				t.Errorf("it ended after %v with %v, and said\n%s", took, p.ProcessState, p.Err)
			}
		})
	}
}
