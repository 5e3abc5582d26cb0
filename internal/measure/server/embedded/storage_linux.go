package embedded

import (
	"cmp"
	"fmt"

	"golang.org/x/sys/unix"
)

// zfsMagic is not in the kernel's own list (statfs(2)).
const zfsMagic = 0x2fc12fc1

func storageOf(path string) (storage, error) {
	var s unix.Statfs_t
	if err := unix.Statfs(path, &s); err != nil {
		return storage{}, err
	}
	kind := uint32(s.Type) // its width and sign differ between processors
	return storage{
		name: cmp.Or(fileSystems[kind], fmt.Sprintf("file system %#x", kind)),
		ram:  kind == unix.TMPFS_MAGIC || kind == unix.RAMFS_MAGIC,
		free: int64(s.Bavail) * int64(s.Bsize), //nolint:unconvert // its width differs elsewhere
	}, nil
}

// fileSystems maps magic numbers to names of file systems.
var fileSystems = map[uint32]string{
	unix.EXT4_SUPER_MAGIC:      "ext4", // ext2 and ext3 look the same and use the same driver
	unix.XFS_SUPER_MAGIC:       "xfs",
	unix.BTRFS_SUPER_MAGIC:     "btrfs",
	zfsMagic:                   "zfs",
	unix.F2FS_SUPER_MAGIC:      "f2fs",
	unix.OVERLAYFS_SUPER_MAGIC: "overlay",
	unix.TMPFS_MAGIC:           "tmpfs",
	unix.RAMFS_MAGIC:           "ramfs",
	unix.NFS_SUPER_MAGIC:       "nfs",
	unix.CIFS_SUPER_MAGIC:      "cifs",
	unix.SMB2_SUPER_MAGIC:      "cifs",
	unix.V9FS_MAGIC:            "9p",
	unix.FUSE_SUPER_MAGIC:      "fuse",
}
