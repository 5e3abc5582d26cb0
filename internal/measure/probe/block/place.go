package block

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/prometheus/procfs"

	"github.com/realiops/realiops/internal/measure/layout"
)

// host locates a machine's view of itself.
type host struct {
	proc, sys string
	look      func(path string) (layout.Root, error)
	unable    error // why nothing can be read
}

// place is the storage under a directory.
type place struct {
	root       layout.Root
	path       string // the directory as reached from here, without links
	number     string // of its file system, as stat(2) has it
	fileSystem string
	devices    []string // whole disks, as in /sys/block
	ram        bool
	missing    error // why there is no device
}

// inMemory lists file systems that never write to a disk.
var inMemory = map[string]bool{"tmpfs": true, "ramfs": true, "devtmpfs": true}

// elsewhere lists file systems whose disk belongs to another machine, such as a virtual machine's host.
var elsewhere = map[string]bool{
	"nfs": true, "nfs4": true, "cifs": true, "smb3": true, "ceph": true, "glusterfs": true, "lustre": true,
	"9p": true, "virtiofs": true, "vboxsf": true, "fakeowner": true, "afs": true, "beegfs": true,
}

// place finds the storage under a directory. The error is about the directory; missing says why there is no device.
func (h host) place(path string) (place, error) {
	if h.unable != nil {
		return place{}, h.unable
	}
	f, err := h.look(path)
	if err != nil {
		return place{}, err
	}
	return h.under(f)
}

func (h host) under(f layout.Root) (place, error) {
	mount, err := h.mountOf(f)
	if err != nil {
		return place{}, err
	}
	if mount.FSType == "overlay" {
		return h.underOverlay(f, mount), nil
	}
	number := fmt.Sprintf("%d:%d", f.Major, f.Minor)
	p := place{root: f, path: f.Path, number: number, fileSystem: mount.FSType, ram: inMemory[mount.FSType]}
	p.devices, p.missing = h.devicesOf(f, mount)
	p.ram = p.ram || len(p.devices) > 0 && !slices.ContainsFunc(p.devices, func(d string) bool { return !h.inRAM(d) })
	return p, nil
}

func (h host) devicesOf(f layout.Root, mount *procfs.MountInfo) ([]string, error) {
	switch kind := mount.FSType; {
	case inMemory[kind]:
		return nil, unsupported("%s is in memory (%s), so nothing reaches a disk", f.Path, kind)
	case elsewhere[kind], strings.HasPrefix(kind, "fuse."):
		return nil, notLocal("%s is on %s (%s), whose disk is not visible from this machine", f.Path, kind, mount.Source)
	case f.Major != 0:
		number := fmt.Sprintf("%d:%d", f.Major, f.Minor)
		return h.disks(filepath.Join(h.sys, "dev", "block", number), "number "+number)
	case kind == "btrfs":
		return h.disksOfBtrfs(mount.Source)
	default:
		return nil, unsupported("%s is on %s (%s), whose block device is unknown", f.Path, kind, mount.Source)
	}
}

// underOverlay returns the storage of an overlay's upper directory, which takes all writes.
func (h host) underOverlay(f layout.Root, mount *procfs.MountInfo) place {
	upper, err := h.place(unescape(mount.SuperOptions["upperdir"]))
	if err != nil {
		upper = place{missing: notLocal(
			"%s is on an overlay, as in a container, and its directory is not visible from here", f.Path)}
	}
	upper.root, upper.path, upper.fileSystem = f, f.Path, mount.FSType
	return upper
}

// mountOf returns the mount that holds a file. Before Linux 5.8, which reports it, that is the deepest mount above
// its path, the last of several at one point.
func (h host) mountOf(f layout.Root) (found *procfs.MountInfo, err error) {
	mounts, err := h.mountsOf(f.Process)
	if err != nil {
		return nil, err
	}
	for _, m := range mounts {
		if f.Mount != 0 && m.MountID == f.Mount {
			return m, nil
		}
		if within(f.Inside(), m.MountPoint) && (found == nil || len(m.MountPoint) >= len(found.MountPoint)) {
			found = m
		}
	}
	if found == nil {
		return nil, fmt.Errorf("find the file system of %s: no mount holds it", f.Path)
	}
	return found, nil
}

// mountsOf reads the mount table of a process; 0: this one.
func (h host) mountsOf(pid int) ([]*procfs.MountInfo, error) {
	proc, err := procfs.NewFS(h.proc)
	if err != nil {
		return nil, fmt.Errorf("read the table of mounts: %w", err)
	}
	read := proc.GetMounts
	if pid != 0 {
		read = func() ([]*procfs.MountInfo, error) { return proc.GetProcMounts(pid) }
	}
	mounts, err := read()
	if err != nil {
		return nil, fmt.Errorf("read the table of mounts: %w", err)
	}
	for _, m := range mounts {
		m.MountPoint = unescape(m.MountPoint)
	}
	return mounts, nil
}

func within(path, directory string) bool {
	return path == directory || strings.HasPrefix(path, strings.TrimSuffix(directory, "/")+"/")
}

func unescape(field string) string {
	return strings.NewReplacer(`\040`, " ", `\011`, "\t", `\012`, "\n", `\134`, `\`).Replace(field)
}
