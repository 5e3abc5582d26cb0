package embedded

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/realiops/realiops/internal/measure/supervisor"
)

// blockSize is the page of ext4 and the largest sector of disks, so that direct I/O works on all of them.
const blockSize = 4096

// mountDevice turns a file in the run directory into a block device and mounts a file system on it, over the data
// directory. The kernel detaches the device when it is unmounted, or when we are killed before.
func (c *cluster) mountDevice(ctx context.Context, size int64) error {
	image, err := os.OpenFile(c.in(imageName), os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return fmt.Errorf("create the device's file: %w", err)
	}
	defer image.Close()
	if err := image.Truncate(size); err != nil {
		return fmt.Errorf("create the device's file: %w", err)
	}
	loop, err := attach(image)
	if err != nil {
		return fmt.Errorf("create a loop device: %w", err)
	}
	defer loop.Close()
	if err := format(ctx, loop.Name()); err != nil {
		return fmt.Errorf("create a file system on %s: %w", loop.Name(), err)
	}
	if err := unix.Mount(loop.Name(), c.in(dataName), deviceFileSystem, unix.MS_NOSUID|unix.MS_NODEV, ""); err != nil {
		return fmt.Errorf("mount %s: %w", loop.Name(), err)
	}
	return os.Remove(filepath.Join(c.in(dataName), "lost+found")) // initdb wants an empty directory
}

// attach finds a free loop device for a file. It bypasses the page cache if the file system under it allows, so that
// each write reaches the disk as one.
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
	const attempts = 20 // another program may be faster
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
			return nil, fmt.Errorf("configure %s: %w (needs Linux 5.8 or newer)", loop.Name(), err)
		}
	}
	return nil, errors.New("other programs took every free device")
}

func free(control *os.File) (*os.File, error) {
	number, err := unix.IoctlRetInt(int(control.Fd()), unix.LOOP_CTL_GET_FREE)
	if err != nil {
		return nil, fmt.Errorf("find a free device: %w", err)
	}
	return os.OpenFile(fmt.Sprintf("/dev/loop%d", number), os.O_RDWR, 0)
}

// format initializes the whole file system now: the kernel would do it later, during the measurement. Few inodes are
// enough for a database, and written soon.
func format(ctx context.Context, device string) error {
	path, err := formatter(systemDirectories())
	if err != nil {
		return err
	}
	var said journal
	c := exec.CommandContext(ctx, path, "-q", "-m", "0", "-i", "65536", "-E",
		"lazy_itable_init=0,lazy_journal_init=0,nodiscard", device)
	c.Env = environment(os.Environ())
	c.Stdout, c.Stderr = &said, &said
	c.SysProcAttr = supervisor.Attributes(syscall.SIGKILL)
	if err := run(c); err != nil {
		return said.explain(err)
	}
	return nil
}
