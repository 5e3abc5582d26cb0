package embedded

import (
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
	kind := uint32(s.Type) // it has other widths and signs on other processors
	return storage{
		name: fileSystemName(kind),
		ram:  kind == unix.TMPFS_MAGIC || kind == unix.RAMFS_MAGIC,
		free: int64(s.Bavail) * int64(s.Bsize), //nolint:unconvert // it has other widths elsewhere
	}, nil
}

func fileSystemName(kind uint32) string {
	switch kind {
	case unix.EXT4_SUPER_MAGIC:
		return "ext4" // ext2 and ext3 cannot be told from it, and are run by the same quantity
	case unix.XFS_SUPER_MAGIC:
		return "xfs"
	case unix.BTRFS_SUPER_MAGIC:
		return "btrfs"
	case zfsMagic:
		return "zfs"
	case unix.F2FS_SUPER_MAGIC:
		return "f2fs"
	case unix.OVERLAYFS_SUPER_MAGIC:
		return "overlay"
	case unix.TMPFS_MAGIC:
		return "tmpfs"
	case unix.RAMFS_MAGIC:
		return "ramfs"
	case unix.NFS_SUPER_MAGIC:
		return "nfs"
	case unix.CIFS_SUPER_MAGIC, unix.SMB2_SUPER_MAGIC:
		return "cifs"
	case unix.V9FS_MAGIC:
		return "9p"
	case unix.FUSE_SUPER_MAGIC:
		return "fuse"
	default:
		return fmt.Sprintf("file system %#x", kind)
	}
}
