package runfile

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/klauspost/compress/zstd"

	"github.com/realiops/realiops/internal/owner"
)

// flushEvery bounds the loss when the process is killed.
const flushEvery = time.Second

// Writer appends records to a run file. It is safe for concurrent use. Records reach the kernel within a second; Sync
// writes them to the disk. After the first failed write every call returns that error.
type Writer struct {
	path    string
	made    []string // directories that were made for it, the innermost first
	secrets []string
	begun   bool // something was written

	mu     sync.Mutex
	file   *os.File
	buf    *bufio.Writer
	zst    *zstd.Encoder // nil if the name does not end in .zst
	err    error         // the first
	closed bool

	stop    chan struct{}
	done    sync.WaitGroup
	closing sync.Once
}

// window is the number of bytes in which compression looks for repetition: some hundred similar readings. The default
// of 8 MB finds no more, and costs an observation more memory than everything else.
const window = 1 << 20

var errClosed = errors.New("write the run file: it is closed")

// forOwner is the default mode of a run file. It names servers, users and tables, and quotes statements, so only its
// owner may read it.
const forOwner = 0o600

// Create makes the file at path, with its directory, and refuses to overwrite. The secrets are removed from all free
// text written later.
func Create(path string, secrets ...string) (*Writer, error) {
	made := missing(filepath.Dir(path))
	if err := makeDirectory(filepath.Dir(path)); err != nil {
		return nil, err
	}
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, forOwner)
	if errors.Is(err, os.ErrExist) {
		return nil, fmt.Errorf("%s exists and is not overwritten; name another file", path)
	}
	if err != nil {
		return nil, fmt.Errorf("create the run file: %w", err)
	}
	if err := lock(file); err != nil {
		return nil, errors.Join(err, file.Close(), os.Remove(path))
	}
	w, err := newWriter(path, file, secrets)
	if err != nil {
		return nil, errors.Join(err, file.Close(), os.Remove(path))
	}
	w.made = made
	return w, nil
}

// makeDirectory makes a directory and its parents. It refuses the default directory if another user may have planted
// it.
func makeDirectory(path string) error {
	if path != Directory {
		if err := os.MkdirAll(path, 0o777); err != nil {
			return fmt.Errorf("create the directory for the run file: %w", err)
		}
		return nil
	}
	if err := owner.Make(path); err != nil {
		return fmt.Errorf("keep the run in ./%s: %w; name a file elsewhere with -o, or work in a directory of your own",
			path, err)
	}
	return nil
}

// missing returns the directories that would have to be made for one, the innermost first.
func missing(directory string) (all []string) {
	for {
		if _, err := os.Lstat(directory); !errors.Is(err, os.ErrNotExist) {
			return all
		}
		all = append(all, directory)
		directory = filepath.Dir(directory)
	}
}

// newWriter writes to the file from its current position.
func newWriter(path string, file *os.File, secrets []string) (*Writer, error) {
	w := &Writer{path: path, secrets: secrets, file: file, stop: make(chan struct{})}
	if err := w.open(); err != nil {
		return nil, err
	}
	w.done.Go(w.flushRegularly)
	return w, nil
}

func (w *Writer) open() (err error) {
	var out io.Writer = w.file
	if strings.HasSuffix(w.path, ".zst") {
		if w.zst, err = zstd.NewWriter(w.file, zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(window),
			zstd.WithLowerEncoderMem(true)); err != nil {
			return fmt.Errorf("start compression: %w", err)
		}
		out = w.zst
	}
	w.buf = bufio.NewWriterSize(out, 1<<16)
	return nil
}

// Hide adds secrets to remove from now on.
func (w *Writer) Hide(secrets ...string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.secrets = append(w.secrets, secrets...)
}

// Discard closes and removes the file, and the directories that were made for it if they are empty. It is for runs in
// which nothing was measured.
func (w *Writer) Discard() error {
	_ = w.Close() // unwritten data is not needed
	if err := os.Remove(w.path); err != nil {
		return fmt.Errorf("remove the empty run file: %w", err)
	}
	for _, directory := range w.made {
		if os.Remove(directory) != nil { // somebody else's file is in it by now
			break
		}
	}
	return nil
}

// Path returns the file's path.
func (w *Writer) Path() string { return w.path }

// Write appends one record. The first one reaches the file at once, so that a full disk is noticed before any work.
func (w *Writer) Write(r Record) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	clean, err := scrubbed(r, w.secrets)
	if err != nil {
		return err
	}
	line, err := encode(clean)
	if err != nil {
		return err
	}
	if err := w.usable(); err != nil {
		return err
	}
	_, err = w.buf.Write(line)
	w.fail(err)
	if !w.begun {
		w.begun = true
		w.flush()
	}
	return w.err
}

// usable returns why nothing more can be written, if so; the caller holds the lock.
func (w *Writer) usable() error {
	if w.err == nil && w.closed {
		return errClosed
	}
	return w.err
}

// Sync writes everything so far to the disk.
func (w *Writer) Sync() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if err := w.usable(); err != nil {
		return err
	}
	w.flush()
	if w.err == nil {
		w.fail(w.file.Sync())
	}
	return w.err
}

// Close writes the rest and closes the file; a second call does nothing. It returns the first error of the writer's
// life.
func (w *Writer) Close() error {
	w.closing.Do(w.close)
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.err
}

func (w *Writer) close() {
	close(w.stop)
	w.done.Wait()
	w.mu.Lock()
	defer w.mu.Unlock()
	w.flush()
	if w.zst != nil && w.err == nil {
		w.fail(w.zst.Close())
	}
	if w.err == nil {
		w.fail(w.file.Sync())
	}
	w.fail(w.file.Close())
	w.closed = true
}

func (w *Writer) flushRegularly() {
	tick := time.NewTicker(flushEvery)
	defer tick.Stop()
	for {
		select {
		case <-w.stop:
			return
		case <-tick.C:
			w.mu.Lock()
			w.flush()
			w.mu.Unlock()
		}
	}
}

// flush passes everything to the kernel; the caller holds the lock.
func (w *Writer) flush() {
	if w.err != nil {
		return
	}
	w.fail(w.buf.Flush())
	if w.zst != nil && w.err == nil {
		w.fail(w.zst.Flush())
	}
}

// fail keeps the first error; the caller holds the lock.
func (w *Writer) fail(err error) {
	if err != nil && w.err == nil {
		w.err = fmt.Errorf("write the run file: %w", err)
	}
}
