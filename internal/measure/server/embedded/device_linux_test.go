package embedded

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

const deviceSize = 512 << 20 // bytes

// mayMakeDevices skips the test if this machine does not allow loop devices.
func mayMakeDevices(t *testing.T) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("only root makes loop devices")
	}
	if _, err := os.Stat("/dev/loop-control"); err != nil {
		t.Skipf("no loop devices here: %v", err)
	}
	if _, err := formatter(systemDirectories()); err != nil {
		t.Skip(err)
	}
}

// devicesIn returns the loop devices whose file lies in a directory, and the mounts there.
func devicesIn(t *testing.T, directory string) []string {
	t.Helper()
	var found []string
	files, _ := filepath.Glob("/sys/block/loop*/loop/backing_file")
	for _, file := range files {
		backing, err := os.ReadFile(file)
		if err == nil && strings.HasPrefix(string(backing), directory+"/") {
			found = append(found, strings.Split(file, "/")[3])
		}
	}
	table, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(table)) {
		if point := strings.Fields(line)[4]; strings.HasPrefix(point, directory+"/") {
			found = append(found, "mounted "+point)
		}
	}
	return found
}

// checkNoDeviceIn waits until the kernel has removed the devices.
func checkNoDeviceIn(t *testing.T, directory string) {
	t.Helper()
	var left []string
	for range 1200 { // a minute
		if left = devicesIn(t, directory); len(left) == 0 {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Errorf("left behind: %q", left)
	for _, what := range left {
		if point, mounted := strings.CutPrefix(what, "mounted "); mounted {
			_ = unix.Unmount(point, unix.MNT_DETACH)
		}
	}
}

func TestADeviceOfItsOwn(t *testing.T) {
	mayMakeDevices(t)
	dataDir := newDataDir(t)
	s := start(t, Options{DataDir: dataDir, OwnDevice: deviceSize, Settings: []string{"work_mem=1234kB"}})
	storage := s.Target().Storage
	found := devicesIn(t, dataDir)
	if len(found) != 2 || found[1] != "mounted "+storage.Directory || !storage.Own || storage.FileSystem != "ext4" {
		t.Fatalf("%q and %+v, want a device mounted at the data directory", found, storage)
	}
	if direct := firstLine(t, "/sys/block/"+found[0]+"/loop/dio"); direct != "1" {
		t.Errorf("direct I/O is %s", direct)
	}
	for setting, want := range map[string]string{"max_wal_size": "128MB", "work_mem": "1234kB"} {
		if got := ask(t, s.DSN(), "show "+setting); got != want {
			t.Errorf("%s is %s, want %s", setting, got, want)
		}
	}
	before := sectorsOf(t, found[0])
	execute(t, s.DSN(), "create table t as select 'x'::char(1000) from generate_series(1, 7000)")
	execute(t, s.DSN(), "checkpoint")
	const least = 2 * 7000 * 1000 // bytes: each row goes to the WAL and to the table
	if grown := 512 * (sectorsOf(t, found[0]) - before); grown < least || grown > least+64<<20 {
		t.Errorf("%d bytes were written, want %d, and at most a few files of the WAL more", grown, least)
	}
	if err := s.Stop(t.Context()); err != nil {
		t.Error(err)
	}
	checkNoDeviceIn(t, dataDir)
	checkGone(t, dataDir)
}

func sectorsOf(t *testing.T, device string) int {
	t.Helper()
	fields := strings.Fields(firstLine(t, "/sys/block/"+device+"/stat"))
	n, err := strconv.Atoi(fields[6])
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// Whichever process is killed, at any moment, nothing stays after the next start.
func TestAKillLeavesNoDevice(t *testing.T) {
	mayMakeDevices(t)
	fetched(t, "")
	check := func(what, stage string, victims func(h *holder, said string), next bool) {
		t.Run(what, func(t *testing.T) {
			dataDir := newDataDir(t)
			if next { // a directory that stays is swept
				if err := os.Mkdir(dataDir, 0o755); err != nil {
					t.Fatal(err)
				}
			}
			h := startHolder(t, Options{DataDir: dataDir, OwnDevice: deviceSize})
			said := h.until(t, stage)
			victims(h, said)
			if next {
				awaitServersEnd(t, dataDir)
				sweep(dataDir)
			}
			checkNoDeviceIn(t, dataDir)
			checkNothingIn(t, dataDir)
		})
	}
	realiops := func(h *holder, _ string) { kill(t, strconv.Itoa(h.command.Process.Pid), syscall.SIGKILL) }
	both := func(h *holder, said string) { killBoth(t, h, pidIn(t, said)) }
	check("realiops making the device", "creating a device", realiops, false)
	check("realiops initializing", "initializing", realiops, false)
	check("realiops", "supervisor", realiops, false)
	check("both", "supervisor", both, true)
}

// awaitServersEnd waits until a server without its realiops has ended.
func awaitServersEnd(t *testing.T, dataDir string) {
	t.Helper()
	directories, _ := filepath.Glob(filepath.Join(dataDir, runPrefix+"*"))
	if len(directories) != 1 || !lockComesFree(t, directories[0]) {
		t.Fatalf("a server goes on in %q", directories)
	}
}

func TestADeviceInUseIsRemoved(t *testing.T) {
	mayMakeDevices(t)
	dataDir := newDataDir(t)
	s := start(t, Options{DataDir: dataDir, OwnDevice: deviceSize})
	open, err := os.Open(s.Target().Storage.Directory)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Stop(t.Context()); err != nil {
		t.Error(err)
	}
	checkGone(t, dataDir)
	if err := open.Close(); err != nil {
		t.Error(err)
	}
	checkNoDeviceIn(t, dataDir)
}
