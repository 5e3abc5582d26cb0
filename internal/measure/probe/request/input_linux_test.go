package request

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/cilium/ebpf/asm"
	"github.com/cilium/ebpf/ringbuf"
	"golang.org/x/sys/unix"

	"github.com/realiops/realiops/internal/measure/layout"
	"github.com/realiops/realiops/internal/measure/probe"
	"github.com/realiops/realiops/internal/runfile"
)

// TestWhereRequestsCannotBeFollowed: the gap says what is missing, and the command that helps, if any.
func TestWhereRequestsCannotBeFollowed(t *testing.T) {
	needsKernel(t, Place{Roots: serverIn(t, directory(t))}).Close()
	for _, c := range []struct {
		name, without string // shell commands to run before
		as            string // flags of setpriv
		reason        runfile.Reason
		says          string
	}{
		// with sysctl and without
		{"somebody else than root", "true", "--reuid=65534 --regid=65534 --clear-groups", runfile.Permission,
			"only root"},
		{"root of a container", "true", "--bounding-set=-bpf,-perfmon,-sys_admin", runfile.Disabled, "not even root"},
		{"no description of the kernel", "mount -t tmpfs none /sys/kernel/btf", "", runfile.Unsupported,
			"/sys/kernel/btf/vmlinux"},
		{"a container's own /sys", "mount -t tmpfs none /sys", "", runfile.Unsupported, "is not in /sys"},
		{"another file system", "mount -t tmpfs none $REALIOPS_REFUSED", "", runfile.Unsupported, "another file system"},
	} {
		t.Run(c.name, func(t *testing.T) {
			place := directory(t)
			if err := os.Chmod(place, 0o755); err != nil { //nolint:gosec // other users run it
				t.Fatal(err)
			}
			program := filepath.Join(place, "program") // executable by all users
			if out, err := exec.Command("install", "-m", "755", os.Args[0], program).CombinedOutput(); err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			// The mounts are private.
			tried := exec.Command("unshare", "--mount", "sh", "-ec", c.without+"; exec setpriv "+c.as+
				` "$0" -test.run=^TestRefused$`, program)
			if strings.Contains(c.without, "REFUSED") {
				place = filepath.Join(place, "base") // the program lies above
			}
			tried.Env = append(os.Environ(), "REALIOPS_REFUSED="+place)
			out, err := tried.CombinedOutput()
			if err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			if said := string(out); !strings.Contains(said, fmt.Sprintf("reason %s: ", c.reason)) ||
				!strings.Contains(said, c.says) {
				t.Errorf("%s", said)
			}
			if named := strings.Contains(string(out), "setcap"); named != (c.reason == runfile.Permission) {
				t.Errorf("names the command that allows it: %v: %s", named, out)
			}
		})
	}
}

// TestRefused is the process without permission.
func TestRefused(t *testing.T) {
	place := os.Getenv("REALIOPS_REFUSED")
	if place == "" {
		return
	}
	_, err := New(Place{Roots: serverIn(t, place)})
	var why *probe.Error
	if !errors.As(err, &why) {
		t.Fatal(err)
	}
	fmt.Printf("reason %s: %v; %s\n", why.Reason, why, Remedy(runfile.Gap{Metric: Name, Reason: why.Reason}).Text)
}

// TestRequestsThatAreNotFetched: requests beyond a full ring count as lost, the ring's do not.
func TestRequestsThatAreNotFetched(t *testing.T) {
	top := directory(t)
	s := needsKernel(t, Place{Roots: serverIn(t, top), Postmaster: os.Getpid(), Database: 5})
	defer s.Close()
	small, err := attach(disksOf(s.files.roots), uint32(os.Getpagesize()))
	if err != nil {
		t.Fatal(err)
	}
	defer small.close()
	before := written(t, s)
	write(t, filepath.Join(top, "base/5/100"), 1000)
	after := written(t, s)
	lost, err := small.lostEvents()
	if err != nil {
		t.Fatal(err)
	}
	const record = eventBytes + 8 // the ring's own note of its length
	fit := float64(os.Getpagesize() / record)
	// Other users of the disk fill the ring, too, with reads as well. On a busy machine ext4 has been seen to write
	// 2 MiB of direct I/O in one request.
	if all := after[Name+"/writes"] - before[Name+"/writes"]; all < 4*fit || float64(lost) < all-fit {
		t.Errorf("%d of %.0f writes were lost, and %.0f have room", lost, all, fit)
	}
	if after[Name+"/lost"] != 0 {
		t.Errorf("%.0f were lost of those that were fetched", after[Name+"/lost"])
	}
}

