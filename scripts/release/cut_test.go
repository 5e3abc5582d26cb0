package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestInstallerThatIsCutOff runs every beginning of the installer, like a download that breaks off in a pipe to a
// shell: none starts a program or makes a file.
func TestInstallerThatIsCutOff(t *testing.T) {
	script, err := os.ReadFile(filepath.Join("..", "..", "packaging", "install.sh"))
	if err != nil {
		t.Fatal(err)
	}
	home, tools := t.TempDir(), t.TempDir()
	started := filepath.Join(t.TempDir(), "started")
	stub := []byte("#!/bin/sh\necho \"$0\" >>" + started + "\n")
	for name := range strings.FieldsSeq("uname mktemp curl wget awk grep sha256sum shasum tar mkdir cp mv rm install " +
		"fetch fail realiops") {
		if err := os.WriteFile(filepath.Join(tools, name), stub, 0o700); err != nil { //nolint:gosec // it is a program
			t.Fatal(err)
		}
	}
	run := func(shell string, text []byte) (complaint string) {
		c := exec.CommandContext(t.Context(), shell)
		c.Stdin, c.Dir, c.Env = bytes.NewReader(text), home, []string{"PATH=" + tools, "HOME=" + home, "TMPDIR=" + home}
		var said bytes.Buffer
		c.Stdout, c.Stderr = &said, &said
		_ = c.Run() // it may complain
		return said.String()
	}
	whole := len(bytes.TrimRight(script, "\n"))
	for _, shell := range []string{"sh", "bash"} {
		path, err := exec.LookPath(shell)
		if err != nil {
			t.Fatal(err)
		}
		step := map[string]int{"sh": 1, "bash": 17}[shell]
		for cut := 0; cut < whole; cut += step {
			said := run(path, script[:cut])
			made, err := os.ReadDir(home)
			if _, ran := os.Stat(started); ran == nil || err != nil || len(made) > 0 ||
				strings.Contains(said, "not found") {
				t.Fatalf("%s: %d of %d bytes: it starts something or makes %v, and says %s", shell, cut,
					whole, made, said)
			}
		}
		if run(path, script); os.Remove(started) != nil {
			t.Errorf("%s: all of it starts nothing: the stubs are not found", shell)
		}
	}
}
