//go:build linux

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/realiops/realiops/internal/test/servertest"
)

func TestMain(m *testing.M) { os.Exit(servertest.Main(m)) }

// shortSet has the faults that are tried on each change besides all inputs, ids and limits: one of each kind. Those
// of a cloud take long, and are only in the script.
var shortSet = []string{
	"`run --dsn` and SIGTERM", "`run`, whose server is restarted", "`run`, whose connections are cut",
	"`run --shared`, while somebody writes",
	"`observe` killed", "`load` and Ctrl-C",
	"`measure`, all of whose processes are killed at once, and the next one",
}

func TestShortSet(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds the program")
	}
	program, work, err := build()
	t.Cleanup(func() { os.RemoveAll(work) })
	if err != nil {
		t.Fatal(err)
	}
	for i, f := range faults() {
		if quick := slices.Contains([]string{"inputs", "ids", "limits"}, f.Class); !quick &&
			!slices.Contains(shortSet, f.Name) {
			continue
		}
		t.Run(f.Class+"/"+f.Name, func(t *testing.T) {
			r := f.try(&place{dir: filepath.Join(work, fmt.Sprint(i)), program: program, runs: shippedRuns(),
				version: "17"})
			if len(r.broken) > 0 {
				t.Errorf("%q: %q", r.broken, r.said)
			}
		})
	}
}

// Names of faults are unique, and there are as many as promised.
func TestFaultsAreToldApart(t *testing.T) {
	seen := map[string]bool{}
	for _, f := range faults() {
		if name := f.Class + f.Name; seen[name] {
			t.Errorf("two faults are called %s", name)
		} else {
			seen[name] = true
		}
	}
	if len(seen) < 150 {
		t.Errorf("there are %d faults", len(seen))
	}
}
