package block

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// diskByNumber is the disk that does the work for a device.
func (h host) diskByNumber(major, minor uint32) (string, error) {
	link := filepath.Join(h.sys, "dev", "block", fmt.Sprintf("%d:%d", major, minor))
	return h.disk(link, fmt.Sprintf("number %d:%d", major, minor))
}

// diskOfBtrfs goes by the source of the mount, since btrfs gives its files device numbers of no device.
func (h host) diskOfBtrfs(source string) (string, error) {
	if node, err := filepath.EvalSymlinks(source); err == nil {
		source = node // /dev/mapper/data is a link to /dev/dm-0
	}
	name := filepath.Base(source)
	peers, _ := filepath.Glob(filepath.Join(h.sys, "fs", "btrfs", "*", "devices", name)) // the pattern is well-formed
	for _, peer := range peers {
		if devices, err := os.ReadDir(filepath.Dir(peer)); err == nil && len(devices) > 1 {
			return "", unsupported("btrfs on %s spreads over %d devices: the count of one would miss the others'", source, len(devices))
		}
	}
	return h.disk(filepath.Join(h.sys, "class", "block", name), source)
}

// disk follows a link in /sys to a whole disk. Flushes are counted on the whole disk and not on its partitions, and
// what device-mapper or another layer hands on to one single device is counted best where it arrives, as requests.
func (h host) disk(link, what string) (string, error) {
	directory, err := filepath.EvalSymlinks(link)
	if errors.Is(err, fs.ErrNotExist) {
		return "", unsupported("no block device %s is to be seen in %s", what, h.sys)
	}
	if err != nil {
		return "", fmt.Errorf("find the block device %s: %w", what, err)
	}
	if isPartition(directory) {
		directory = filepath.Dir(directory)
	}
	slaves, err := os.ReadDir(filepath.Join(directory, "slaves"))
	if err != nil || len(slaves) != 1 {
		return filepath.Base(directory), nil
	}
	return h.disk(filepath.Join(directory, "slaves", slaves[0].Name()), slaves[0].Name())
}

func isPartition(directory string) bool {
	_, err := os.Stat(filepath.Join(directory, "partition"))
	return err == nil
}

// mustCount refuses a device whose accounting is switched off: its counters stand still at whatever they were.
func (h host) mustCount(device string) error {
	if device == "" {
		return nil
	}
	path := filepath.Join(h.sys, "block", device, "queue", "iostats")
	setting, err := os.ReadFile(path)
	if err == nil && strings.TrimSpace(string(setting)) == "0" {
		return unsupported("the kernel is told not to count the I/O of %s: write 1 to %s", written(device), path)
	}
	return nil
}

// passesFlushes tells whether the kernel counts flushes of the device. It does where requests are queued, in
// block/blk-flush.c; a driver without a queue of its own (device-mapper, md) has no such count, and shows zero.
func (h host) passesFlushes(device string) bool {
	_, err := os.Stat(filepath.Join(h.sys, "block", device, "mq"))
	return err == nil
}
