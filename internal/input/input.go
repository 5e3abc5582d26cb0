// Package input reads files that users name: plans, scripts, job files, prices, and exports of other programs. It reads
// each file completely before anything is done, up to a limit. A name may be a pipe without a writer: an interrupt ends
// the wait. It also limits answers of services.
package input

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"reflect"
	"strings"
	"time"
	"unicode/utf16"
)

// Most is the largest handwritten input, in bytes: a hundred times any known one.
const Most = 4 << 20

// MostExported is the largest input from a program, in bytes.
const MostExported = 64 << 20

// Read reads a whole file.
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

// ReadFrom is Read for an open file, such as standard input.
func ReadFrom(ctx context.Context, r io.Reader, name string) ([]byte, error) {
	return Await(ctx, func() ([]byte, error) { return all(r, name, Most) })
}

// ReadExportedFrom is ReadExported for an open file.
func ReadExportedFrom(ctx context.Context, r io.Reader, name string) ([]byte, error) {
	return Await(ctx, func() ([]byte, error) { return all(r, name, MostExported) })
}

func all(r io.Reader, name string, most int) ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(r, int64(most)+1))
	if err != nil {
		return nil, err
	}
	if len(text) > most {
		return nil, fmt.Errorf("%s is longer than %d MiB, the limit", name, most>>20)
	}
	return UTF8(text), nil
}

// Byte order marks.
var (
	utf8Mark   = []byte("\xef\xbb\xbf")
	littleMark = []byte("\xff\xfe")
	bigMark    = []byte("\xfe\xff")
)

// UTF8 returns text without the byte order mark of programs on Windows, and converts PowerShell's UTF-16 to UTF-8.
func UTF8(text []byte) []byte {
	if rest, marked := bytes.CutPrefix(text, utf8Mark); marked {
		return rest
	}
	var order binary.ByteOrder
	switch {
	case bytes.HasPrefix(text, littleMark):
		order = binary.LittleEndian
	case bytes.HasPrefix(text, bigMark):
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

// ErrUTF16 is the error for UTF-16 in a file that is too large to convert in memory.
var ErrUTF16 = errors.New("this is UTF-16 text, as PowerShell's > writes it; convert it with Get-Content OLD | " +
	"Set-Content -Encoding utf8 NEW")

// SkipMark is UTF8 for a stream: it skips the mark of UTF-8, and returns ErrUTF16 for UTF-16. Errors of r are left to its
// next reader.
func SkipMark(r *bufio.Reader) error {
	head, _ := r.Peek(len(utf8Mark))
	switch {
	case bytes.Equal(head, utf8Mark):
		_, err := r.Discard(len(head))
		return err
	case bytes.HasPrefix(head, littleMark), bytes.HasPrefix(head, bigMark):
		return ErrUTF16
	}
	return nil
}

// Await stops waiting for read when ctx is done. A pending open or read then lasts until the process ends.
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

// Separator returns the column separator of CSV, by its first line: a comma, or a spreadsheet's semicolon or tab.
func Separator(text []byte) rune {
	first, _, _ := bytes.Cut(text, []byte("\n"))
	for _, other := range ";\t" {
		if bytes.ContainsRune(first, other) && !bytes.ContainsRune(first, ',') {
			return other
		}
	}
	return ','
}

// Answer limits the body of an answer: reading more than most bytes fails with tooLong.
func Answer(body io.ReadCloser, most int, tooLong error) io.ReadCloser {
	return &answer{body, most, tooLong}
}

type answer struct {
	io.ReadCloser
	left    int
	tooLong error
}

func (a *answer) Read(p []byte) (int, error) {
	n, err := a.ReadCloser.Read(p)
	if a.left -= n; a.left < 0 {
		return 0, a.tooLong
	}
	return n, err
}

// article maps the types of JSON to words with their article.
var article = map[string]string{"string": "a string", "number": "a number", "bool": "true or false", "array": "a list",
	"object": "an object"}

// kinds maps the kinds of Go's fields to the types of JSON.
var kinds = map[reflect.Kind]string{reflect.Int: "a number", reflect.Int64: "a number", reflect.Float64: "a number",
	reflect.String: "a string", reflect.Bool: "true or false", reflect.Slice: "a list", reflect.Map: "an object",
	reflect.Struct: "an object", reflect.Pointer: "an object"}

// NotJSON describes an error in the JSON of another program in terms of the file.
func NotJSON(err error) error {
	if kind, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		name := kind.Field[strings.LastIndex(kind.Field, ".")+1:]
		if number, large := strings.CutPrefix(kind.Value, "number "); large {
			return fmt.Errorf("field %s is %s, which is out of range", name, number)
		}
		return fmt.Errorf("field %s is %s, but must be %s", name, cmp.Or(article[kind.Value], kind.Value),
			kinds[kind.Type.Kind()])
	}
	if at, ok := errors.AsType[*time.ParseError](err); ok {
		return fmt.Errorf("time %q is invalid or has no zone; write it like 2026-11-20T13:00:00Z", at.Value)
	}
	if err != nil && strings.HasPrefix(err.Error(), "Time.UnmarshalJSON: ") { // the time package has no type for it
		return errors.New(`a time is not text such as "2026-11-20T13:00:00Z"; if the AWS CLI wrote it, run aws configure set ` +
			"cli_timestamp_format iso8601 and export it again")
	}
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
		if syntax.Error() == "unexpected end of JSON input" {
			return errors.New("unexpected end of JSON; is the file complete?")
		}
		return fmt.Errorf("invalid JSON at byte %d; is the file complete?", syntax.Offset)
	}
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return errors.New("unexpected end of JSON; is the file complete?")
	}
	return err
}