// TestSleepsWhileThereAreNoRequests: the first request wakes the fetching goroutine, and nothing else does.
func TestSleepsWhileThereAreNoRequests(t *testing.T) {
	top, _ := partitioned(t, "mkfs.ext4", "-q", "-O", "^has_journal", "-E", "lazy_itable_init=0")
	s := needsKernel(t, Place{Roots: serverIn(t, top), Postmaster: os.Getpid(), Database: 5})
	defer s.Close()
	k, err := attach(disksOf(s.files.roots), ringBytes())
	if err != nil {
		t.Fatal(err)
	}
	defer k.close()
	write(t, filepath.Join(top, "base/5/100"), 1)
	const moment = 300 * time.Millisecond
	slept := func() bool { // once all are fetched
		var r ringbuf.Record
		err := error(nil)
		for k.reader.SetDeadline(time.Now()); err == nil; {
			err = k.reader.ReadInto(&r)
		}
		if !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Fatal(err)
		}
		began := time.Now()
		k.await(moment)
		return time.Since(began) >= moment
	}
	for _, c := range []struct {
		name string
		wake func()
	}{
		{"a request", func() { write(t, filepath.Join(top, "base/5/100"), 1) }},
		{"another one", func() { write(t, filepath.Join(top, "base/5/100"), 1) }},
		{"the end", k.wake},
	} {
		for tries := 1; !slept(); tries++ { // the file system does its own work for seconds
			if tries == 50 {
				t.Fatalf("it never slept before %s", c.name)
			}
		}
		woken := make(chan struct{})
		go func() { k.await(0); close(woken) }()
		c.wake()
		select {
		case <-woken:
		case <-time.After(10 * time.Second):
			t.Fatalf("%s did not wake it", c.name)
		}
	}
}

// TestFilesThatComeAndGo: the server's writes to files deleted before a look are the server's, not the journal's.
func TestFilesThatComeAndGo(t *testing.T) {
	mount, disk := partitioned(t, "mkfs.ext4", "-q", "-E", "lazy_itable_init=0,lazy_journal_init=0")
	top := directoryOn(t, mount)
	s := needsKernel(t, Place{Roots: serverIn(t, top), Postmaster: os.Getpid(), Database: 5})
	defer s.Close()
	before, after := told(t, s, disk, func() {
		s.mu.Lock() // no look happens
		defer s.mu.Unlock()
		path := filepath.Join(top, "base/pgsql_tmp/pgsql_tmp1.1")
		write(t, path, 40)
		if err := os.Remove(path); err != nil {
			t.Error(err)
		}
	})
	if got := after["request.other/write_bytes"] - before["request.other/write_bytes"]; got != 40*writeBytes {
		t.Errorf("%.0f bytes of other files, want %d; of the journal %.0f", got, 40*writeBytes,
			after["request.journal/write_bytes"]-before["request.journal/write_bytes"])
	}
}

// TestNamesThatComeLate: a relation whose file was found before its commit is asked for again, even between looks.
func TestNamesThatComeLate(t *testing.T) {
	top := directory(t)
	names := map[uint32]Relation{}
	s := needsKernel(t, Place{Roots: serverIn(t, top), Database: 5, Relations: func() (map[uint32]Relation, error) {
		return names, nil
	}})
	defer s.Close()
	write(t, filepath.Join(top, "base/5/100"), 1)
	written(t, s)
	kind := func() Kind {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.looked = spell{time.Now(), time.Hour}
		for key, one := range s.files.known {
			if key.path == "base/5/100" {
				return one.owner.kind
			}
		}
		t.Fatal("the file was not found")
		return 0
	}
	if got := kind(); got != Relations {
		t.Fatalf("without a name it is %s", got)
	}
	s.mu.Lock()
	names, s.named = map[uint32]Relation{100: {"public.t", Tables}}, spell{}
	s.mu.Unlock()
	for deadline := time.Now().Add(time.Minute); kind() != Tables; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("nobody asked for its name again")
		}
	}
}

