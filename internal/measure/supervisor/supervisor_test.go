//go:build unix

package supervisor

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/realiops/realiops/internal/measure/role"
	"github.com/realiops/realiops/internal/measure/scratch"
)

// victimCommand makes the test program a realiops that can be killed.
const victimCommand = "test-victim"

func TestMain(m *testing.M) {
	if status, played := role.Main(os.Args, Role()); played {
		os.Exit(status)
	}
	if len(os.Args) == 3 && os.Args[1] == victimCommand {
		if err := holdForever(os.Args[2]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
	// otherwise every process of this program sleeps for a second at its end
	_ = os.Setenv("GORACE", "atexit_sleep_ms=0")
	os.Exit(m.Run())
}

// holdForever makes a directory with a program in it, and holds both.
func holdForever(place string) error {
	s, err := Start()
	if err != nil {
		return err
	}
	directory, _, err := workIn(s, place)
	if err != nil {
		return err
	}
	fmt.Println(directory)
	select {}
}

// workIn starts a program in a directory of ours that only SIGKILL ends.
func workIn(s *Supervisor, place string) (directory string, worker *exec.Cmd, err error) {
	directory, lock, err := scratch.Make(place, "realiops-test-")
	if err != nil {
		return "", nil, err
	}
	defer lock.Close()
	s.Hold(Item{Directory: &Directory{directory}})
	worker = exec.Command("sh", "-c", `trap "" INT; touch "$0/ready"; while :; do sleep 0.1; done`, directory)
	worker.ExtraFiles = []*os.File{lock}
	worker.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := worker.Start(); err != nil {
		return "", nil, err
	}
	go func() { _ = worker.Wait() }()
	s.Hold(Item{Process: &Process{
		Name: "the worker", ID: -worker.Process.Pid, Directory: directory,
		Steps: []Step{{unix.SIGINT, 200 * time.Millisecond}, {unix.SIGKILL, 10 * time.Second}},
	}})
	for range 500 {
		if _, err := os.Stat(filepath.Join(directory, "ready")); err == nil {
			return directory, worker, nil
		}
		time.Sleep(10 * time.Millisecond)
	}
	return "", nil, errors.New("the worker does not begin")
}

func newSupervisor(t *testing.T) *Supervisor {
	t.Helper()
	s, err := Start()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Release(context.Background()) })
	return s
}

func checkGone(t *testing.T, path string) {
	t.Helper()
	var err error
	for range 1000 { // 10 seconds
		if _, err = os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("%s is left, %v", path, err)
}

func TestReleaseEndsProcessesAndRemovesWhatTheyWorkedIn(t *testing.T) {
	s := newSupervisor(t)
	directory, worker, err := workIn(s, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := s.Release(t.Context()); err != nil {
			t.Error(err)
		}
	}
	if _, err := os.Lstat(directory); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the directory is left: %v", err)
	}
	if err := unix.Kill(worker.Process.Pid, 0); !errors.Is(err, unix.ESRCH) {
		time.Sleep(100 * time.Millisecond) // until it is waited for
		if err := unix.Kill(worker.Process.Pid, 0); !errors.Is(err, unix.ESRCH) {
			t.Errorf("the process is left: %v", err)
		}
	}
}

