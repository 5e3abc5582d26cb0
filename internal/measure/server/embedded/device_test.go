package embedded

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestWhoMayHaveADevice(t *testing.T) {
	check := func(o Options, system string, uid int, want string) {
		t.Helper()
		err := o.checkDevice(system, uid)
		if (err == nil) != (want == "") || err != nil && !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%+v on %s as %d: %v, want %s …", o, system, uid, err, want)
		}
	}
	const gigabyte = 1 << 30
	check(Options{}, "darwin", 501, "")
	check(Options{OwnDevice: gigabyte}, "linux", 0, "")
	check(Options{OwnDevice: gigabyte}, "darwin", 0, "--own-device needs Linux")
	check(Options{OwnDevice: gigabyte}, "linux", 1000,
		"--own-device mounts a block device, which needs root")
	check(Options{OwnDevice: 255 << 20}, "linux", 0, "--own-device is 255 MB, but a server needs 256 MB")
	check(Options{OwnDevice: gigabyte, Keep: true}, "linux", 0, "--own-device and --keep cannot be combined")
}

func TestAProgramThatMakesFileSystemsIsLookedFor(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	elsewhere := t.TempDir()
	_, err := formatter([]string{elsewhere})
	const want = "--own-device needs mkfs.ext4; install the package e2fsprogs"
	if err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
	program := filepath.Join(elsewhere, "mkfs.ext4")
	if err := os.WriteFile(program, []byte("#!/bin/sh\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	if found, err := formatter([]string{elsewhere}); err != nil || found != program {
		t.Errorf("%q, %v", found, err)
	}
}

// With the default max_wal_size, 1 GB, a server's WAL would fill a smaller device.
func TestTheLogDoesNotFillASmallDevice(t *testing.T) {
	check := func(size int64, want ...setting) {
		t.Helper()
		if diff := cmp.Diff(want, (Options{OwnDevice: size}).deviceSettings(),
			cmp.AllowUnexported(setting{})); diff != "" {
			t.Errorf("%d bytes (-want +got):\n%s", size, diff)
		}
	}
	check(0)
	check(512<<20, setting{"max_wal_size", "128MB"})
	check(4 << 30)
}