// TestTooManyFiles: a server with too many files is reported, and the followed ones are right.
func TestTooManyFiles(t *testing.T) {
	const most = 100
	mount, disk := partitioned(t, "mkfs.ext4", "-q", "-O", "^dir_index", "-E",
		"lazy_itable_init=0,lazy_journal_init=0") // lists names in order of creation
	top := directoryOn(t, mount)
	if err := os.MkdirAll(filepath.Join(top, "base/9"), 0o700); err != nil {
		t.Fatal(err)
	}
	for i := range most + 1 {
		fd, err := unix.Open(filepath.Join(top, "base/9", strconv.Itoa(i+1)), unix.O_CREAT|unix.O_WRONLY, 0o600)
		if err != nil {
			t.Fatal(err)
		}
		_ = unix.Close(fd)
	}
	first := filepath.Join(top, "base/5/100") // looked at before base/9
	write(t, first, 1)
	place := Place{Roots: serverIn(t, top), Postmaster: os.Getpid(), Database: 5, Names: map[uint32]Relation{
		100: {"public.t", Tables}}}
	needsKernel(t, place).Close()
	s, err := open(place, most, ringBytes())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	before, after := told(t, s, disk, func() { write(t, first, 25) })
	if got := after["request.tables/write_bytes"] - before["request.tables/write_bytes"]; got != 25*16<<10 {
		t.Errorf("%.0f bytes of a table, want those of 25 writes of 16 KiB", got)
	}
	s.mu.Lock() // a look begins without knowing
	tooMany, known := s.files.tooMany, len(s.files.known)
	s.mu.Unlock()
	if !tooMany || known != most {
		t.Errorf("too many files: %v, and %d are known", tooMany, known)
	}
	sample, err := s.Sample(t.Context())
	if err != nil || len(sample.Gaps) != 1 || !strings.Contains(sample.Gaps[0].Detail, "more than 100 files") {
		t.Errorf("%v; gaps %v", err, sample.Gaps)
	}
}

// TestRequestsThatWaitTooLong: a reading is withheld, with the reason, while requests wait longer for their files
// than docs/requests.md promises.
func TestRequestsThatWaitTooLong(t *testing.T) {
	s := needsKernel(t, Place{Roots: serverIn(t, directory(t)), Postmaster: os.Getpid(), Database: 5})
	defer s.Close()
	s.mu.Lock()
	s.waiting = append(s.waiting, waiting{event{Sector: 1 << 62, Bytes: 4096, Operation: opWrite,
		Process: uint32(os.Getpid())}, time.Now().Add(-latest - time.Second)})
	s.looked = spell{time.Now(), time.Hour} // many files
	s.mu.Unlock()
	_, err := s.Sample(t.Context())
	if gap := probe.GapOf(err); err == nil || gap.Reason != runfile.Late ||
		!strings.Contains(err.Error(), "a later reading has them") {
		t.Errorf("a reading without what one wrote: %v", err)
	}
	s.mu.Lock()
	s.looked = spell{}
	s.mu.Unlock()
	if sample, err := s.Sample(t.Context()); err != nil || sample.Values["request.other/write_bytes"]+
		sample.Values["request.journal/write_bytes"] < 4096 {
		t.Errorf("after a look: %v, %v", sample.Values, err)
	}
}

