package scratch

import (
	"errors"
	"io/fs"
	"os"
)

const warily = 0

// TryLock is never reached: nothing that needs cleaning up is started here.
func TryLock(*os.File) error { return errors.ErrUnsupported }

// Writable is never reached either.
func Writable(string) error { return errors.ErrUnsupported }

func madeByUs(fs.FileInfo) bool { return false }
