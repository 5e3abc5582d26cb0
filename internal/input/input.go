// Package input reads what users hand in by name: plans, scripts, job files, prices, and what other programs exported.
// All of it is read before anything is done, so it is bounded, and a name may be that of a pipe at whose other end
// nobody is: an interrupt ends the wait. What services answer is bounded by it too.
package input

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"unicode/utf16"
)

// Most is the largest input taken, in bytes: the largest that anybody has written by hand is a hundredth of it.
const Most = 4 << 20

// MostExported is the largest input taken from a program, in bytes.
const MostExported = 64 << 20

// Read reads a file whole.
func Read(ctx context.Context, name string) ([]byte, error) { return read(ctx, name, Most) }

// ReadExported reads a file that a program wrote.
func ReadExported(ctx context.Context, name string) ([]byte, error) {
	return read(ctx, name, MostExported)
}

func read(ctx context.Context, name string, most int) ([]byte, error) {
	return Await(ctx, func() ([]byte, error) {
		file, err := os.Open(name)
		if err != nil {
			return nil, err
		}
		defer file.Close()
		return all(file, name, most)
	})
}

// ReadFrom is Read of what is open already, such as standard input.
func ReadFrom(ctx context.Context, r io.Reader, name string) ([]byte, error) {
	return Await(ctx, func() ([]byte, error) { return all(r, name, Most) })
}

// ReadExportedFrom is ReadExported of what is open already.
func ReadExportedFrom(ctx context.Context, r io.Reader, name string) ([]byte, error) {
	return Await(ctx, func() ([]byte, error) { return all(r, name, MostExported) })
}

func all(r io.Reader, name string, most int) ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(r, int64(most)+1))
	if err != nil {
		return nil, err
	}
	if len(text) > most {
		return nil, fmt.Errorf("%s is longer than %d MiB, which is the most that is taken", name, most>>20)
	}
	return asUTF8(text), nil
}

// asUTF8 returns text without the byte order mark that programs on Windows begin with, and what PowerShell's > wrote as
// UTF-16 in UTF-8.
func asUTF8(text []byte) []byte {
	if rest, marked := bytes.CutPrefix(text, []byte("\xef\xbb\xbf")); marked {
		return rest
	}
	var order binary.ByteOrder
	switch {
	case bytes.HasPrefix(text, []byte("\xff\xfe")):
		order = binary.LittleEndian
	case bytes.HasPrefix(text, []byte("\xfe\xff")):
		order = binary.BigEndian
	default:
		return text
	}
	units := make([]uint16, 0, len(text)/2)
	for text = text[2:]; len(text) >= 2; text = text[2:] {
		units = append(units, order.Uint16(text))
	}
	return []byte(string(utf16.Decode(units)))
}

// Await gives up waiting when asked. What still waits to be opened or read then is left to the end of the process.
func Await[T any](ctx context.Context, read func() (T, error)) (T, error) {
	type result struct {
		read T
		err  error
	}
	done := make(chan result, 1)
	go func() {
		read, err := read()
		done <- result{read, err}
	}()
	select {
	case <-ctx.Done():
		var nothing T
		return nothing, context.Cause(ctx)
	case r := <-done:
		return r.read, r.err
	}
}
