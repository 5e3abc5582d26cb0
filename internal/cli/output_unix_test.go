//go:build unix

package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/realiops/realiops/internal/cli/command"
)

func TestWriteToKeepsWhoMayRead(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	check := func(name string, umask int, want os.FileMode) {
		t.Helper()
		defer syscall.Umask(syscall.Umask(umask))
		path := filepath.Join(dir, name)
		if err := command.WriteTo(path, nil, func(w io.Writer) error {
			_, err := io.WriteString(w, "text")
			return err
		}); err != nil {
			t.Fatal(err)
		}
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != want {
			t.Errorf("%s with umask %03o is %v (%v), want %v", name, umask, info.Mode().Perm(), err, want)
		}
	}
	check("new", 0o022, 0o644)
	check("own", 0o077, 0o600)
	check("group", 0o007, 0o660)
	check("own", 0o022, 0o600) // as it was
	check("group", 0o077, 0o660)
}

// Root could replace a device by a file; the device is written to instead.
func TestWriteToAPipe(t *testing.T) {
	t.Parallel()
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Skip(err)
	}
	read := make(chan string, 1)
	go func() {
		text, err := os.ReadFile(pipe)
		if err != nil {
			text = []byte(err.Error())
		}
		read <- string(text)
	}()
	if err := command.WriteTo(pipe, nil, func(w io.Writer) error {
		_, err := io.WriteString(w, "through")
		return err
	}); err != nil {
		t.Fatal(err)
	}
	if got := <-read; got != "through" {
		t.Errorf("through the pipe came %q", got)
	}
	if info, err := os.Stat(pipe); err != nil || info.Mode()&os.ModeNamedPipe == 0 {
		t.Errorf("the pipe is %v now (%v)", info.Mode(), err)
	}
}

// TestOnlyOutputsHaveReaders: a session of a lost server breaks like a pipe, and is reported as an error.
func TestOnlyOutputsHaveReaders(t *testing.T) {
	t.Parallel()
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := read.Close(); err != nil {
		t.Fatal(err)
	}
	_, broken := write.WriteString("text")
	if err := fmt.Errorf("write the report: %w", broken); !nobodyReads(err) {
		t.Errorf("%v: nobody reads that", err)
	}
	lost := &net.OpError{Op: "write", Net: "tcp", Err: os.NewSyscallError("write", syscall.EPIPE)}
	if err := fmt.Errorf("create the table: %w", lost); nobodyReads(err) {
		t.Errorf("%v: was taken for an output", err)
	}
}

// TestClosedPipeIsSilent: after «| head» there is no message, but an interrupt is reported.
func TestClosedPipeIsSilent(t *testing.T) {
	for by, want := range map[os.Signal]bool{syscall.SIGPIPE: true, os.Interrupt: false} {
		ctx, cancel := context.WithCancelCause(t.Context())
		cancel(&stoppedError{by})
		if err := fmt.Errorf("write the report: %w", context.Canceled); nobodyWaits(ctx, err) != want {
			t.Errorf("%v: want %v", by, want)
		}
		if nobodyWaits(ctx, errors.New("the disk is full")) {
			t.Errorf("%v: another error is not told", by)
		}
	}
}
