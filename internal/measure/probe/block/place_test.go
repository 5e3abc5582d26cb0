package block

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/realiops/realiops/internal/measure/layout"
	"github.com/realiops/realiops/internal/measure/probe"
	"github.com/realiops/realiops/internal/runfile"
)

func TestStorageOf(t *testing.T) {
	h := machine(t, "linux-6.1")
	check := func(path, fileSystem, device string, ram bool) {
		t.Helper()
		want := runfile.Storage{Directory: path, FileSystem: fileSystem, Device: device, RAM: ram}
		l, err := h.lay(rootsOf(h, path))
		if err != nil {
			t.Fatal(err)
		}
		got := h.storage(l)
		got.Devices = nil
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("%s, %v (-want +got):\n%s", path, err, diff)
		}
	}
	check("/var/lib/postgresql/17/main", "ext4", "nvme0n1", false) // a partition of it
	check("/srv/my data/pg", "xfs", "sda", false)                  // a mount point with a blank
	check("/srv/my database/pg", "ext4", "nvme0n1", false)         // not below that
	check("/lvm/pg", "ext4", "sda", false)                         // a volume on one partition
	check("/raid/pg", "xfs", "sdb+sdc", false)                     // of two disks
	check("/home/me/pg", "btrfs", "sda", false)                    // by the source of the mount
	check("/cciss/pg", "ext4", "cciss/c0d0", false)                // with a slash in its name
	check("/loop/pg", "ext4", "loop0", false)
	check("/zram/pg", "ext4", "zram0", true) // a device, of memory
	check("/var/lib/docker/overlay2/c1/merged/pg", "overlay", "nvme0n1", false)
	check("/over/pg", "ext4", "nvme0n1", false) // mounted over a tmpfs
	check("/dev/shm/pg", "tmpfs", "", true)
	check("/nfs/pg", "nfs4", "", false)
	check("/pool/pg", "btrfs", "sdb+sdc", false)
	if _, err := h.lay(rootsOf(h, "/nowhere")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a directory that is not there: %v", err)
	}
}

func TestWhyThereIsNoDevice(t *testing.T) {
	h := machine(t, "linux-6.1")
	check := func(path string, reason runfile.Reason, words string) {
		t.Helper()
		for _, gap := range deviceSample(t, h, path).Gaps {
			if gap.Reason != reason || !strings.Contains(gap.Detail, words) || strings.Contains(gap.Detail, "\n") {
				t.Fatalf("%s: %+v, want %s … %s", path, gap, reason, words)
			}
		}
		if n := len(deviceSample(t, h, path).Gaps); n != len(all) {
			t.Errorf("%s: %d gaps, want all of %d", path, n, len(all))
		}
	}
	check("/dev/shm/pg", runfile.Unsupported, "in memory (tmpfs)")
	check("/nfs/pg", runfile.NotLocal, "nfs4 (filer:/export)")
	check("/shared/pg", runfile.NotLocal, "fuse.sshfs")
	check("/hidden/pg", runfile.NotLocal, "overlay")
	check("/tank/pg", runfile.Unsupported, "zfs (tank/pg)")
	check("/ghost/pg", runfile.Unsupported, "number 99:9")
	check("/zram/pg", runfile.Unsupported, "write 1 to")
}

func TestWhyThereIsNoSampler(t *testing.T) {
	check := func(h host, path string, reason runfile.Reason, words string) {
		t.Helper()
		var roots []layout.Root
		if h.look != nil && path != "" {
			roots = rootsOf(h, path)
		}
		_, err := h.sampler(roots)
		why, ok := errors.AsType[*probe.Error](err)
		if !ok || why.Reason != reason || !strings.Contains(err.Error(), words) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v (%+v), want %s … %s", path, err, why, reason, words)
		}
	}
	check(machine(t, "linux-6.1"), "/nowhere", runfile.Failed, "stat /nowhere")
	check(machine(t, "linux-6.1"), "", runfile.NotLocal, "not visible on this machine")
	check(host{unable: unsupported("plan9 does not tell")}, "/", runfile.Unsupported, "plan9 does not tell")
}

// Directories of a server may lead to other file systems by links.
func TestLinksAreFollowed(t *testing.T) {
	memory := "/dev/shm"
	if p, err := thisHost().place(memory); err != nil || !p.ram {
		t.Skipf("%s is no tmpfs here: %v", memory, err)
	}
	memory, err := os.MkdirTemp(memory, "block-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(memory) })
	if err := os.Mkdir(filepath.Join(memory, "archive_status"), 0o700); err != nil {
		t.Fatal(err)
	}
	for link, view := range map[string]string{"pg_wal": "block.wal/", "pg_tblspc/16400": "block.tablespaces/"} {
		directory := t.TempDir()
		path := filepath.Join(directory, link)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.Symlink(memory, path)); err != nil {
			t.Fatal(err)
		}
		server := layout.Server{Data: directory}
		if link != "pg_wal" {
			server.Tablespaces = []layout.Tablespace{{OID: 16400, Location: memory}}
		}
		found := map[string]string{}
		for _, gap := range sampleOf(t, thisHost(), realRoots(t, server)).Gaps {
			found[gap.Metric] = gap.Detail
		}
		l, err := thisHost().lay(realRoots(t, server))
		if inMemory := thisHost().storage(l).InMemory; err != nil ||
			!slices.Equal(inMemory, []string{strings.TrimSuffix(strings.TrimPrefix(view, "block."), "/")}) {
			t.Errorf("%s: %q is in memory, %v", link, inMemory, err)
		}
		if why := found[view+"writes"]; why != memory+" is in memory (tmpfs), so nothing reaches a disk" {
			t.Errorf("%s on another file system: %q", link, why)
		}
	}
}

func TestDanglingLinkIsUnseen(t *testing.T) {
	directory := t.TempDir()
	path := filepath.Join(directory, "pg_wal")
	if err := os.Symlink("/only/in/a/container", path); err != nil {
		t.Fatal(err)
	}
	got, err := StorageOf(directory)
	if diff := cmp.Diff([]string{path}, got.Unseen); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
}
