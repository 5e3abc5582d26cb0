package embedded

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// blockSize is the page of ext4 and of the disks with the largest sectors, so that direct I/O fits all of them.
const blockSize = 4096

// mountDevice makes a file in the run directory a block device and mounts a file system on it, over the data directory.
// The kernel detaches the device when it is unmounted, or when we are killed before it is mounted.
func (d directory) mountDevice(ctx context.Context, size int64) error {
	image, err := os.OpenFile(d.in(imageName), os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return fmt.Errorf("make the file for the device: %w", err)
	}
	defer image.Close()
	if err := image.Truncate(size); err != nil {
		return fmt.Errorf("make the file for the device: %w", err)
	}
	loop, err := attach(image)
	if err != nil {
		return fmt.Errorf("make a loop device: %w", err)
	}
	defer loop.Close()
	if err := format(ctx, loop.Name()); err != nil {
		return fmt.Errorf("make a file system on %s: %w", loop.Name(), err)
	}
	if err := unix.Mount(loop.Name(), d.in(dataName), deviceFileSystem, unix.MS_NOSUID|unix.MS_NODEV, ""); err != nil {
		return fmt.Errorf("mount %s: %w", loop.Name(), err)
	}
	return os.Remove(filepath.Join(d.in(dataName), "lost+found")) // initdb wants an empty directory
}

// attach finds a free loop device for a file. The page cache is passed by where the file's own file system allows it,
// so that a write is one to its disk as well, when it is made.
func attach(image *os.File) (*os.File, error) {
	control, err := os.OpenFile("/dev/loop-control", os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	defer control.Close()
	config := unix.LoopConfig{
		Fd: uint32(image.Fd()), Size: blockSize,
		Info: unix.LoopInfo64{Flags: unix.LO_FLAGS_AUTOCLEAR | unix.LO_FLAGS_DIRECT_IO},
	}
	const attempts = 20 // somebody else may be faster
	for range attempts {
		loop, err := free(control)
		if err != nil {
			return nil, err
		}
		if err = unix.IoctlLoopConfigure(int(loop.Fd()), &config); err == nil {
			return loop, nil
		}
		loop.Close()
		if !errors.Is(err, unix.EBUSY) {
			return nil, fmt.Errorf("%s for a file: %w (Linux 5.8 or newer is needed)", loop.Name(), err)
		}
	}
	return nil, errors.New("others take every free one at once")
}

func free(control *os.File) (*os.File, error) {
	number, err := unix.IoctlRetInt(int(control.Fd()), unix.LOOP_CTL_GET_FREE)
	if err != nil {
		return nil, fmt.Errorf("find a free one: %w", err)
	}
	return os.OpenFile(fmt.Sprintf("/dev/loop%d", number), os.O_RDWR, 0)
}

func format(ctx context.Context, device string) error {
	path, err := formatter(systemDirectories())
	if err != nil {
		return err
	}
	var mutters journal
	c := exec.CommandContext(ctx, path, formatArguments(device)...)
	c.Stdout, c.Stderr = &mutters, &mutters
	c.SysProcAttr = attributes(account{}, syscall.SIGKILL)
	if err := run(c); err != nil {
		return mutters.explain(err)
	}
	return nil
}

// unmountDevice takes a device away that is mounted in the run directory, if one is.
func (d directory) unmountDevice() error {
	if _, err := os.Lstat(d.in(imageName)); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	err := unix.Unmount(d.in(dataName), unix.UMOUNT_NOFOLLOW)
	for tries := 1; errors.Is(err, unix.EBUSY) && tries < 20; tries++ {
		time.Sleep(time.Duration(tries) * 10 * time.Millisecond) // 2 seconds in all, for somebody who looks into it
		err = unix.Unmount(d.in(dataName), unix.UMOUNT_NOFOLLOW)
	}
	if errors.Is(err, unix.EBUSY) {
		err = unix.Unmount(d.in(dataName), unix.UMOUNT_NOFOLLOW|unix.MNT_DETACH) // it goes with its last user
	}
	if err == nil || errors.Is(err, unix.EINVAL) || errors.Is(err, unix.ENOENT) { // nothing is mounted there
		return nil
	}
	return fmt.Errorf("unmount %s: %w", d.in(dataName), err)
}
