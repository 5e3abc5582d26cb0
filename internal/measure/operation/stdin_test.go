package operation

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Each run of a command reads the same file, from where it was.
func TestEachRunReadsTheFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "in.sql")
	if err := os.WriteFile(path, []byte("skipped\nread\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if _, err := file.Seek(int64(len("skipped\n")), io.SeekStart); err != nil {
		t.Fatal(err)
	}
	var in input
	for run := range 3 {
		if err := in.next(file); err != nil {
			t.Fatal(err)
		}
		if got := catOf(t, file); got != "read\n" {
			t.Errorf("run %d read %q", run+1, got)
		}
	}
}

// A pipe that a run has read to its end is refused to the next one, and a pipe that had nothing to read is not.
func TestPipeEndsInTheFirstRun(t *testing.T) {
	for text, want := range map[string]error{"read\n": errPipe, "": nil} {
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		if _, err := w.WriteString(text); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		var in input
		if err := in.next(r); err != nil {
			t.Fatal(err)
		}
		if got := catOf(t, r); got != text {
			t.Fatalf("read %q, want %q", got, text)
		}
		if err := in.next(r); !errors.Is(err, want) {
			t.Errorf("after %q: %v, want %v", text, err, want)
		}
	}
}

// A pipe that the command does not read, or not to its end, may serve the next run.
func TestPipeWithMoreToRead(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	var in input
	for range 2 { // open, and empty
		if err := in.next(r); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := w.WriteString("more"); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := in.next(r); err != nil {
		t.Errorf("more is left: %v", err)
	}
}

func catOf(t *testing.T, from *os.File) string {
	t.Helper()
	c := exec.CommandContext(t.Context(), "cat")
	c.Stdin = from
	var out strings.Builder
	c.Stdout = &out
	if err := c.Run(); err != nil {
		t.Fatal(err)
	}
	return out.String()
}
