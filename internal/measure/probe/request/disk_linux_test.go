package request

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// partitioned makes a disk with one partition, a file system on it, and a server's directories there.
func partitioned(t *testing.T, mkfs ...string) (top, disk string) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("only root makes disks")
	}
	const sectors, start = 1 << 20, 2048 // 512 MiB
	work, err := os.MkdirTemp("/var/tmp", "realiops-disk-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(work) })
	image, mount := filepath.Join(work, "image"), filepath.Join(work, "mount")
	if err := os.WriteFile(image, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(image, sectors*sectorBytes); err != nil {
		t.Fatal(err)
	}
	do := func(name string, args ...string) string {
		t.Helper()
		out, err := exec.Command(name, args...).CombinedOutput()
		if err != nil {
			t.Skipf("%s: %v: %s", name, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	node := do("losetup", "--find", "--show", image)
	t.Cleanup(func() { do("losetup", "--detach", node) })
	do("addpart", node, "1", strconv.Itoa(start), strconv.Itoa(sectors-start)) // no kernel has to know tables of partitions for that
	t.Cleanup(func() { do("delpart", node, "1") })
	do(mkfs[0], append(mkfs[1:], node+"p1")...)
	do("mkdir", mount)
	do("mount", node+"p1", mount)
	t.Cleanup(func() { do("umount", mount) })
	for _, name := range []string{"pg_wal", "base/5"} {
		if err := os.MkdirAll(filepath.Join(mount, name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	return mount, filepath.Base(node)
}

// ofDisk are the writes that the kernel counts of a disk.
func ofDisk(t *testing.T, disk string) (writes float64) {
	t.Helper()
	text, err := os.ReadFile("/sys/block/" + disk + "/stat")
	if err != nil {
		t.Fatal(err)
	}
	var skipped float64
	if _, err := fmt.Sscan(string(text), &skipped, &skipped, &skipped, &skipped, &writes); err != nil {
		t.Fatal(err)
	}
	return writes
}

// TestPartitionsAndJournals: on a partition of ext4 and of XFS files are found behind the partition's beginning, the journal of the file
// system is told from them, and all together are what the kernel counts of the disk.
func TestPartitionsAndJournals(t *testing.T) {
	for _, mkfs := range [][]string{
		{"mkfs.ext4", "-q", "-E", "lazy_itable_init=0,lazy_journal_init=0"}, {"mkfs.xfs", "-q"},
	} {
		t.Run(mkfs[0], func(t *testing.T) {
			top, disk := partitioned(t, mkfs...)
			s := needsKernel(t, Place{Data: top, Postmaster: os.Getpid(), Database: 5, Names: map[uint32]Relation{100: {"public.t", Tables}}})
			defer s.Close()
			if out, err := exec.Command("sync", "-f", top).CombinedOutput(); err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			before, counted := written(t, s), ofDisk(t, disk)
			write(t, filepath.Join(top, "pg_wal/000000010000000000000001"), 50)
			write(t, filepath.Join(top, "base/5/100"), 30)
			after := written(t, s)
			grew := func(metric string) float64 { return after[metric] - before[metric] }
			if wal, tables := grew("request.wal/writes"), grew("request.tables/writes"); wal != 50 || tables != 30 {
				t.Errorf("%.0f writes of the WAL and %.0f of tables, want 50 and 30", wal, tables)
			}
			if grew("request.journal/writes") < 2 {
				t.Errorf("%.0f writes of the journal, where two new files were synced", grew("request.journal/writes"))
			}
			if all, want := grew("request/writes"), ofDisk(t, disk)-counted; all != want {
				t.Errorf("%.0f writes in all, and the kernel counts %.0f", all, want)
			}
			sum := 0.0
			for kind := range kinds {
				sum += grew(Name + "." + kind.String() + "/write_bytes")
			}
			if all := grew("request/write_bytes"); sum != all {
				t.Errorf("%.0f bytes of all kinds, and %.0f in all", sum, all)
			}
		})
	}
}