// TestOthersTracing: other users' tracing of requests by tracefs continues completely, and shows nothing of ours.
func TestOthersTracing(t *testing.T) {
	top, disk := partitioned(t, "mkfs.ext4", "-q", "-E", "lazy_itable_init=0,lazy_journal_init=0")
	needsKernel(t, Place{Roots: serverIn(t, top)}).Close()
	traces := t.TempDir()
	if err := unix.Mount("none", traces, "tracefs", 0, ""); err != nil {
		t.Fatal(err)
	}
	defer unix.Unmount(traces, unix.MNT_DETACH) //nolint:errcheck // nobody else sees it
	read := func(name string) string {
		t.Helper()
		text, err := os.ReadFile(filepath.Join(traces, name))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	theirs := fmt.Sprintf("instances/realiops-%d", os.Getpid())
	if err := os.Mkdir(filepath.Join(traces, theirs), 0o700); err != nil {
		t.Fatal(err)
	}
	defer unix.Rmdir(filepath.Join(traces, theirs)) //nolint:errcheck // as it was
	enabled := theirs + "/events/block/block_rq_complete/enable"
	if err := os.WriteFile(filepath.Join(traces, enabled), []byte("1"), 0o600); err != nil {
		t.Fatal(err)
	}
	events := func() string { return read("set_event") + read("dynamic_events") + read(enabled) }
	before := events()
	s := needsKernel(t, Place{Roots: serverIn(t, top), Postmaster: os.Getpid()})
	write(t, filepath.Join(top, "pg_wal/000000010000000000000001"), 60)
	if during := events(); during != before {
		t.Errorf("events were\n%sand are\n%s", before, during)
	}
	s.Close()
	write(t, filepath.Join(top, "pg_wal/000000010000000000000002"), 40)
	if after := events(); after != before {
		t.Errorf("events were\n%sand are\n%s", before, after)
	}
	number := strings.ReplaceAll(strings.TrimSpace(readFile(t, "/sys/block/"+disk+"/dev")), ":", ",")
	seen := 0
	for line := range strings.Lines(read(theirs + "/trace")) {
		if strings.Contains(line, " "+number+" W") && strings.Contains(line, " + 32 ") { // sectors: 16 KiB
			seen++
		}
	}
	if seen != 100 {
		t.Errorf("%d of 100 writes were traced:\n%s", seen, read(theirs+"/trace"))
	}
}

// TestRingsThatWrap: a ring fetched in time loses no request, however often it wraps: its counts equal a larger
// ring's. On a busy machine the kernel itself omits one in a thousand from both, which the disk counts.
func TestRingsThatWrap(t *testing.T) {
	top, _ := partitioned(t, "mkfs.ext4", "-q", "-E", "lazy_itable_init=0,lazy_journal_init=0")
	s, err := open(Place{Roots: serverIn(t, top), Postmaster: os.Getpid(), Database: 5}, mostFiles,
		uint32(os.Getpagesize())) // has room for 73
	if err != nil {
		t.Skip(err)
	}
	defer s.Close()
	large, err := attach(disksOf(s.files.roots), ringBytes())
	if err != nil {
		t.Fatal(err)
	}
	defer large.close()
	before := written(t, s)
	path := filepath.Join(top, "pg_wal/000000010000000000000001")
	for range 50 {
		write(t, path, 20)
		s.mu.Lock()
		err = errors.Join(err, s.fetch())
		s.mu.Unlock()
	}
	after := written(t, s)
	told := float64(writesIn(t, large))
	const written, untold = 50 * 20, 10
	if got := after["request.wal/writes"] - before["request.wal/writes"]; err != nil || got != told ||
		after[Name+"/lost"] != 0 {
		t.Errorf("%.0f of %.0f writes of the WAL, %.0f lost: %v", got, told, after[Name+"/lost"], err)
	}
	if told > written || told < written-untold {
		t.Errorf("the kernel tells of %.0f of %d writes", told, written)
	}
}

// writesIn returns the number of [write]'s requests in a ring.
func writesIn(t *testing.T, k *kernel) (n int) {
	t.Helper()
	var record ringbuf.Record
	var e event
	k.reader.SetDeadline(time.Now())
	for {
		err := k.reader.ReadInto(&record)
		if errors.Is(err, os.ErrDeadlineExceeded) {
			return n
		}
		if err := errors.Join(err, e.read(record.RawSample)); err != nil {
			t.Fatal(err)
		}
		if e.Bytes == writeBytes {
			n++
		}
	}
}

// TestLockdown: the programs use no function that a locked-down kernel denies (kernel/trace/bpf_trace.c).
func TestLockdown(t *testing.T) {
	s := needsKernel(t, Place{Roots: serverIn(t, directory(t))})
	defer s.Close()
	kept := []asm.BuiltinFunc{asm.FnProbeRead, asm.FnProbeReadStr, asm.FnProbeReadKernel, asm.FnProbeReadKernelStr,
		asm.FnProbeWriteUser}
	calls := 0
	for _, program := range [][]asm.Instruction{
		noteAsker(offsets{}, []uint32{1}, s.kernel.askers), tellRequest(offsets{}, []uint32{1}, s.kernel.askers,
			s.kernel.events, s.kernel.lost),
	} {
		for _, i := range program {
			if i.IsBuiltinCall() {
				calls++
				if slices.Contains(kept, asm.BuiltinFunc(i.Constant)) {
					t.Errorf("it calls %v", asm.BuiltinFunc(i.Constant))
				}
			}
		}
	}
	if calls == 0 {
		t.Error("it calls nothing at all")
	}
}

// TestClocksThatWereSet: files are found whatever the clock showed at the last look.
func TestClocksThatWereSet(t *testing.T) {
	for _, off := range []time.Duration{-time.Hour, time.Hour} {
		top := directory(t)
		roots, _, err := rootsOf(serverIn(t, top))
		if err != nil {
			t.Skip(err)
		}
		f := filesOf(Place{}, roots, nil, 10)
		path := filepath.Join(top, "base/5/100")
		for pages := 1; pages <= 3; pages++ {
			write(t, path, pages)
			f.look(time.Now().Add(off))
			var want []extent
			err := f.roots[0].Walk(&layout.Walk{Until: time.Now().Add(time.Minute), Names: 1000}, func(e *layout.Entry) {
				if e.Path == "base/5/100" {
					var at lies
					at, err = placeOf(e)
					want = at.extents
				}
			})
			if known := f.known[key{&f.roots[0], "base/5/100"}].lies.extents; err != nil || len(want) == 0 ||
				!slices.Equal(known, want) {
				t.Errorf("a clock off by %s, %d pages: it lies at %v, and at %v for all that is known: %v", off, pages,
					want, known, err)
			}
		}
	}
}
