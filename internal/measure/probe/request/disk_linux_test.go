package request

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/cilium/ebpf/ringbuf"
	"golang.org/x/sys/unix"

	"github.com/realiops/realiops/internal/metric"
	"github.com/realiops/realiops/internal/test/process"
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
	process.Undo(t, "losetup", "--detach", node)
	// works without the kernel's support for partition tables
	do("addpart", node, "1", strconv.Itoa(start), strconv.Itoa(sectors-start))
	process.Undo(t, "delpart", node, "1")
	do(mkfs[0], append(mkfs[1:], node+"p1")...)
	do("mkdir", mount)
	do("mount", node+"p1", mount)
	process.Undo(t, "umount", mount)
	for _, name := range []string{"pg_wal", "base/5"} {
		if err := os.MkdirAll(filepath.Join(mount, name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	return mount, filepath.Base(node)
}

// ofDisk returns the kernel's count of a disk's writes and flushes (https://docs.kernel.org/block/stat.html).
func ofDisk(t *testing.T, disk string) (writes, flushes float64) {
	t.Helper()
	var fields [17]float64
	for i, text := range strings.Fields(readFile(t, "/sys/block/"+disk+"/stat")) {
		fields[i], _ = strconv.ParseFloat(text, 64)
	}
	return fields[4], fields[15]
}

// told repeats do, up to five times, until the sampler sees every write that the disk counts, and returns the counts
// before and after. If an interrupt ends requests, a kernel may skip all tracing programs for up to 25 in a row.
func told(t *testing.T, s *Sampler, disk string, do func()) (before, after map[string]float64) {
	t.Helper()
	var all, want float64
	for range 5 {
		before = written(t, s)
		was, _ := ofDisk(t, disk)
		do()
		after = written(t, s)
		is, _ := ofDisk(t, disk)
		if all, want = after["request/writes"]-before["request/writes"], is-was; all == want {
			return before, after
		}
	}
	t.Errorf("%.0f writes in all, and the kernel counts %.0f", all, want)
	return before, after
}

func readFile(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestPartitionsAndJournals: on a partition with ext4 and XFS, files are found at their offset, the file system's
// journal is told from them, and the sum equals the kernel's counters of the disk.
func TestPartitionsAndJournals(t *testing.T) {
	for _, mkfs := range [][]string{
		{"mkfs.ext4", "-q", "-E", "lazy_itable_init=0,lazy_journal_init=0"}, {"mkfs.xfs", "-q"},
	} {
		t.Run(mkfs[0], func(t *testing.T) {
			top, disk := partitioned(t, mkfs...)
			s := needsKernel(t, Place{Roots: serverIn(t, top), Postmaster: os.Getpid(), Database: 5,
				Names: map[uint32]Relation{100: {"public.t", Tables}}})
			defer s.Close()
			if out, err := exec.Command("sync", "-f", top).CombinedOutput(); err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			before, after := told(t, s, disk, func() {
				write(t, filepath.Join(top, "pg_wal/000000010000000000000001"), 50)
				write(t, filepath.Join(top, "base/5/100"), 30)
			})
			grew := func(metric string) float64 { return after[metric] - before[metric] }
			if wal, tables := grew("request.wal/writes"), grew("request.tables/writes"); wal != 50 || tables != 30 {
				t.Errorf("%.0f writes of the WAL and %.0f of tables, want 50 and 30", wal, tables)
			}
			if grew("request.journal/writes") < 2 {
				t.Errorf("%.0f writes of the journal, where two new files were synced", grew("request.journal/writes"))
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

// TestWritesLessFlushes: the kernel's writes minus flushes are the writes that carry data, unless the file system's
// journal takes part, as docs/requests.md says. A journal's commit block is one write with a flush before and after
// it, which count as flushes but not as writes: fifty fsyncs of changed files cancel all fifty writes.
func TestWritesLessFlushes(t *testing.T) {
	for _, mkfs := range [][]string{
		{"mkfs.ext4", "-q", "-E", "lazy_itable_init=0,lazy_journal_init=0"}, {"mkfs.xfs", "-q"},
	} {
		t.Run(mkfs[0], func(t *testing.T) {
			top, disk := partitioned(t, mkfs...)
			s := needsKernel(t, Place{Roots: serverIn(t, top), Postmaster: os.Getpid(), Database: 5})
			defer s.Close()
			path := filepath.Join(top, "pg_wal/000000010000000000000001")
			write(t, path, 1)
			if out, err := exec.Command("sync", "-f", top).CombinedOutput(); err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			fd, err := unix.Open(path, unix.O_WRONLY, 0)
			if err != nil {
				t.Fatal(err)
			}
			defer unix.Close(fd) //nolint:errcheck // it is synced
			// fifty writes a page, each with a sync, and returns the writes with data, the journal's part
			// of them, and writes - flushes.
			fifty := func(sync func(int) error) (data, journal, less float64) {
				before := written(t, s)
				writes, flushes := ofDisk(t, disk)
				for range 50 {
					_, err := unix.Pwrite(fd, make([]byte, 8192), 0)
					if err := errors.Join(err, sync(fd)); err != nil {
						t.Fatal(err)
					}
					time.Sleep(10 * time.Millisecond) // ctime advances in steps
				}
				after := written(t, s)
				nowWrites, nowFlushes := ofDisk(t, disk)
				for kind := range kinds {
					data += after[Name+"."+kind.String()+"/writes"] - before[Name+"."+kind.String()+"/writes"]
				}
				return data, after[metric.JournalWrites] - before[metric.JournalWrites],
					nowWrites - writes - (nowFlushes - flushes)
			}
			const most = 45 // a few requests are missed on a busy machine (docs/requests.md)
			if data, journal, less := fifty(unix.Fdatasync); data < most || journal > 2 || data-less > 2*journal {
				t.Errorf("fdatasync: %.0f requests that carry data, %.0f of the journal, and writes - flushes are %.0f",
					data, journal, less)
			}
			// A disk that can write through its cache (FUA) needs no flush after. On a busy machine a sync may be
			// faster than a step of the clock, and then has no ctime to write.
			if data, journal, less := fifty(unix.Fsync); journal < most || data-less < most || data-less > 2*journal+2 {
				t.Errorf("fsync: %.0f requests that carry data, %.0f of the journal, and writes - flushes are %.0f",
					data, journal, less)
			}
		})
	}
}

// TestBlocksThatChangeHands: the kernel's writes for another program's file stay that program's, even if the server's
// new file gets its blocks and the extents are read late.
func TestBlocksThatChangeHands(t *testing.T) {
	// without a journal, freed blocks are reused immediately
	top, disk := partitioned(t, "mkfs.ext4", "-q", "-b", "4096", "-m", "0", "-O", "^has_journal", "-E",
		"lazy_itable_init=0")
	s := needsKernel(t, Place{Roots: serverIn(t, top), Postmaster: os.Getpid(), Database: 5, Names: map[uint32]Relation{
		100: {"public.t", Tables}}})
	defer s.Close()
	fill(t, top, disk, 100*16<<10+64<<10)
	before := written(t, s)
	s.mu.Lock() // no look happens
	table, gone := filepath.Join(top, "base/5/100"), filepath.Join(top, "base/5/another's")
	// Children of this process pass for the server's.
	if out, err := exec.Command("sh", "-c", `dd if=/dev/zero of="$0" bs=16k count=100 && sync -f "$0"; rm "$0"`,
		gone).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	write(t, table, 100)
	s.mu.Unlock()
	after := written(t, s)
	if got := after["request.tables/write_bytes"] - before["request.tables/write_bytes"]; got != 100*16<<10 {
		t.Errorf("%.0f bytes of a table to which %d were written", got, 100*16<<10)
	}
	if got := after["request.other_programs/write_bytes"] - before["request.other_programs/write_bytes"]; got <
		100*16<<10 {
		t.Errorf("%.0f bytes of other programs, one of which wrote %d", got, 100*16<<10)
	}
}

// TestLooksWhereRequestsAsk: files are examined only when a request must be found by its sectors, and the request
// gets the file there at that time: a new index may have a dropped table's blocks.
func TestLooksWhereRequestsAsk(t *testing.T) {
	const requests = 100
	// without a journal, freed blocks are reused immediately
	top, disk := partitioned(t, "mkfs.ext4", "-q", "-b", "4096", "-m", "0", "-O", "^has_journal", "-E",
		"lazy_itable_init=0")
	fill(t, top, disk, requests*writeBytes+64<<10)
	table, index := filepath.Join(top, "base/5/100"), filepath.Join(top, "base/5/200")
	write(t, table, requests)
	s := needsKernel(t, Place{Roots: serverIn(t, top), Postmaster: os.Getpid(), Database: 5, Names: map[uint32]Relation{
		100: {"public.t", Tables}, 200: {"public.i", Indexes}}})
	defer s.Close()
	before := written(t, s)
	looks := func() int {
		s.mu.Lock()
		defer s.mu.Unlock()
		return s.files.looks
	}
	had := looks()
	if err := os.Remove(table); err != nil {
		t.Fatal(err)
	}
	for due := false; !due; { // later if a look took long
		time.Sleep(2 * looking)
		s.mu.Lock()
		due = s.looked.due(looking, share)
		s.mu.Unlock()
	}
	if n := looks() - had; n != 0 {
		t.Errorf("the files were looked at %d times, though no request came", n)
	}
	s.mu.Lock()
	write(t, index, requests)
	s.mu.Unlock()
	after, err := s.Sample(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for kind, want := range map[Kind]float64{Tables: 0, Indexes: requests * writeBytes} {
		name := Name + "." + kind.String() + "/write_bytes"
		if got := after.Values[name] - before[name]; got != want {
			t.Errorf("%s grew by %.0f, want %.0f", name, got, want)
		}
	}
}

// fill leaves that much room on a disk with ext4.
func fill(t *testing.T, top, disk string, room int64) {
	t.Helper()
	if err := os.WriteFile("/sys/fs/ext4/"+disk+"p1/reserved_clusters", []byte("0"), 0o600); err != nil {
		t.Skip(err)
	}
	f, err := os.Create(filepath.Join(top, "filler"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close() //nolint:errcheck // it is empty
	var has unix.Statfs_t
	err = unix.Fstatfs(int(f.Fd()), &has)
	if err == nil {
		err = unix.Fallocate(int(f.Fd()), 0, 0, int64(has.Bavail)*has.Bsize-room)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// TestPagesLeadToTheirFiles: writes of single pages of large folios lead to the inode of their file.
func TestPagesLeadToTheirFiles(t *testing.T) {
	for _, mkfs := range [][]string{{"mkfs.ext4", "-q", "-E", "lazy_itable_init=0,lazy_journal_init=0"},
		{"mkfs.xfs", "-q"}} {
		t.Run(mkfs[0], func(t *testing.T) {
			top, _ := partitioned(t, mkfs...)
			path := filepath.Join(top, "base/5/100")
			write(t, path, 256)
			s := needsKernel(t, Place{Roots: serverIn(t, top), Postmaster: os.Getpid(), Database: 5})
			defer s.Close()
			f, err := os.OpenFile(path, os.O_RDWR, 0)
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close() //nolint:errcheck // it is synced
			if _, err := io.Copy(io.Discard, f); err != nil {
				t.Fatal(err)
			}
			s.mu.Lock()
			defer s.mu.Unlock()
			const pages = 100
			for i := range pages {
				if _, err := f.WriteAt(make([]byte, 4096), int64(i*3+1)*4096); err != nil {
					t.Fatal(err)
				}
			}
			var stat unix.Stat_t
			if err := errors.Join(f.Sync(), unix.Fstat(int(f.Fd()), &stat)); err != nil {
				t.Fatal(err)
			}
			led := 0
			var record ringbuf.Record
			for s.kernel.reader.SetDeadline(time.Now()); s.kernel.reader.ReadInto(&record) == nil; {
				var e event
				if err := e.read(record.RawSample); err != nil {
					t.Fatal(err)
				}
				if e.writes() && e.File.Number == stat.Ino {
					led += int(e.Bytes) / 4096
				}
			}
			if led != pages {
				t.Errorf("%d of %d pages lead to their file", led, pages)
			}
		})
	}
}
