package request

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// TestCopiesByReflink: reads of a copy that shares a relation's blocks count for the reading program, and
// writes to either go to new blocks.
func TestCopiesByReflink(t *testing.T) {
	top, _ := partitioned(t, "mkfs.xfs", "-q", "-m", "reflink=1")
	table, backup := filepath.Join(top, "base/5/100"), filepath.Join(top, "backup.dat")
	write(t, table, 100)
	time.Sleep(2 * changing) // the first look then finds its final extents
	s := needsKernel(t, Place{Roots: serverIn(t, top), Postmaster: os.Getpid(), Database: 5, Names: map[uint32]Relation{
		100: {"public.t", Tables}}})
	defer s.Close()
	sh := func(script string) { // not a child of this process, whose children pass for the server's
		t.Helper()
		if out, err := exec.Command("sh", "-c", script+"; true", table, backup).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	if out, err := exec.Command("cp", "--reflink=always", table, backup).CombinedOutput(); err != nil {
		t.Skipf("%v: %s", err, out)
	}
	sh(`sync -f "$0"`)
	before := written(t, s)
	s.mu.Lock()
	if known := s.files.known[key{&s.files.roots[0], "base/5/100"}]; known.lies.extents[0].shared {
		t.Error("the file was asked for after it was copied")
	}
	s.mu.Unlock()
	sh(`dd if="$1" of=/dev/null bs=16k iflag=direct`)
	after := written(t, s)
	grew := func(metric string) float64 { return after[metric] - before[metric] }
	const bytes = 100 * 16 << 10
	if tables, others := grew("request.tables/read_bytes"), grew("request.other_programs/read_bytes"); tables != 0 ||
		others != bytes {
		t.Errorf("of a copy another program read %d bytes: %.0f are the table's, %.0f another program's", bytes,
			tables, others)
	}
	before = after
	fd, err := unix.Open(table, unix.O_RDONLY|unix.O_DIRECT, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(fd) //nolint:errcheck // nothing was written
	page, err := unix.Mmap(-1, 0, 16<<10, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Munmap(page) //nolint:errcheck // it ends with the test
	for i := range 100 {
		if _, err := unix.Pread(fd, page, int64(i)*16<<10); err != nil {
			t.Fatal(err)
		}
	}
	after = written(t, s)
	if tables := grew("request.tables/read_bytes"); tables != bytes {
		t.Errorf("the server read %d bytes of its table: %.0f are told", bytes, tables)
	}
	before = after
	sh(`dd if=/dev/zero of="$1" bs=16k count=50 oflag=direct conv=notrunc,fsync`)
	after = written(t, s)
	if tables := grew("request.tables/write_bytes"); tables != 0 {
		t.Errorf("another program wrote to its copy, and %.0f bytes are the table's", tables)
	}
	before = after
	write(t, table, 50)
	after = written(t, s)
	if tables := grew("request.tables/write_bytes"); tables != 50*16<<10 {
		t.Errorf("the server wrote %d bytes to its table, and %.0f are told", 50*16<<10, tables)
	}
}
