package runfile

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
)

// ErrInUse is the error for a run file that another process is writing.
var ErrInUse = errors.New("another realiops process is writing this file; wait for it to finish")

// Append continues the run file at path where its last writer stopped, after removing a torn tail. Two live writers of
// one file exclude each other.
func Append(path string, secrets ...string) (*Writer, error) {
	file, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return nil, fmt.Errorf("continue the run file: %w", err)
	}
	if err := lock(file); err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", path, err), file.Close())
	}
	if file, err = mend(file); err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", path, err), file.Close())
	}
	w, err := newWriter(path, file, secrets)
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return w, nil
}

// mend returns the file, or its replacement, ready to be written to at its end: after a whole line, and after a whole
// frame if it is compressed.
func mend(file *os.File) (*os.File, error) {
	if strings.HasSuffix(file.Name(), ".zst") {
		return mendFrames(file)
	}
	whole, err := wholeLines(file)
	if err != nil {
		return file, err
	}
	if err := file.Truncate(whole); err != nil {
		return file, fmt.Errorf("truncate the torn end: %w", err)
	}
	_, err = file.Seek(whole, io.SeekStart)
	return file, err
}

// wholeLines returns the length of the whole, readable lines of the file. It completes a last line that lacks only its
// end.
func wholeLines(file *os.File) (int64, error) {
	if _, err := through(file); err != nil {
		return 0, err
	}
	size, err := file.Seek(0, io.SeekEnd)
	if err != nil {
		return 0, err
	}
	tail := make([]byte, min(size, maxLine))
	if _, err := file.ReadAt(tail, size-int64(len(tail))); err != nil {
		return 0, fmt.Errorf("read its end: %w", err)
	}
	rest := tail[bytes.LastIndexByte(tail, '\n')+1:]
	if len(rest) == 0 {
		return size, nil
	}
	if _, err := decode(rest); err != nil {
		return size - int64(len(rest)), nil
	}
	_, err = file.WriteAt([]byte("\n"), size)
	return size + 1, err
}

// through reads the file from its beginning, refuses files that are no run file or have another defect than a torn end,
// and reports whether the end is torn.
func through(file *os.File) (torn bool, err error) {
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return false, err
	}
	for _, err := range ReadRows(file) {
		if tear, isTorn := errors.AsType[*TornError](err); isTorn && tear.Line > 1 {
			return true, nil
		}
		if err != nil {
			return false, err
		}
	}
	return false, nil
}

// mendFrames keeps a file of whole frames. It rewrites the readable part of a file that was cut off, which replaces the
// file once it is on the disk: nothing after an unfinished frame could be read.
func mendFrames(file *os.File) (*os.File, error) {
	torn, err := through(file)
	if err != nil {
		return file, err
	}
	if !torn {
		_, err = file.Seek(0, io.SeekEnd)
		return file, err
	}
	anew, err := rewritten(file)
	if err != nil {
		return file, fmt.Errorf("repair the torn end: %w", err)
	}
	return anew, file.Close()
}

func rewritten(file *os.File) (*os.File, error) {
	path, beside := file.Name(), file.Name()+".mended"
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	// from an earlier attempt; links are not followed
	if err := os.Remove(beside); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	anew, err := os.OpenFile(beside, os.O_RDWR|os.O_CREATE|os.O_EXCL, forOwner)
	if err != nil {
		return nil, err
	}
	err = errors.Join(lock(anew), anew.Chmod(info.Mode().Perm()), copyWhole(anew, file))
	if err == nil { // the old file stays until the new one is complete
		err = os.Rename(beside, path)
	}
	if err != nil {
		return nil, errors.Join(err, anew.Close(), os.Remove(beside))
	}
	return anew, nil
}

// copyWhole writes the whole lines of a compressed file into another, and ends its frame.
func copyWhole(to, from *os.File) error {
	if _, err := from.Seek(0, io.SeekStart); err != nil {
		return err
	}
	text, closeText, err := uncompressed(bufio.NewReader(from))
	if err != nil {
		return err
	}
	defer closeText()
	w := &Writer{path: from.Name(), file: to}
	if err := w.open(); err != nil {
		return err
	}
	lines := bufio.NewReaderSize(text, 1<<16)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil { // torn, which is why it is rewritten
			break
		}
		if _, err := w.buf.Write(line); err != nil {
			return err
		}
	}
	return errors.Join(w.buf.Flush(), w.zst.Close(), to.Sync())
}
