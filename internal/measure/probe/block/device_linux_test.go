package block

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"unsafe"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"

	"github.com/realiops/realiops/internal/measure/layout"
	"github.com/realiops/realiops/internal/runfile"
	"github.com/realiops/realiops/internal/test/probetest"
)

// page is the size of PostgreSQL's writes.
const page = 8192

// realSampler samples the disk of temporary files. It skips the test if they are in memory or on another machine.
func realSampler(t *testing.T, directory string) *Sampler {
	t.Helper()
	s, err := New(realRoots(t, layout.Server{Data: directory}))
	if err != nil {
		t.Fatal(err)
	}
	if g := s.groups[0]; g.missing != nil || len(g.devices) != 1 {
		t.Skipf("there is no one device to be seen under %s: %q, %v", directory, g.devices, g.missing)
	}
	return s
}

// writeAndFlush writes pages to the disk one by one.
func writeAndFlush(t *testing.T, path string, flags, pages int) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_WRONLY|flags, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for i := range pages {
		if _, err := f.WriteAt(aligned(page), int64(i*page)); err != nil {
			t.Fatal(err)
		}
		if err := f.Sync(); err != nil {
			t.Fatal(err)
		}
	}
}

// aligned returns a buffer that O_DIRECT accepts.
func aligned(size int) []byte {
	buffer := make([]byte, 2*size)
	skip := size - int(uintptr(unsafe.Pointer(&buffer[0]))%uintptr(size))
	return buffer[skip : skip+size]
}

func TestSamplerOfARealDisk(t *testing.T) {
	directory := t.TempDir()
	probetest.Suite{
		Sampler: realSampler(t, directory),
		Work:    func(t *testing.T) { writeAndFlush(t, filepath.Join(directory, "pages"), os.O_CREATE, 4) },
		Rises:   []string{"block/writes", "block/write_bytes"},
	}.Run(t)
}

// rawCounters reads a device's line of /proc/diskstats, which the sampler does not read.
func rawCounters(t *testing.T, device string) map[string]float64 {
	t.Helper()
	table, err := os.ReadFile("/proc/diskstats")
	if err != nil {
		t.Fatal(err)
	}
	for line := range bytes.Lines(table) {
		fields := strings.Fields(string(line))
		if fields[2] != device {
			continue
		}
		values := map[string]float64{}
		for name, at := range map[string]int{
			"block/reads": 3, "block/writes": 7, "block/writes_merged": 8, "sectors": 9, "block/flushes": 18,
		} {
			if at < len(fields) {
				var v float64
				fmt.Sscan(fields[at], &v)
				values[name] = v
			}
		}
		values["block/write_bytes"] = values["sectors"] * 512
		delete(values, "sectors")
		return values
	}
	t.Fatalf("%s is not in /proc/diskstats", device)
	return nil
}

// Other programs may write to the disk at any time, so a sample must lie between the raw
// counters just before and after it.
func TestSampleAgreesWithDiskstats(t *testing.T) {
	directory := t.TempDir()
	s := realSampler(t, directory)
	const pages = 32
	var counted [2]map[string]float64
	for i := range counted {
		before := rawCounters(t, s.storage.Device)
		sample, err := s.Sample(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		after := rawCounters(t, s.storage.Device)
		for name := range before {
			if v := sample.Values[name]; v < before[name] || v > after[name] {
				t.Errorf("%s is %v, and /proc/diskstats has %v before and %v after", name, v, before[name], after[name])
			}
		}
		counted[i] = sample.Values
		writeAndFlush(t, filepath.Join(directory, "pages"), os.O_CREATE, pages)
	}
	grew := func(name string) float64 { return counted[1][name] - counted[0][name] }
	if data := grew("block/writes") - grew("block/flushes"); data < pages || grew("block/write_bytes") < pages*page {
		t.Errorf("%v requests with data and %v bytes for %d pages of %d bytes, each flushed",
			data, grew("block/write_bytes"), pages, page)
	}
}

// Nothing else writes to a device of our own, so the count must be exact. Each page written with O_DIRECT and flushed
// is one request of 8192 bytes and one empty flush, which the kernel counts as a write, too.
func TestCountsOnADeviceOfOurOwnAreExact(t *testing.T) {
	device := loopDevice(t)
	s := samplerOfNode(t, device)
	before, err := s.Sample(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	const pages = 16
	writeAndFlush(t, device, unix.O_DIRECT, pages)
	after, err := s.Sample(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]float64{"block/writes": 2 * pages, "block/flushes": pages, "block/write_bytes": pages * page}
	got := map[string]float64{}
	for name := range want {
		got[name] = after.Values[name] - before.Values[name]
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// samplerOfNode samples a device without a file system.
func samplerOfNode(t *testing.T, node string) *Sampler {
	t.Helper()
	var stat unix.Stat_t
	if err := unix.Stat(node, &stat); err != nil {
		t.Fatal(err)
	}
	h := thisHost()
	h.look = func(string) (layout.Root, error) {
		return layout.Root{Path: "/", Major: unix.Major(stat.Rdev), Minor: unix.Minor(stat.Rdev)}, nil
	}
	s, err := h.sampler(rootsOf(h, "/"))
	if err != nil {
		t.Fatal(err)
	}
	if s.storage.Device != filepath.Base(node) {
		t.Fatalf("the sampler is of %s and not of %s", s.storage.Device, node)
	}
	return s
}

// loopDevice makes a loop device, if this is root and the machine allows it.
func loopDevice(t *testing.T) string {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("only root makes loop devices")
	}
	backing := filepath.Join(t.TempDir(), "disk")
	if err := errors.Join(os.WriteFile(backing, nil, 0o600), os.Truncate(backing, 64<<20)); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command("losetup", "--find", "--show", "--direct-io=on", backing).CombinedOutput()
	if err != nil {
		t.Skipf("losetup gives no loop device here: %v: %s", err, out)
	}
	device := strings.TrimSpace(string(out))
	t.Cleanup(func() {
		if out, err := exec.Command("losetup", "--detach", device).CombinedOutput(); err != nil {
			t.Errorf("detach %s: %v: %s", device, err, out)
		}
	})
	return device
}

// TestCachedLoopDevice: without direct I/O, requests to a loop device end in the page cache.
func TestCachedLoopDevice(t *testing.T) {
	node := loopDevice(t)
	for direct, want := range map[string]bool{"off": true, "on": false} {
		if out, err := exec.Command("losetup", "--direct-io="+direct, node).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		if got := thisHost().cached(filepath.Base(node)); got != want {
			t.Errorf("direct I/O is %s, and the device is cached: %t", direct, got)
		}
	}
	storage := runfile.Storage{Devices: []runfile.StorageDevice{{Name: "sda"}, {Name: "loop0", Cached: true}}}
	if got := storage.CachedText(); !strings.HasPrefix(got, "Linux caches the file behind loop0 in memory, ") {
		t.Errorf("said %q", got)
	}
}

func TestStorageOfARealDirectory(t *testing.T) {
	if got, err := StorageOf("/dev/shm"); err == nil && got.FileSystem == "tmpfs" {
		want := runfile.Storage{Directory: "/dev/shm", FileSystem: "tmpfs", RAM: true}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("-want +got:\n%s", diff)
		}
	}
	directory := t.TempDir()
	s := realSampler(t, directory)
	got, err := StorageOf(directory)
	if err != nil || got.Device != s.storage.Device || got.FileSystem == "" || got.RAM {
		t.Errorf("%+v, %v", got, err)
	}
}
