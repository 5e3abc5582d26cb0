package embedded

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/realiops/realiops/internal/measure/scratch"
	"github.com/realiops/realiops/internal/measure/supervisor"
)

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
