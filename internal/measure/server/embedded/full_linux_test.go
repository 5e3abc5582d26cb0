package embedded

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"golang.org/x/sys/unix"
)

// A file system is shrunk under a running server until its WAL has no room.
func TestFullDiskIsTheCauseOfDeath(t *testing.T) {
	fetched(t, "")
	dataDir := newDataDir(t)
	if err := os.Mkdir(dataDir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := unix.Mount("tmpfs", dataDir, "tmpfs", 0, "size=1100m,mode=755"); err != nil {
		t.Skipf("mount a file system: %v", err)
	}
	t.Cleanup(func() {
		if err := unix.Unmount(dataDir, 0); err != nil {
			t.Error(err)
		}
	})
	s := start(t, Options{DataDir: dataDir, AllowRAM: true})
	if got := s.Target().Storage; !got.RAM || got.FileSystem != "tmpfs" {
		t.Errorf("storage %+v, want one in memory", got)
	}
	shrink(t, dataDir)
	conn, err := pgx.Connect(t.Context(), s.DSN())
	if err != nil {
		t.Fatal(err)
	}
	// 40 MB of WAL alone, more than two segments
	_, err = conn.Exec(t.Context(),
		"select pg_logical_emit_message(false, 'x', repeat('x', 1000000)) from generate_series(1, 40)")
	if err == nil {
		t.Fatal("there was room")
	}
	select {
	case <-s.Died():
	case <-time.After(time.Minute):
		t.Fatal("the server's death was not noticed")
	}
	want := regexp.MustCompile(`^could not write to file "pg_wal/xlogtemp\.\d+": No space left on device$`)
	if !want.MatchString(fmt.Sprint(s.Cause())) {
		t.Errorf("cause %v, want %s", s.Cause(), want)
	}
	if err := s.Stop(t.Context()); err != nil {
		t.Error(err)
	}
	checkNothingIn(t, dataDir)
}

// shrink leaves a file system a few megabytes.
func shrink(t *testing.T, mounted string) {
	t.Helper()
	var s unix.Statfs_t
	if err := unix.Statfs(mounted, &s); err != nil {
		t.Fatal(err)
	}
	used := int64(s.Blocks-s.Bfree) * int64(s.Bsize)
	if err := unix.Mount("tmpfs", mounted, "tmpfs", unix.MS_REMOUNT, fmt.Sprintf("size=%d", used+4<<20)); err != nil {
		t.Fatal(err)
	}
}

func TestMemoryIsRefused(t *testing.T) {
	const memory = "/dev/shm"
	if s, err := storageOf(memory); err != nil || !s.ram {
		t.Skipf("%s is %+v, %v", memory, s, err)
	}
	path := memory + "/realiops-test"
	_, err := Start(t.Context(), Options{DataDir: path})
	want := path +
		" is tmpfs and in memory: writes would not reach a disk, so no I/O could be measured; " +
		"choose another with --data-dir, or allow it with --allow-ram"
	if err == nil || err.Error() != want {
		t.Errorf("error\n%v\nwant\n%s", err, want)
	}
	if _, err := os.Stat(path); err == nil || !strings.Contains(err.Error(), "no such file") {
		t.Errorf("%s: %v, want it gone", path, err)
	}
}
