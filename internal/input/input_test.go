//go:build unix

package input

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
	"unicode/utf16"
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

// TestReadAsUTF8: PowerShell's > writes UTF-16, and other programs on Windows begin UTF-8 with a byte order mark.
func TestReadAsUTF8(t *testing.T) {
	const want = `{"Name": "Köln 𝄞"}`
	name := filepath.Join(t.TempDir(), "file")
	for what, text := range map[string]string{
		"plain": want, "marked": "\ufeff" + want, "little": encoded(want, binary.LittleEndian),
		"big": encoded(want, binary.BigEndian),
	} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if got, err := Read(t.Context(), name); err != nil || string(got) != want {
			t.Errorf("%s: %q, %v", what, got, err)
		}
	}
}

func encoded(text string, order binary.AppendByteOrder) string {
	var all []byte
	for _, unit := range utf16.Encode([]rune("\ufeff" + text)) {
		all = order.AppendUint16(all, unit)
	}
	return string(all)
}

// TestReadGivesUpWhenAsked: opening a pipe without a writer blocks.
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
