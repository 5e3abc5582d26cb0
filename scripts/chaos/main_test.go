//go:build unix

package main

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// The faults that are over soon are done on each change; the others are for the whole suite.
func TestShortSet(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds the program")
	}
	program := filepath.Join(t.TempDir(), "realiops")
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", program, "../../cmd/realiops").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	runs, err := filepath.Abs(filepath.Join("..", "..", "testdata", "runs"))
	if err != nil {
		t.Fatal(err)
	}
	const soon = 20 * time.Second
	work := t.TempDir()
	for i, f := range faults() {
		if f.Within > soon {
			continue
		}
		t.Run(f.Class+"/"+f.Name, func(t *testing.T) {
			if said, broken := f.try(&place{dir: filepath.Join(work, fmt.Sprint(i)), program: program, runs: runs}); len(broken) > 0 {
				t.Errorf("%q: %q", broken, said)
			}
		})
	}
}
