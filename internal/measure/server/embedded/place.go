package embedded

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"unicode"

	"github.com/realiops/realiops/internal/measure/scratch"
	"github.com/realiops/realiops/internal/measure/server/embedded/binaries"
	"github.com/realiops/realiops/internal/measure/supervisor"
	"github.com/realiops/realiops/internal/printable"
)

// leastFree is the free space that a place must have: a run of a few minutes writes several
// hundred megabytes of WAL and tables.
const leastFree = 1 << 30 // bytes

// place is a location for a run directory.
type place struct {
	directory  string
	fileSystem string // empty: unknown
	ram        bool   // nothing reaches a disk
	made       bool   // by us
}

// storage describes a file system as the system reports it.
type storage struct {
	name string
	ram  bool
	free int64 // bytes that we may use
}

// choosePlace returns the directory asked for, or else the first temporary one on a disk with room. It removes
// earlier runs' leftovers in the candidates.
func choosePlace(o Options) (place, error) {
	if o.DataDir != "" {
		return takeDirectory(o.DataDir, o.AllowRAM)
	}
	temporary, err := filepath.Abs(os.TempDir())
	if err != nil {
		return place{}, fmt.Errorf("find the temporary directory: %w", err)
	}
	if os.Getenv("TMPDIR") != "" { // whoever set it does not want another
		if err := scratch.Writable(temporary + string(filepath.Separator)); err != nil {
			return place{}, fmt.Errorf("TMPDIR is %s: %w; set it to a directory where you may write", temporary, err)
		}
	}
	candidates := []string{temporary, "/var/tmp"} // on many systems the first is in memory
	if cache, err := binaries.CacheDirectory(); err == nil {
		candidates = append(candidates, cache)
	}
	for _, candidate := range candidates {
		sweep(candidate) // also if this run does not use it
	}
	var refused []error
	for _, candidate := range candidates {
		p, err := examine(candidate, false)
		if err == nil {
			return p, nil
		}
		refused = append(refused, err)
	}
	if o.AllowRAM {
		return examine(temporary, true)
	}
	return place{}, refused[0]
}

// TemporaryPlace returns the default directory for a server's data.
func TemporaryPlace(allowRAM bool) (string, error) {
	p, err := choosePlace(Options{AllowRAM: allowRAM})
	return p.directory, err
}

// takeDirectory accepts the user's directory, which must be new or empty.
func takeDirectory(path string, allowRAM bool) (place, error) {
	err := os.Mkdir(path, 0o755)
	switch {
	case err == nil:
		p, err := examine(path, allowRAM)
		if err != nil {
			return p, errors.Join(err, os.Remove(path))
		}
		p.made = true
		return p, nil
	case !errors.Is(err, fs.ErrExist):
		return place{}, fmt.Errorf("create the data directory: %w", err)
	}
	sweep(path)
	p, err := examine(path, allowRAM)
	if err != nil {
		return p, err
	}
	return p, empty(path)
}

func empty(path string) error {
	entries, err := os.ReadDir(path)
	if err != nil {
		return fmt.Errorf("read the data directory: %w", err)
	}
	for _, e := range entries {
		if e.Name() != "lost+found" { // at the root of a file system
			return fmt.Errorf("data directory %s is not empty (contains %s); choose an empty or new one", path, e.Name())
		}
	}
	return nil
}

func examine(path string, allowRAM bool) (place, error) {
	s, err := storageOf(path)
	switch {
	case err != nil:
		return place{}, fmt.Errorf("inspect the file system of %s: %w", path, err)
	case strings.ContainsFunc(path, func(r rune) bool { return r == '"' || unicode.IsControl(r) }):
		return place{},
			fmt.Errorf("PostgreSQL cannot use %q, because its name has a quotation mark or control character; choose "+
				"another with --data-dir", path)
	case scratch.Writable(path) != nil:
		return place{}, fmt.Errorf("%s is not writable; choose another with --data-dir", path)
	case s.ram && !allowRAM:
		return place{},
			fmt.Errorf("%s is %s and in memory: writes would not reach a disk, so no I/O could be measured; choose "+
				"another with --data-dir, or allow it with --allow-ram", path, s.name)
	case s.free < leastFree:
		return place{},
			fmt.Errorf("%s has %s MB free, but a run needs %s MB; free up space, or choose another directory with "+
				"--data-dir", path, printable.Count(s.free/1e6), printable.Count(leastFree/1_000_000))
	}
	return place{directory: path, fileSystem: s.name, ram: s.ram}, nil
}

// Prefixes of run directories. Kept ones are never swept.
const (
	runPrefix  = "realiops-server-"
	keptPrefix = "realiops-kept-"
)

// items returns what to remove when a run directory is no longer used, the directory itself first.
func items(directory string, device bool) []supervisor.Item {
	data := filepath.Join(directory, dataName)
	all := []supervisor.Item{{Directory: &supervisor.Directory{Path: directory}}}
	if device {
		all = append(all, supervisor.Item{Mount: &supervisor.Mount{Path: data}})
	}
	return append(all, supervisor.Item{SharedMemory: &supervisor.SharedMemory{DataDirectory: data}})
}

// create makes a run directory that other users may enter, and takes its lock.
func create(p place, keep bool) (directory string, lock *os.File, err error) {
	prefix := runPrefix
	if keep {
		prefix = keptPrefix
	}
	if directory, lock, err = scratch.Make(p.directory, prefix); err != nil {
		return "", nil, fmt.Errorf("create a directory for the server: %w", err)
	}
	return directory, lock, nil
}

// sweep removes the unused run directories in a place. For kept ones it removes only the shared memory, as
// PostgreSQL would at its next start.
func sweep(place string) {
	scratch.Sweep(place, keptPrefix, func(path string) error {
		memory := supervisor.SharedMemory{DataDirectory: filepath.Join(path, dataName)}
		return supervisor.CleanUp(supervisor.Item{SharedMemory: &memory})
	})
	scratch.Sweep(place, runPrefix, func(path string) error {
		_, err := os.Lstat(filepath.Join(path, imageName))
		return supervisor.CleanUp(items(path, err == nil)...)
	})
}
