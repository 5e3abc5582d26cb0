package fio

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/realiops/realiops/internal/measure/host"
	"github.com/realiops/realiops/internal/measure/scratch"
	"github.com/realiops/realiops/internal/measure/supervisor"
	"github.com/realiops/realiops/internal/printable"
)

// prefix of our directories.
const prefix = "realiops-baseline-"

// Directory holds test files and nothing else.
type Directory struct {
	Path       string
	lock       *os.File
	supervisor *supervisor.Supervisor
}

// Make creates a directory in a place, and removes earlier runs' leftovers there.
func Make(place string) (*Directory, error) {
	absolute, err := filepath.Abs(place)
	if err != nil {
		return nil, err
	}
	scratch.Sweep(absolute, prefix, os.RemoveAll)
	watcher, err := supervisor.Start()
	if err != nil {
		return nil, err
	}
	path, lock, err := scratch.Make(absolute, prefix)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("create a directory for the test files: %w", err),
			watcher.Release(context.Background()))
	}
	watcher.Hold(supervisor.Item{Directory: &supervisor.Directory{Path: path}})
	watcher.Hold(supervisor.Item{Users: &supervisor.Users{Directory: path}})
	return &Directory{path, lock, watcher}, nil
}

// Remove removes the directory with the test files.
func (d *Directory) Remove() error {
	return errors.Join(d.lock.Close(), d.supervisor.Release(context.Background()))
}

// Place describes a file system as a place for test files.
type Place struct {
	Free   int64 // bytes that we may use
	Direct bool  // files can bypass the page cache
}

// Examine checks a directory that is to hold test files. It creates a file for a moment.
func Examine(path string) (Place, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		if of, ok := errors.AsType[*fs.PathError](err); ok {
			err = of.Err
		}
		return Place{}, fmt.Errorf("check the directory %s: %w", path, err)
	case !info.IsDir():
		return Place{}, fmt.Errorf("%s is not a directory", path)
	}
	if err := scratch.Writable(path); err != nil {
		return Place{}, fmt.Errorf("%s is not writable (%w); use another with --dir", path, err)
	}
	free, err := host.Free(path)
	if err != nil {
		return Place{}, fmt.Errorf("check the file system of %s: %w", path, err)
	}
	direct, err := takesDirect(path)
	return Place{Free: free, Direct: direct}, err
}

// Lay writes the files of jobs completely: unwritten parts of a file cost a device nothing to read, and more to
// write. It gives up after the time that a device with 5 MB/s needs, plus a minute.
func (d *Directory) Lay(ctx context.Context, p Program, jobs []Job) error {
	const slow = 5e6
	laid := map[string]int64{}
	for _, j := range jobs {
		if laid[j.Files] >= j.Bytes {
			continue
		}
		patience := time.Minute + time.Duration(float64(j.Bytes)/slow*float64(time.Second))
		limited, cancel := context.WithTimeoutCause(ctx, patience,
			fmt.Errorf("the test file was not written within %s; use a smaller one with --size", printable.About(patience)))
		_, err := d.run(limited, p, j.with(Option{"ioengine", "psync"}), func(Status) {}, Option{"create_only", "1"},
			Option{"create_fsync", "1"})
		cancel()
		if err != nil {
			return fmt.Errorf("write the test file: %w", err)
		}
		laid[j.Files] = j.Bytes
	}
	return nil
}
