package operation

import (
	"errors"
	"fmt"
	"io"
	"os"
)

// input is the standard input of a command that runs several times. Each run reads a file from the same place.
type input struct {
	used  bool
	begin int64 // in a file
	ended bool  // a pipe had nothing to read before the first run
}

// errPipe is the error for a pipe that ended in a run: the next would read nothing, and cost less.
var errPipe = errors.New("standard input is a pipe that ended in the first run, and the command runs again: " +
	"redirect a file (< FILE), which each run reads from the beginning, or /dev/null")

// next prepares the input for the next run.
func (in *input) next(from io.Reader) error {
	file, ok := from.(*os.File)
	if !ok {
		return nil
	}
	info, err := file.Stat()
	if err != nil {
		return nil // it is closed: there is nothing to read
	}
	first := !in.used
	in.used = true
	switch mode := info.Mode(); {
	case mode.IsRegular() && first:
		in.begin, err = file.Seek(0, io.SeekCurrent)
	case mode.IsRegular():
		_, err = file.Seek(in.begin, io.SeekStart)
	case mode&os.ModeNamedPipe != 0 && first:
		in.ended = ended(file)
	case mode&os.ModeNamedPipe != 0 && !in.ended && ended(file):
		return errPipe
	}
	if err != nil {
		return fmt.Errorf("rewind standard input: %w", err)
	}
	return nil
}
