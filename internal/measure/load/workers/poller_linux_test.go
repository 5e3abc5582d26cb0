package workers

import (
	"context"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/realiops/realiops/internal/measure/load/engine"
	"github.com/realiops/realiops/internal/measure/role"
)

// caged is a worker that may not use io_uring, as in many containers.
func caged() []role.Role {
	return []role.Role{{Name: "caged", Play: func(in io.Reader, out io.Writer) error {
		if err := forbidRings(); err != nil {
			return err
		}
		return play(in, out)
	}}}
}

// forbidRings makes io_uring_setup fail in all threads from now on.
func forbidRings() error {
	const ofAllThreads = 1
	filter := []unix.SockFilter{
		{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: 0}, // the number of the system call
		{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, K: unix.SYS_IO_URING_SETUP, Jf: 1},
		{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ERRNO | uint32(unix.EPERM)},
		{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ALLOW},
	}
	program := unix.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("no new privileges: %w", err)
	}
	_, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, ofAllThreads,
		uintptr(unsafe.Pointer(&program)))
	if errno != 0 {
		return fmt.Errorf("seccomp: %w", errno)
	}
	return nil
}

// TestWithoutARing: a worker without io_uring does the same work, and says why.
func TestWithoutARing(t *testing.T) {
	b := newBench(t, "create table demo (value int)")
	c := b.crew()
	c.command = caged()[0].Command
	o := b.options("insert into demo values (1);")
	o.Transactions = 50
	r, err := c.Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	if rows := b.int("select count(*) from demo"); rows != 200 || r.Transactions != 200 {
		t.Errorf("%d rows, %d transactions", rows, r.Transactions)
	}
	if !strings.HasPrefix(r.Poller, "epoll (io_uring_setup: ") {
		t.Errorf("poller %q", r.Poller)
	}
}

// TestWhoPolls: the reason that keeps clients off a ring is reported.
func TestWhoPolls(t *testing.T) {
	b := newBench(t, "create table demo (value int)")
	check := func(want, text string, change func(*engine.Options)) {
		o := b.options(text)
		o.Transactions = 10
		change(&o)
		r, err := b.crew().Run(t.Context(), o)
		if err != nil || r.Transactions != 40 || r.Poller != want {
			t.Errorf("%s: %d transactions, poller %q, %v", text, r.Transactions, r.Poller, err)
		}
	}
	as := func(*engine.Options) {}
	if sharesRings() {
		check("io_uring", "insert into demo values (1);", as)
		check("io_uring", "\\sleep 1 ms\nselect 1;", as)
	}
	check("epoll (each transaction opens its own connection)", "select 1;", func(o *engine.Options) {
		o.Reconnect = true
	})
	check(`epoll (\copy_rows)`, "\\copy_rows demo (value) rows 3 values (:row)", as)
}

// sharesRings reports whether this kernel has everything for a ring, as since 6.1.
func sharesRings() bool {
	var name unix.Utsname
	var major, minor int
	if unix.Uname(&name) != nil {
		return false
	}
	_, _ = fmt.Sscanf(unix.ByteSliceToString(name.Release[:]), "%d.%d", &major, &minor)
	return major > 6 || major == 6 && minor >= 1
}

// TestAStopWakesSleepers: clients that sleep on a ring are woken, and the load ends immediately.
func TestAStopWakesSleepers(t *testing.T) {
	b := newBench(t, "create table demo (value int)")
	o := b.options("insert into demo values (1);\n\\sleep 1000 s")
	o.Duration = time.Hour
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	go func() {
		for ctx.Err() == nil && b.int("select count(*) from demo") < 4 {
			time.Sleep(10 * time.Millisecond)
		}
		stop()
	}()
	began := time.Now()
	r, _ := b.crew().Run(ctx, o)
	if took := time.Since(began); took > time.Minute || r.Transactions != 0 {
		t.Errorf("took %s, %d transactions", took, r.Transactions)
	}
	b.nothingLeft()
}
