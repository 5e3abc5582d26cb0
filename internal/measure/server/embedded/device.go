package embedded

import (
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"strconv"

	"github.com/realiops/realiops/internal/printable"
)

// imageName is the file in a run directory behind the server's own device.
const imageName = "device"

// deviceFileSystem is the file system on the server's own device.
const deviceFileSystem = "ext4"

// leastDevice has room for an empty database, some WAL and a file system's journal.
const leastDevice = 256 << 20 // bytes

var errKeptDevice = errors.New("--own-device and --keep cannot be combined: the device is removed with the server")

// checkDevice returns an error if the server cannot have its own device on this system.
func (o Options) checkDevice(system string, uid int) error {
	switch {
	case o.OwnDevice == 0:
		return nil
	case system != "linux":
		return errors.New("--own-device needs Linux, for its loop device; choose a directory on its own disk with " +
			"--data-dir")
	case uid != 0:
		return errors.New("--own-device mounts a block device, which needs root; run realiops with sudo")
	case o.OwnDevice < leastDevice:
		return fmt.Errorf("--own-device is %d MB, but a server needs %d MB", o.OwnDevice>>20, leastDevice>>20)
	case o.Keep:
		return errKeptDevice
	default:
		return nil
	}
}

// checkRoom checks that a place has room for the device, before anything is fetched or created.
func (o Options) checkRoom(p place) error {
	if o.OwnDevice == 0 {
		return nil
	}
	if _, err := formatter(systemDirectories()); err != nil {
		return err
	}
	s, err := storageOf(p.directory)
	if err != nil {
		return fmt.Errorf("inspect the file system of %s: %w", p.directory, err)
	}
	if s.free < o.OwnDevice {
		return fmt.Errorf("%s has %s MB free, but --own-device takes %s MB; free up space, use a smaller device, or "+
			"choose another directory with --data-dir", p.directory, printable.Count(s.free>>20),
			printable.Count(o.OwnDevice>>20))
	}
	return nil
}

// systemDirectories lists the directories of file system tools, which are often missing from PATH.
func systemDirectories() []string { return []string{"/usr/sbin", "/sbin"} }

func formatter(directories []string) (string, error) {
	const name = "mkfs." + deviceFileSystem
	if path, err := exec.LookPath(name); err == nil {
		return path, nil
	}
	for _, directory := range directories {
		if path, err := exec.LookPath(filepath.Join(directory, name)); err == nil {
			return path, nil
		}
	}
	return "", errors.New("--own-device needs mkfs.ext4; install the package e2fsprogs")
}

// deviceSettings keep the WAL between two checkpoints from filling a small device.
func (o Options) deviceSettings() []setting {
	const usual = 1 << 30 // of max_wal_size, unless it is set
	if o.OwnDevice == 0 || o.OwnDevice/4 >= usual {
		return nil
	}
	return []setting{{"max_wal_size", strconv.FormatInt(o.OwnDevice/4>>20, 10) + "MB"}}
}