func TestDroppedThingsStay(t *testing.T) {
	s := newSupervisor(t)
	place := t.TempDir()
	kept, gone := filepath.Join(place, "realiops-kept"), filepath.Join(place, "realiops-gone")
	for _, path := range []string{kept, gone} {
		if err := os.Mkdir(path, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	drop := s.Hold(Item{Directory: &Directory{kept}})
	s.Hold(Item{Directory: &Directory{gone}})
	drop()
	if err := s.Release(t.Context()); err != nil {
		t.Error(err)
	}
	if _, err := os.Lstat(kept); err != nil {
		t.Errorf("what was dropped is gone: %v", err)
	}
	checkGone(t, gone)
}

// An item that cannot be cleaned up is reported, and earlier ones stay.
func TestFailedCleanUpIsReported(t *testing.T) {
	s := newSupervisor(t)
	place := t.TempDir()
	below, others := filepath.Join(place, "realiops-below"), filepath.Join(place, "somebody's")
	for _, path := range []string{below, others} {
		if err := os.Mkdir(path, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	s.Hold(Item{Directory: &Directory{below}})
	s.Hold(Item{Directory: &Directory{others}})
	want := others + " is not a directory of realiops; nothing was removed"
	if err := s.Release(t.Context()); err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
	for _, path := range []string{below, others} {
		if _, err := os.Lstat(path); err != nil {
			t.Error(err)
		}
	}
}

func TestOnlyEmptyDirectoriesAreRemoved(t *testing.T) {
	place := t.TempDir()
	empty, full := filepath.Join(place, "empty"), filepath.Join(place, "full")
	if err := errors.Join(os.Mkdir(empty, 0o755), os.Mkdir(full, 0o755), os.WriteFile(filepath.Join(full, "mine"), nil,
		0o644)); err != nil {
		t.Fatal(err)
	}
	if err := CleanUp(Item{Empty: &Empty{empty}}, Item{Empty: &Empty{full}},
		Item{Empty: &Empty{filepath.Join(place, "absent")}}); err != nil {
		t.Error(err)
	}
	checkGone(t, empty)
	if _, err := os.Lstat(filepath.Join(full, "mine")); err != nil {
		t.Error(err)
	}
}

// startVictim starts a realiops that holds a directory, and returns both.
func startVictim(t *testing.T, place string) (*exec.Cmd, string) {
	t.Helper()
	victim := exec.Command(os.Args[0], victimCommand, place)
	victim.Stderr = t.Output()
	out, err := victim.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := victim.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = victim.Process.Kill(), victim.Wait() })
	var directory string
	if _, err := fmt.Fscanln(out, &directory); err != nil {
		t.Fatal(err)
	}
	return victim, directory
}

func TestKilledRealiopsLeavesNothing(t *testing.T) {
	victim, directory := startVictim(t, t.TempDir())
	if err := victim.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	checkGone(t, directory)
}

// A stopped realiops is not gone.
func TestStoppedRealiopsIsNotGone(t *testing.T) {
	victim, directory := startVictim(t, t.TempDir())
	if err := victim.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	time.Sleep(2 * time.Second)
	if used, err := inUse(directory); err != nil || !used {
		t.Errorf("in use: %v, %v", used, err)
	}
	if err := errors.Join(victim.Process.Signal(syscall.SIGCONT), victim.Process.Kill()); err != nil {
		t.Fatal(err)
	}
	checkGone(t, directory)
}

// Another process takes over the items of a killed one.
func TestAKilledSupervisorIsReplaced(t *testing.T) {
	s := newSupervisor(t)
	directory, _, err := workIn(s, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	first := s.PID()
	for range 2 {
		if err := syscall.Kill(s.PID(), syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		for begun := time.Now(); s.PID() == first; time.Sleep(10 * time.Millisecond) {
			if time.Since(begun) > 10*time.Second {
				t.Fatal("no other one was started")
			}
		}
		first = s.PID()
	}
	if err := s.Release(t.Context()); err != nil {
		t.Error(err)
	}
	checkGone(t, directory)
}

// If no supervisor can be started any more, realiops cleans up itself.
func TestWithoutASupervisorRealiopsCleansUp(t *testing.T) {
	s := newSupervisor(t)
	directory, _, err := workIn(s, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	s.mu.Lock()
	s.starts = mostStarts
	s.mu.Unlock()
	if err := syscall.Kill(s.PID(), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	if err := s.Release(t.Context()); err != nil {
		t.Error(err)
	}
	checkGone(t, directory)
}

// A stopped supervisor is replaced when it gets an order or is asked to clean up.
func TestStoppedSupervisorIsIgnored(t *testing.T) {
	s := newSupervisor(t)
	s.silence = 500 * time.Millisecond
	stopped := func() int {
		pid := s.PID()
		if err := syscall.Kill(pid, syscall.SIGSTOP); err != nil {
			t.Fatal(err)
		}
		return pid
	}
	first := stopped()
	directory, _, err := workIn(s, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if s.PID() == first || s.PID() == 0 {
		t.Errorf("it is process %d, which was %d", s.PID(), first)
	}
	s.silence = 2 * time.Second // longer than the interval of its reports
	stopped()
	if err := s.Release(t.Context()); err != nil {
		t.Error(err)
	}
	checkGone(t, directory)
}

// Release returns when its context ends, and the clean-up continues.
func TestReleaseGoesOnByItself(t *testing.T) {
	s := newSupervisor(t)
	directory, _, err := workIn(s, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	enough := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(enough)
	if err := s.Release(ctx); !errors.Is(err, enough) {
		t.Errorf("%v, want %v", err, enough)
	}
	checkGone(t, directory)
}

func TestSignalsOfTheTerminalDoNotReachIt(t *testing.T) {
	s := newSupervisor(t)
	pid := s.PID()
	for _, signal := range []syscall.Signal{syscall.SIGINT, syscall.SIGHUP, syscall.SIGQUIT, syscall.SIGTERM,
		syscall.SIGPIPE} {
		if err := syscall.Kill(pid, signal); err != nil {
			t.Fatal(err)
		}
	}
	s.Hold(Item{Empty: &Empty{filepath.Join(t.TempDir(), "absent")}})
	if s.PID() != pid {
		t.Error("it was replaced")
	}
}

// A segment is removed only if the file's owner owns it, the named process made it, and it is unused.
func TestSharedMemory(t *testing.T) {
	const size = 56 // bytes, as PostgreSQL takes
	check := func(what string, process int, attached, want bool) {
		t.Run(what, func(t *testing.T) {
			segment, err := unix.SysvShmGet(unix.IPC_PRIVATE, size, unix.IPC_CREAT|0o600)
			if err != nil {
				t.Skip(err)
			}
			defer func() { _, _ = unix.SysvShmCtl(segment, unix.IPC_RMID, nil) }()
			if attached {
				memory, err := unix.SysvShmAttach(segment, 0, 0)
				if err != nil {
					t.Fatal(err)
				}
				defer func() { _ = unix.SysvShmDetach(memory) }()
			}
			directory := t.TempDir()
			text := fmt.Sprintf("%d\n%s\n1700000000\n5432\n/tmp\n127.0.0.1\n   112358 %9d\nready   \n", process,
				directory, segment)
			if err := os.WriteFile(filepath.Join(directory, "postmaster.pid"), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			if err := CleanUp(Item{SharedMemory: &SharedMemory{directory}}); err != nil {
				t.Error(err)
			}
			var s unix.SysvShmDesc
			_, err = unix.SysvShmCtl(segment, unix.IPC_STAT, &s)
			if gone := err != nil; gone != want {
				t.Errorf("gone: %v (%v), want %v", gone, err, want)
			}
		})
	}
	check("ours", os.Getpid(), false, true)
	check("of a server without clients", -os.Getpid(), false, true)
	check("made by another process", os.Getpid()+1, false, false)
	check("in use", os.Getpid(), true, false)
	for _, text := range []string{"", "1\n2\n", strings.Repeat("x\n", 9), strings.Repeat("\n", 4000)} {
		directory := t.TempDir()
		if err := os.WriteFile(filepath.Join(directory, "postmaster.pid"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := CleanUp(Item{SharedMemory: &SharedMemory{directory}}); err != nil {
			t.Errorf("%q: %v", text, err)
		}
	}
}
