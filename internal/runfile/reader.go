package runfile

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"strings"
	"time"

	"github.com/klauspost/compress/zstd"

	"github.com/realiops/realiops/internal/input"
)

const schemaFamily = "realiops.run/"

// maxLine bounds a line, so that binary junk without a newline is refused and not read into memory.
const maxLine = 16 << 20

// Errors for a file that cannot be read at all.
var (
	ErrEmpty      = errors.New("the file is empty")
	ErrNotRunFile = errors.New("this is not a realiops run file")
	ErrGzip       = errors.New("gzip is not supported; unpack the file with gunzip, or compress it with zstd")
	// ErrOldWords is the error for a run file with keys from before the first release.
	ErrOldWords = errors.New("this run file is from an older realiops; convert it by the table in " +
		"docs/reference/run-file.md#old-words, or measure again")
)

// SchemaError reports a run file of a format that this version does not know.
type SchemaError struct{ Found string }

func (e *SchemaError) Error() string {
	return fmt.Sprintf("the file has schema %s, but this realiops reads %s; use a newer realiops", e.Found, Schema)
}

// LineError is a defect in one line of a file.
type LineError struct {
	Line int // from 1
	Err  error
}

func (e *LineError) Error() string { return fmt.Sprintf("line %d: %v", e.Line, e.Err) }
func (e *LineError) Unwrap() error { return e.Err }

// TornError reports a last line that was not written completely, as when a machine or a process dies. Everything before
// it is valid: a reader reports it and continues.
type TornError struct{ Line int }

func (e *TornError) Error() string {
	if e.Line == 1 {
		return "the run was cut off in its first line, so nothing of it is left"
	}
	return fmt.Sprintf("skipped the torn last line, %d: the run was cut off while writing it", e.Line)
}

// Open reads the file at path. See Read for what the sequence yields.
func Open(path string) (iter.Seq2[Record, error], io.Closer, error) { return open(path, Read) }

// OpenRows is Open with a Row for each Reading.
func OpenRows(path string) (iter.Seq2[Record, error], io.Closer, error) { return open(path, ReadRows) }

func open(path string, read func(io.Reader) iter.Seq2[Record, error]) (iter.Seq2[Record, error], io.Closer, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, nil, err
	}
	return read(f), f, nil
}

// Read yields the records of a run file in order, compressed or not. The first is always a Run. An error comes last and
// ends the sequence; after a *TornError everything before it may be used.
func Read(r io.Reader) iter.Seq2[Record, error] {
	return records(r, func(record Record) Record {
		if row, isRow := record.(Row); isRow {
			return row.Reading()
		}
		return record
	})
}

// ReadRows is Read with a Row for each Reading: several times faster, but a row is only valid until the next record.
func ReadRows(r io.Reader) iter.Seq2[Record, error] {
	return records(r, func(record Record) Record {
		if reading, isReading := record.(Reading); isReading {
			return reading.Row()
		}
		return record
	})
}

func records(r io.Reader, as func(Record) Record) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		text, closeText, err := uncompressed(bufio.NewReaderSize(r, 1<<16))
		if err != nil {
			yield(nil, err)
			return
		}
		defer closeText()
		l := lines{}
		for k := range decoded(text) {
			for _, i := range k.items {
				if record, err := l.take(i); (err != nil || record != nil) && (!yield(as(record), err) || err != nil) {
					return
				}
			}
			if err := l.stopped(k.end); err != nil {
				yield(nil, err)
			}
		}
	}
}

// zstdMagic opens every zstd frame (RFC 8878, section 3.1.1).
var zstdMagic = []byte{0x28, 0xb5, 0x2f, 0xfd}

// gzipMagic opens every member of a gzip file (RFC 1952, section 2.3.1).
var gzipMagic = []byte{0x1f, 0x8b}

// maxWindow bounds the memory that a file can make the decoder allocate; our own files need 8 MB.
const maxWindow = 128 << 20

