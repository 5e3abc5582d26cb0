package block

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/prometheus/procfs"

	"github.com/realiops/realiops/internal/measure/layout"
)

// disksOfBtrfs returns all devices of a btrfs, found by the source of the mount: the device
// numbers of its files are no device's.
func (h host) disksOfBtrfs(source string) ([]string, error) {
	if node, err := filepath.EvalSymlinks(source); err == nil {
		source = node // /dev/mapper/data is a link to /dev/dm-0
	}
	name := filepath.Base(source)
	peers, _ := filepath.Glob(filepath.Join(h.sys, "fs", "btrfs", "*", "devices", name)) // the pattern is well-formed
	if len(peers) == 0 {
		return h.disks(filepath.Join(h.sys, "class", "block", name), source)
	}
	return h.disksIn(filepath.Dir(peers[0]))
}

func (h host) disksIn(directory string) ([]string, error) {
	links, err := os.ReadDir(directory)
	if err != nil {
		return nil, fmt.Errorf("find block devices: %w", err)
	}
	var all []string
	for _, link := range links {
		some, err := h.disks(filepath.Join(directory, link.Name()), link.Name())
		if err != nil {
			return nil, err
		}
		all = append(all, some...)
	}
	return sorted(all), nil
}

// disks follows a link in /sys down to whole disks. Flushes are counted on a whole disk, not on its partitions, and
// never on a device that passes requests on to others (device-mapper, md, the head of an NVMe multipath). So a write
// to a mirror counts once for each of its disks.
func (h host) disks(link, what string) ([]string, error) {
	directory, err := filepath.EvalSymlinks(link)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, unsupported("no block device %s in %s", what, h.sys)
	}
	if err != nil {
		return nil, fmt.Errorf("find the block device %s: %w", what, err)
	}
	if exists(filepath.Join(directory, "partition")) {
		directory = filepath.Dir(directory)
	}
	slaves := filepath.Join(directory, "slaves")
	if below, err := os.ReadDir(slaves); err == nil && len(below) > 0 {
		return h.disksIn(slaves)
	}
	return h.paths(filepath.Base(directory)), nil
}

var multipathHead = regexp.MustCompile(`^(nvme\d+)(n\d+)$`)

// paths returns the hidden disks behind a multipath NVMe namespace, or else the device itself.
func (h host) paths(device string) []string {
	head := multipathHead.FindStringSubmatch(device)
	if head == nil || h.passesFlushes(device) {
		return []string{device}
	}
	found, _ := filepath.Glob(filepath.Join(h.sys, "block", head[1]+"c*"+head[2])) // the pattern is well-formed
	if len(found) == 0 {
		return []string{device}
	}
	for i := range found {
		found[i] = filepath.Base(found[i])
	}
	return sorted(found)
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

func sorted(names []string) []string {
	slices.Sort(names)
	return slices.Compact(names)
}

// mustCount refuses a device whose accounting is off: its counters stand still.
func (h host) mustCount(device string) error {
	path := filepath.Join(h.sys, "block", device, "queue", "iostats")
	setting, err := os.ReadFile(path)
	if err == nil && strings.TrimSpace(string(setting)) == "0" {
		return unsupported("the kernel does not count the I/O of %s; write 1 to %s", written(device), path)
	}
	return nil
}

// passesFlushes reports whether the kernel counts the device's flushes. It does for devices with a queue, in
// block/blk-flush.c; others (device-mapper, md) show zero.
func (h host) passesFlushes(device string) bool {
	return exists(filepath.Join(h.sys, "block", device, "mq"))
}

// backing returns the file under a loop device, or "".
func (h host) backing(device string) string {
	path, err := os.ReadFile(filepath.Join(h.sys, "block", device, "loop", "backing_file"))
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(path))
}

// cached reports whether a device is a file that is not opened with direct I/O.
func (h host) cached(device string) bool {
	direct, _ := os.ReadFile(filepath.Join(h.sys, "block", device, "loop", "dio")) // absent before Linux 4.4
	return h.backing(device) != "" && strings.TrimSpace(string(direct)) != "1"
}

// inRAM reports whether a device is in memory: a RAM disk, or a loop device on a file in memory.
func (h host) inRAM(device string) bool {
	if strings.HasPrefix(device, "zram") || strings.HasPrefix(device, "ram") {
		return true
	}
	path := h.backing(device)
	if path == "" {
		return false
	}
	f, err := h.look(path)
	if err != nil {
		return false
	}
	mount, err := h.mountOf(f)
	return err == nil && inMemory[mount.FSType]
}

// carried returns the file systems on a device, each by its first mount point, and swap.
func (h host) carried(device string) []string {
	mounts, err := h.mountsOf(0)
	if err != nil {
		return nil
	}
	var found []string
	seen := map[string]bool{}
	for _, m := range mounts {
		if !seen[m.MajorMinorVer] && h.isOn(m, device) {
			found = append(found, m.MountPoint)
		}
		seen[m.MajorMinorVer] = true
	}
	if h.swapsOn(device) {
		found = append(found, "swap")
	}
	return found
}

func (h host) isOn(m *procfs.MountInfo, device string) bool {
	var f layout.Root
	if _, err := fmt.Sscanf(m.MajorMinorVer, "%d:%d", &f.Major, &f.Minor); err != nil {
		return false
	}
	devices, err := h.devicesOf(f, m)
	return err == nil && slices.Contains(devices, device)
}

func (h host) swapsOn(device string) bool {
	proc, err := procfs.NewFS(h.proc)
	if err != nil {
		return false
	}
	swaps, err := proc.Swaps()
	if err != nil {
		return false
	}
	for _, swap := range swaps {
		disks, err := h.disks(filepath.Join(h.sys, "class", "block", filepath.Base(swap.Filename)), swap.Filename)
		if swap.Type == "partition" && err == nil && slices.Contains(disks, device) {
			return true
		}
	}
	return false
}
