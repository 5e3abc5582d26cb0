//go:build unix

package input

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

func TestRead(t *testing.T) {
	name := filepath.Join(t.TempDir(), "file")
	check := func(size int, refused bool) {
		t.Helper()
		if err := os.WriteFile(name, bytes.Repeat([]byte("x"), size), 0o600); err != nil {
			t.Fatal(err)
		}
		text, err := Read(t.Context(), name)
		if (err != nil) != refused || err == nil && len(text) != size || err != nil &&
			!strings.Contains(err.Error(), "longer than 4 MiB") {
			t.Errorf("%d bytes: %d are read, %v", size, len(text), err)
		}
	}
	check(0, false)
	check(Most, false)
	check(Most+1, true)
	if _, err := Read(t.Context(), "/dev/zero"); err == nil {
		t.Error("an endless file is read")
	}
	if _, err := Read(t.Context(), name+"-none"); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
}

// A pipe that nobody writes to cannot even be opened.
func TestReadGivesUpWhenAsked(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Skip(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := Read(ctx, pipe); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
}