func uncompressed(r *bufio.Reader) (io.Reader, func(), error) {
	if err := input.SkipMark(r); err != nil {
		return nil, nil, err
	}
	head, err := r.Peek(len(zstdMagic))
	switch {
	case len(head) == 0 && (err == nil || errors.Is(err, io.EOF)):
		return nil, nil, ErrEmpty
	case len(head) == 0:
		return nil, nil, err
	case len(head) < len(zstdMagic) && bytes.HasPrefix(zstdMagic, head):
		return nil, nil, &TornError{Line: 1}
	case bytes.HasPrefix(head, gzipMagic):
		return nil, nil, ErrGzip
	case !bytes.Equal(head, zstdMagic):
		return r, func() {}, nil
	}
	z, err := zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(maxWindow))
	if err != nil {
		return nil, nil, fmt.Errorf("open compressed run file: %w", err)
	}
	return z, z.Close, nil
}

// lines tracks the position in a file.
type lines struct {
	n      int  // lines taken
	blanks int  // blank ones of these
	begun  bool // the run line has been read
}

// mostBlanks bounds the empty lines of a file: two gigabytes of them compress to almost nothing.
const mostBlanks = 1_000_000

// stopped returns the error for the end of the text; nil if it is the regular end, or more follows.
func (l *lines) stopped(end error) error {
	switch {
	case end == nil:
		return nil
	case errors.Is(end, io.ErrUnexpectedEOF):
		return &TornError{Line: l.n + 1}
	case !l.begun && (errors.Is(end, io.EOF) || errors.Is(end, errTooLong)):
		return ErrNotRunFile
	case errors.Is(end, io.EOF):
		return nil
	default:
		return &LineError{Line: l.n + 1, Err: fmt.Errorf("cannot be read: %w", end)}
	}
}

// take returns a line's record, or nil if it is blank or of a kind unknown to this version.
func (l *lines) take(i item) (Record, error) {
	l.n += max(i.blanks, 1)
	l.blanks += i.blanks
	switch isRun := i.record != nil && i.record.Kind() == KindRun; {
	case i.err != nil:
		return nil, l.defect(i.err, i.line, i.cut)
	case l.blanks > mostBlanks:
		return nil, &LineError{l.n, fmt.Errorf("more than %d empty lines; this is not a run file", mostBlanks)}
	case i.blanks > 0:
		return nil, nil
	case !l.begun && !isRun:
		return nil, ErrNotRunFile
	case l.begun && isRun:
		return nil, &LineError{l.n, errors.New("a second run line: two files were joined")}
	}
	l.begun = true
	return i.record, nil
}

func (l *lines) defect(err error, line []byte, cut bool) error {
	switch _, newer := errors.AsType[*SchemaError](err); {
	case newer, errors.Is(err, ErrNotRunFile), errors.Is(err, ErrOldWords):
		return err
	case !l.begun && !opensRun(line, cut):
		return ErrNotRunFile
	case cut:
		return &TornError{Line: l.n}
	default:
		return &LineError{Line: l.n, Err: damage(err)}
	}
}

// damage describes an error in a line in terms of the file.
func damage(err error) error {
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
		return fmt.Errorf("the file is corrupt at that point: %w", syntax)
	}
	if kind, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		article := "a"
		if strings.ContainsRune("ao", rune(kind.Value[0])) { // array, object
			article = "an"
		}
		return fmt.Errorf("the file is corrupt at that point: %s is %s %s", kind.Field, article, kind.Value)
	}
	if at, ok := errors.AsType[*time.ParseError](err); ok {
		return fmt.Errorf("the file is corrupt at that point: %q is not a time", at.Value)
	}
	return err
}

// opensRun reports whether a line that cannot be decoded is the remainder of a run line.
func opensRun(line []byte, cut bool) bool {
	opening := []byte(`{"kind":"run"`)
	kind, err := kindOf(line) // also as another program wrote it
	return err == nil && kind == KindRun || bytes.HasPrefix(line, opening) || cut && bytes.HasPrefix(opening, line)
}

var errTooLong = fmt.Errorf("longer than %d MiB", maxLine>>20)
