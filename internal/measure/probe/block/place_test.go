package block

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/realiops/realiops/internal/measure/probe"
	"github.com/realiops/realiops/internal/runfile"
)

func TestStorageOf(t *testing.T) {
	h := machine(t, "linux-6.1")
	check := func(path, fileSystem, device string, ram bool) {
		t.Helper()
		want := runfile.Storage{Directory: path, FileSystem: fileSystem, Device: device, RAM: ram}
		got, err := h.storageOf(path)
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("%s, %v (-want +got):\n%s", path, err, diff)
		}
	}
	check("/var/lib/postgresql/17/main", "ext4", "nvme0n1", false) // a partition of it
	check("/srv/my data/pg", "xfs", "sda", false)                  // a mount point with a blank
	check("/srv/my database/pg", "ext4", "nvme0n1", false)         // not below that
	check("/lvm/pg", "ext4", "sda", false)                         // a volume on one partition
	check("/raid/pg", "xfs", "md0", false)                         // of two disks
	check("/home/me/pg", "btrfs", "sda", false)                    // by the source of the mount
	check("/cciss/pg", "ext4", "cciss/c0d0", false)                // with a slash in its name
	check("/loop/pg", "ext4", "loop0", false)
	check("/zram/pg", "ext4", "zram0", false)
	check("/var/lib/docker/overlay2/c1/merged/pg", "overlay", "nvme0n1", false)
	check("/over/pg", "ext4", "nvme0n1", false) // mounted over a tmpfs
	check("/dev/shm/pg", "tmpfs", "", true)
	check("/nfs/pg", "nfs4", "", false)
	check("/pool/pg", "btrfs", "", false)
	if _, err := h.storageOf("/nowhere"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a directory that is not there: %v", err)
	}
}

func TestForDirectorySaysWhyThereIsNoDevice(t *testing.T) {
	h := machine(t, "linux-6.1")
	check := func(path string, reason runfile.Reason, words string) {
		t.Helper()
		_, err := h.forDirectory(path)
		why, ok := errors.AsType[*probe.Error](err)
		if !ok || why.Reason != reason || !strings.Contains(err.Error(), words) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v (%+v), want %s … %s", path, err, why, reason, words)
		}
	}
	check("/dev/shm/pg", runfile.Unsupported, "in memory (tmpfs)")
	check("/nfs/pg", runfile.NotLocal, "nfs4 (filer:/export)")
	check("/shared/pg", runfile.NotLocal, "fuse.sshfs")
	check("/hidden/pg", runfile.NotLocal, "overlay")
	check("/tank/pg", runfile.Unsupported, "zfs (tank/pg)")
	check("/pool/pg", runfile.Unsupported, "spreads over 2 devices")
	check("/ghost/pg", runfile.Unsupported, "number 99:9")
	check("/zram/pg", runfile.Unsupported, "write 1 to")
	check("/split/pg", runfile.Unsupported, "/split/pg is on nvme0n1 and /split/pg/pg_wal on sda")
	check("/nowhere", runfile.Failed, "stat /nowhere")
	if _, err := h.forDirectory("/joined/pg"); err != nil {
		t.Errorf("a pg_wal on the same device: %v", err)
	}
	_, err := host{unable: unsupported("plan9 does not tell")}.forDirectory("/")
	if probe.GapOf(err).Reason != runfile.Unsupported {
		t.Errorf("on a system that is not Linux: %v", err)
	}
}

func TestForDirectoryFindsWhatLinksLeadElsewhere(t *testing.T) {
	data, memory := t.TempDir(), "/dev/shm"
	if p, err := thisHost().place(memory); err != nil || !p.ram {
		t.Skipf("%s is no tmpfs here: %v", memory, err)
	}
	if _, err := ForDirectory(data); err != nil {
		t.Skipf("no block device here: %v", err)
	}
	for _, link := range []string{"pg_wal", "pg_tblspc/16400"} {
		path := filepath.Join(data, link)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.Symlink(memory, path)); err != nil {
			t.Fatal(err)
		}
		if _, err := ForDirectory(data); err == nil || !strings.Contains(err.Error(), link+" on tmpfs") {
			t.Errorf("%s on another file system: %v", link, err)
		}
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
	}
}
