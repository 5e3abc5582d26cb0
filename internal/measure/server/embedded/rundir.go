package embedded

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/realiops/realiops/internal/measure/scratch"
	"github.com/realiops/realiops/internal/measure/supervisor"
)

// Names of run directories. Those to be kept are never swept.
const (
	runPrefix  = "realiops-server-"
	keptPrefix = "realiops-kept-"
)

// items returns what has to go when nobody works in a run directory any more, the directory itself first.
func items(directory string, device bool) []supervisor.Item {
	data := filepath.Join(directory, dataName)
	all := []supervisor.Item{{Directory: &supervisor.Directory{Path: directory}}}
	if device {
		all = append(all, supervisor.Item{Mount: &supervisor.Mount{Path: data}})
	}
	return append(all, supervisor.Item{SharedMemory: &supervisor.SharedMemory{DataDirectory: data}})
}

// create makes a run directory that others may pass through, and takes its lock.
func create(p place, keep bool) (directory string, lock *os.File, err error) {
	prefix := runPrefix
	if keep {
		prefix = keptPrefix
	}
	if directory, lock, err = scratch.Make(p.directory, prefix); err != nil {
		return "", nil, fmt.Errorf("make a directory for the server: %w", err)
	}
	return directory, lock, nil
}

// sweep removes the run directories below a place that nobody lives in any more. Of those that are kept only the shared
// memory goes, which PostgreSQL would remove when it is started there again.
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
