package request

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/realiops/realiops/internal/measure/layout"
	"github.com/realiops/realiops/internal/measure/probe"
	"github.com/realiops/realiops/internal/runfile"
)

// ground is the disk under a file system, and the sector at which the file system begins.
type ground struct {
	disk  uint32
	start uint64
}

func unsupported(format string, args ...any) error {
	return &probe.Error{Reason: runfile.Unsupported, Err: fmt.Errorf(format, args...)}
}

// groundOf finds the disk under a directory, through a partition. It refuses a device that passes requests on to
// others, whose sectors are different.
func groundOf(r *layout.Root) (ground, error) {
	path := r.Path
	f, err := r.Look()
	if err != nil {
		return ground{}, err
	}
	defer f.Close()
	var at unix.Statfs_t
	if err := unix.Fstatfs(int(f.Fd()), &at); err != nil {
		return ground{}, fmt.Errorf("check %s: %w", path, err)
	}
	switch at.Type {
	case unix.EXT4_SUPER_MAGIC, unix.XFS_SUPER_MAGIC:
	case unix.BTRFS_SUPER_MAGIC:
		return ground{}, unsupported("requests can be traced to files on ext4 and XFS; %s is on btrfs, whose extents are "+
			"not those of the disk", path)
	default:
		return ground{}, unsupported("requests can be traced to files on ext4 and XFS, but %s is on another file system",
			path)
	}
	return groundByNumber(r.Major, r.Minor)
}

func groundByNumber(major, minor uint32) (g ground, err error) {
	directory, err := filepath.EvalSymlinks(fmt.Sprintf("/sys/dev/block/%d:%d", major, minor))
	if err != nil {
		return g, unsupported("block device %d:%d is not in /sys", major, minor)
	}
	if start, err := os.ReadFile(filepath.Join(directory, "start")); err == nil {
		if g.start, err = strconv.ParseUint(strings.TrimSpace(string(start)), 10, 64); err != nil {
			return g, err
		}
		directory = filepath.Dir(directory)
	}
	if below, err := os.ReadDir(filepath.Join(directory, "slaves")); err == nil && len(below) > 0 {
		return g, unsupported("cannot trace requests through %s, which passes them on to %s", filepath.Base(directory),
			below[0].Name())
	}
	number, err := os.ReadFile(filepath.Join(directory, "dev"))
	if err != nil {
		return g, err
	}
	if _, err := fmt.Sscanf(string(number), "%d:%d", &major, &minor); err != nil {
		return g, err
	}
	g.disk = major<<minorBits | minor
	return g, nil
}
