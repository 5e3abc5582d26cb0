package main

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/realiops/realiops/internal/measure/server/embedded"
	"github.com/realiops/realiops/internal/test/servertest"
)

// What a run would refuse for want of room, doctor says before.
func TestDoctorSeesADiskThatIsNearlyFull(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("mounting takes root")
	}
	dataDir, err := os.MkdirTemp("", "realiops-test-") // where the server's user may enter
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.Remove(dataDir) })
	if err := unix.Mount("tmpfs", dataDir, "tmpfs", 0, "size=1100m,mode=755"); err != nil {
		t.Skip("mount a small file system:", err)
	}
	t.Cleanup(func() { // after the server
		if err := unix.Unmount(dataDir, 0); err != nil {
			t.Error(err)
		}
	})
	s := servertest.Start(t, embedded.Options{Version: "17", DataDir: dataDir, AllowRAM: true})
	for free, want := range map[int64]int{200 << 20: 3, 400 << 20: 0} {
		var is unix.Statfs_t
		if err := unix.Statfs(dataDir, &is); err != nil {
			t.Fatal(err)
		}
		used := int64(is.Blocks-is.Bfree) * int64(is.Bsize) //nolint:unconvert // widths differ by system
		if err := unix.Mount("tmpfs", dataDir, "tmpfs", unix.MS_REMOUNT, fmt.Sprintf("size=%d", used+free)); err != nil {
			t.Fatal(err)
		}
		printed, code := doctor(t, s.DSN())
		const refusal = "NO RUN WOULD BEGIN HERE: the disk under the server's data has"
		if code != want || strings.Contains(printed, refusal) != (want == 3) {
			t.Errorf("with %d MB free: exit code %d, want %d\n%s", free/1e6, code, want, printed)
		}
	}
}
