package block

import (
	"fmt"
	"os"
	"path/filepath"
	"syscall"

	"golang.org/x/sys/unix"
)

// errNoDevice is what the kernel answers once a device has been taken away.
var errNoDevice error = syscall.ENODEV

func thisHost() host { return host{proc: "/proc", sys: "/sys", look: look, list: list} }

func look(path string) (file, error) {
	absolute, err := filepath.Abs(path)
	if err != nil {
		return file{}, fmt.Errorf("look at %s: %w", path, err)
	}
	resolved, err := filepath.EvalSymlinks(absolute)
	if err != nil {
		return file{}, fmt.Errorf("look at %s: %w", path, err)
	}
	var stat unix.Stat_t
	if err := unix.Stat(resolved, &stat); err != nil {
		return file{}, fmt.Errorf("look at %s: %w", path, err)
	}
	return file{path: resolved, major: unix.Major(stat.Dev), minor: unix.Minor(stat.Dev)}, nil
}

func list(path string) ([]string, error) {
	entries, err := os.ReadDir(path)
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = e.Name()
	}
	return names, err
}
