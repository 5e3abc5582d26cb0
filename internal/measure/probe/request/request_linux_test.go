package request

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
	"time"
	"unsafe"

	"github.com/cilium/ebpf"
	"golang.org/x/sys/unix"

	"github.com/realiops/realiops/internal/measure/layout"
)

// needsKernel skips the test if this process may not follow requests. scripts/no-skip.txt has this
// package, so on CI it must be able to.
func needsKernel(t *testing.T, place Place) *Sampler {
	t.Helper()
	s, err := New(place)
	if err != nil {
		t.Skip(err)
	}
	return s
}

// written returns the bytes written so far, by kind.
func written(t *testing.T, s *Sampler) map[string]float64 {
	t.Helper()
	if err := s.WaitForCounters(context.Background()); err != nil {
		t.Fatal(err)
	}
	sample, err := s.Sample(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return sample.Values
}

// directory returns a server's directory on a disk.
func directory(t *testing.T) string {
	t.Helper()
	return directoryOn(t, "/var/tmp")
}

func directoryOn(t *testing.T, disk string) string {
	t.Helper()
	top, err := os.MkdirTemp(disk, "realiops-request-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(top) })
	for _, name := range []string{"pg_wal", "base/5", "base/pgsql_tmp", "base/6", "global", "log"} {
		if err := os.MkdirAll(filepath.Join(top, name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	return top
}

// serverIn returns the roots of a server with its files and its log in a directory.
func serverIn(t *testing.T, data string) []layout.Root {
	t.Helper()
	server := layout.Server{Data: data}
	if _, err := os.Stat(filepath.Join(data, "log")); err == nil {
		server.LogDir = "log"
	}
	found, err := layout.Find(server)
	if err != nil {
		t.Fatal(err)
	}
	return found.Roots
}

// writeBytes is the size of each request of [write].
const writeBytes = 16 << 10

// write writes that many requests of 16 KiB to a file, one after the other, with O_DIRECT.
func write(t *testing.T, path string, requests int) {
	t.Helper()
	const size = writeBytes
	fd, err := unix.Open(path, unix.O_CREAT|unix.O_WRONLY|unix.O_DIRECT, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(fd) //nolint:errcheck // it is synced
	page, err := unix.Mmap(-1, 0, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Munmap(page) //nolint:errcheck // it ends with the test
	for i := range requests {
		if _, err := unix.Pwrite(fd, page, int64(i)*size); err != nil {
			t.Fatal(err)
		}
	}
	if err := unix.Fsync(fd); err != nil {
		t.Fatal(err)
	}
}

// TestRequestsFindTheirFiles: writes of 16 KiB to files of each kind count as that many requests and bytes of the
// kind, and another program's count for none of the server's. The disk is a loop device; docs/requests.md says what
// may be off by one or two on a busy disk.
func TestRequestsFindTheirFiles(t *testing.T) {
	disk, _ := partitioned(t, "mkfs.ext4", "-q", "-E", "lazy_itable_init=0,lazy_journal_init=0")
	top := directoryOn(t, disk)
	relations := func() (map[uint32]Relation, error) {
		return map[uint32]Relation{100: {"public.t", Tables}, 101: {"public.i", Indexes},
			102: {"pg_toast.pg_toast_100", TOAST}}, nil
	}
	s := needsKernel(t, Place{Roots: serverIn(t, top), Postmaster: os.Getpid(), Database: 5, Relations: relations})
	defer s.Close()
	before := written(t, s)
	want := map[Kind]int{}
	for i, f := range []struct {
		path string
		kind Kind
	}{
		{"pg_wal/000000010000000000000001", WAL}, {"base/5/100", Tables}, {"base/5/100.1", Tables},
		{"base/5/100_fsm", Maps}, {"base/5/101", Indexes},
		{"base/5/102", TOAST}, {"base/6/100", Relations}, {"global/1262", Relations},
		{"base/pgsql_tmp/pgsql_tmp1.0", Temp}, {"log/server.log", Log}, {"PG_VERSION", Other},
	} {
		write(t, filepath.Join(top, f.path), 20+i)
		want[f.kind] += 20 + i
	}
	// Children of this process pass for the server's.
	other := exec.Command("sh", "-c", "dd if=/dev/zero of="+top+".other bs=64k count=50 oflag=direct; true")
	if out, err := other.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	defer os.Remove(top + ".other") //nolint:errcheck // it may not be there
	after := written(t, s)
	server := 0
	for kind, requests := range want {
		server += requests
		if got := after[Name+"."+kind.String()+"/writes"] - before[Name+"."+kind.String()+"/writes"]; got !=
			float64(requests) {
			t.Errorf("%s: %.0f requests, want %d", kind, got, requests)
		}
		if got := after[Name+"."+kind.String()+"/write_bytes"] - before[Name+"."+kind.String()+"/write_bytes"]; got !=
			float64(requests)*(16<<10) {
			t.Errorf("%s: %.0f bytes of %d requests", kind, got, requests)
		}
	}
	if got := after["request.server/writes"] - before["request.server/writes"]; got != float64(server) {
		t.Errorf("the server's are %.0f, want %d", got, server)
	}
	if got := after["request.other_programs/writes"] - before["request.other_programs/writes"]; got < 50 {
		t.Errorf("another program did 50, and %.0f were seen", got)
	}
	if i := slices.IndexFunc(s.OtherPrograms(), func(o OtherProgram) bool {
		return o.Command == "dd"
	}); i < 0 || s.OtherPrograms()[i].Requests < 50 || s.OtherPrograms()[i].Bytes < 50<<16 {
		t.Errorf("dd did 50 requests of 64 KiB, and of other programs are told %v", s.OtherPrograms())
	}
	if after[Name+"/lost"] != 0 {
		t.Errorf("%.0f were lost", after[Name+"/lost"])
	}
	ranked := map[string]float64{}
	for _, item := range s.Rank().Items {
		ranked[item.Name] = item.Grew["write_bytes"] / (16 << 10)
	}
	for name, requests := range map[string]float64{"WAL": 20, "public.t": 21 + 22, "public.i": 24,
		"pg_toast.pg_toast_100": 25, "other databases": 26 + 27} {
		if ranked[name] != requests {
			t.Errorf("%s is ranked with %v requests of 16 KiB, want %v: %v", name, ranked[name], requests, ranked)
		}
	}
}

// TestNamesOfTheKernelsThreads: another program with the name of a kernel thread is reported as itself.
func TestNamesOfTheKernelsThreads(t *testing.T) {
	top, disk := partitioned(t, "mkfs.ext4", "-q", "-E", "lazy_itable_init=0,lazy_journal_init=0")
	s := needsKernel(t, Place{Roots: serverIn(t, top), Postmaster: os.Getpid(), Database: 5})
	defer s.Close()
	before, after := told(t, s, disk, func() {
		for _, name := range []string{"jbd2/sda1-8", "kworker/u8:0"} {
			// Children of this process pass for the server's.
			impostor := exec.Command("sh", "-c", os.Args[0]+" -test.run=^TestImpostor$; true")
			impostor.Env = append(os.Environ(), "REALIOPS_IMPOSTOR="+name,
				"REALIOPS_WRITES="+filepath.Join(top, "impostor"))
			if out, err := impostor.CombinedOutput(); err != nil {
				t.Fatalf("%v: %s", err, out)
			}
		}
	})
	if got := after["request.other_programs/writes"] - before["request.other_programs/writes"]; got < 200 {
		t.Errorf("other programs did 200 writes, and %.0f were seen", got)
	}
	for _, name := range []string{"jbd2/sda1-8", "kworker/u8:0"} {
		if i := slices.IndexFunc(s.OtherPrograms(), func(o OtherProgram) bool {
			return o.Command == name && !o.Kernel
		}); i < 0 || s.OtherPrograms()[i].Requests < 100 {
			t.Errorf("%s did 100 requests, and of other programs are told %v", name, s.OtherPrograms())
		}
	}
}

// TestImpostor is the program with a false name.
func TestImpostor(t *testing.T) {
	name := os.Getenv("REALIOPS_IMPOSTOR")
	if name == "" {
		return
	}
	runtime.LockOSThread()
	text, err := unix.BytePtrFromString(name)
	if err != nil {
		t.Fatal(err)
	}
	if err := unix.Prctl(unix.PR_SET_NAME, uintptr(unsafe.Pointer(text)), 0, 0, 0); err != nil {
		t.Fatal(err)
	}
	write(t, os.Getenv("REALIOPS_WRITES"), 100)
}

// TestNothingStays: the kernel's programs are gone when the sampler is closed, and when its process is killed.
func TestNothingStays(t *testing.T) {
	s := needsKernel(t, Place{Roots: serverIn(t, directory(t))})
	id := programOf(t, s)
	if !inKernel(id) {
		t.Fatalf("program %d is not in the kernel while it is open", id)
	}
	s.Close()
	gone(t, id)

	held := exec.Command(os.Args[0], "-test.run=^TestHold$")
	held.Env = append(os.Environ(), "REALIOPS_HOLD="+directory(t))
	out, err := held.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := held.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := fmt.Fscanln(out, &id); err != nil || !inKernel(id) {
		t.Errorf("program %d of another process is not in the kernel: %v", id, err)
	}
	_ = held.Process.Kill()
	_ = held.Wait()
	gone(t, id)
}

// TestHold is the process that is killed.
func TestHold(t *testing.T) {
	place := os.Getenv("REALIOPS_HOLD")
	if place == "" {
		return
	}
	s := needsKernel(t, Place{Roots: serverIn(t, place)})
	fmt.Println(programOf(t, s))
	time.Sleep(time.Minute)
}

func programOf(t *testing.T, s *Sampler) ebpf.ProgramID {
	t.Helper()
	info, err := s.kernel.programs[0].Info()
	if err != nil {
		t.Fatal(err)
	}
	id, _ := info.ID()
	return id
}

func inKernel(id ebpf.ProgramID) bool {
	p, err := ebpf.NewProgramFromID(id)
	if err == nil {
		_ = p.Close()
	}
	return err == nil
}

// gone waits until the kernel has dropped a closed program.
func gone(t *testing.T, id ebpf.ProgramID) {
	t.Helper()
	for range 100 {
		if !inKernel(id) {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Errorf("program %d is still in the kernel", id)
}
