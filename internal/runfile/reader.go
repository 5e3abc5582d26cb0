package runfile

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"

	"github.com/klauspost/compress/zstd"
)

const schemaFamily = "realiops.run/"

// maxLine bounds a line, so that binary junk without a newline is refused and not read into memory.
const maxLine = 16 << 20

// Errors that say a file cannot be read at all.
var (
	ErrEmpty      = errors.New("the file is empty")
	ErrNotRunFile = errors.New("this is not a realiops run file")
)

// SchemaError is a run file of a format that this version does not know.
type SchemaError struct{ Found string }

func (e *SchemaError) Error() string {
	return fmt.Sprintf("the file is written as %s and this realiops reads %s; use a newer realiops", e.Found, Schema)
}

// LineError is a defect in one line of a file.
type LineError struct {
	Line int // from 1
	Err  error
}

func (e *LineError) Error() string { return fmt.Sprintf("line %d: %v", e.Line, e.Err) }
func (e *LineError) Unwrap() error { return e.Err }

// TornError is a last line that was not written to its end, as happens when a machine or a process dies. Everything
// before it is whole: a reader reports it and goes on.
type TornError struct{ Line int }

func (e *TornError) Error() string {
	return fmt.Sprintf("line %d, the last, is torn and was left out: the run was cut off while writing it", e.Line)
}

// Open reads the file at path. See Read for what the sequence yields.
func Open(path string) (iter.Seq2[Record, error], io.Closer, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, nil, err
	}
	return Read(f), f, nil
}

// Read yields the records of a run file in order, compressed or not. The first is always a Run. An error comes last
// and ends the sequence; after a *TornError everything before it may be used.
func Read(r io.Reader) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		text, closeText, err := uncompressed(bufio.NewReaderSize(r, 1<<16))
		if err != nil {
			yield(nil, err)
			return
		}
		defer closeText()
		l := lines{r: bufio.NewReaderSize(text, 1<<16)}
		for {
			record, err := l.next()
			if errors.Is(err, io.EOF) {
				return
			}
			if !yield(record, err) || err != nil {
				return
			}
		}
	}
}

// zstdMagic opens every zstd frame (RFC 8878, section 3.1.1).
var zstdMagic = []byte{0x28, 0xb5, 0x2f, 0xfd}

// maxWindow bounds what the decoder may be made to set aside; our own files ask for 8 MB.
const maxWindow = 128 << 20

func uncompressed(r *bufio.Reader) (io.Reader, func(), error) {
	head, err := r.Peek(len(zstdMagic))
	switch {
	case len(head) == 0 && (err == nil || errors.Is(err, io.EOF)):
		return nil, nil, ErrEmpty
	case len(head) == 0:
		return nil, nil, err
	case len(head) < len(zstdMagic) && bytes.HasPrefix(zstdMagic, head):
		return nil, nil, &TornError{Line: 1}
	case !bytes.Equal(head, zstdMagic):
		return r, func() {}, nil
	}
	z, err := zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(maxWindow))
	if err != nil {
		return nil, nil, fmt.Errorf("open compressed run file: %w", err)
	}
	return z, z.Close, nil
}

// lines decodes one record after the other.
type lines struct {
	r     *bufio.Reader
	n     int  // lines read
	begun bool // the run line has been read
}

func (l *lines) next() (Record, error) {
	for {
		line, end := readLine(l.r)
		cut := errors.Is(end, io.EOF) || errors.Is(end, io.ErrUnexpectedEOF)
		if end != nil && (!cut || len(line) == 0) {
			return nil, l.stopped(end)
		}
		l.n++
		record, err := l.decode(line, cut)
		if record != nil || err != nil {
			return record, err
		}
	}
}

// stopped says what it means that no further line can be read.
func (l *lines) stopped(end error) error {
	switch {
	case errors.Is(end, io.ErrUnexpectedEOF):
		return &TornError{Line: l.n + 1}
	case !l.begun && (errors.Is(end, io.EOF) || errors.Is(end, errTooLong)):
		return ErrNotRunFile
	case errors.Is(end, io.EOF):
		return io.EOF
	default:
		return &LineError{Line: l.n + 1, Err: fmt.Errorf("cannot be read: %w", end)}
	}
}

// decode turns a line into a record, or into nothing where it is blank or of a kind unknown to this version.
func (l *lines) decode(line []byte, cut bool) (Record, error) {
	if len(bytes.TrimSpace(line)) == 0 {
		return nil, nil
	}
	record, err := decode(line)
	if err != nil {
		return nil, l.defect(err, line, cut)
	}
	isRun := record != nil && record.Kind() == KindRun
	switch {
	case !l.begun && !isRun:
		return nil, ErrNotRunFile
	case l.begun && isRun:
		return nil, &LineError{l.n, errors.New("a second run line: two files were joined")}
	}
	l.begun = true
	return record, nil
}

func (l *lines) defect(err error, line []byte, cut bool) error {
	_, newer := errors.AsType[*SchemaError](err)
	switch {
	case newer, errors.Is(err, ErrNotRunFile):
		return err
	case !l.begun && !opensRun(line, cut):
		return ErrNotRunFile
	case cut:
		return &TornError{Line: l.n}
	default:
		return &LineError{Line: l.n, Err: err}
	}
}

// opensRun tells whether a line that cannot be decoded is what is left of a run line.
func opensRun(line []byte, cut bool) bool {
	opening := []byte(`{"kind":"run"`)
	return bytes.HasPrefix(line, opening) || cut && bytes.HasPrefix(opening, line)
}

var errTooLong = fmt.Errorf("longer than %d MiB", maxLine>>20)

// readLine is ReadSlice over as many buffers as the line needs, within maxLine.
func readLine(r *bufio.Reader) ([]byte, error) {
	var line []byte
	for {
		part, err := r.ReadSlice('\n')
		line = append(line, part...)
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, err
		}
		if len(line) > maxLine {
			return nil, errTooLong
		}
	}
}
