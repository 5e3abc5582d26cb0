package block

import (
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/realiops/realiops/internal/measure/layout"
	"github.com/realiops/realiops/internal/runfile"
)

// countsOf returns a figure of all groups of devices, by metric.
func countsOf(t *testing.T, h host, l []layout.Root, figure string) map[string]float64 {
	t.Helper()
	counts := map[string]float64{}
	for name, value := range sampleOf(t, h, l).Values {
		if strings.HasSuffix(name, "/"+figure) {
			counts[name] = value
		}
	}
	return counts
}

// In the archive the disks' writes are powers of ten and their flushes powers of two, so that a sum shows its parts:
// sda 1, sdb 10, sdc 100, the two paths of nvme0n1 1000 and 10000; flushes 1, 2, 4, 8 and 16.
func TestCountsOfWorkingDisks(t *testing.T) {
	h := machine(t, "arrays")
	check := func(path string, writes, flushes float64) {
		t.Helper()
		want := map[string]float64{"block/writes": writes, "block/flushes": flushes}
		got := countsOf(t, h, rootsOf(h, path), "writes")
		maps.Copy(got, countsOf(t, h, rootsOf(h, path), "flushes"))
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", path, diff)
		}
	}
	check("/mirror/pg", 110, 6)   // a partition of sdb, and sdc
	check("/striped/pg", 11, 3)   // a partition of sda, and sdb
	check("/secret/pg", 110, 6)   // encrypted, on the mirror
	check("/multi/pg", 11000, 24) // both paths, but not the other namespace's
	check("/bound/pg", 1, 1)      // a bind mount of a partition
}

func TestEachRoleHasItsOwnCounts(t *testing.T) {
	h := machine(t, "arrays")
	check := func(l []layout.Root, want map[string]float64) {
		t.Helper()
		if diff := cmp.Diff(want, countsOf(t, h, l, "writes")); diff != "" {
			t.Errorf("%s (-want +got):\n%s", l[0].Path, diff)
		}
	}
	spread := map[string]float64{
		"block/writes":                   11111, // each disk once
		"block.data/writes":              1,
		"block.wal/writes":               11000,
		"block.tablespaces/writes":       111, // one on the mirror, and one beside the data
		"block.tablespaces.16400/writes": 110,
		"block.tablespaces.16401/writes": 1,
	}
	check(rootsOf(h, "/spread/pg"), spread)
	spread["block.temp/writes"] = 110
	check(rootsOf(h, "/spread/pg", 16400), spread)
	// Writes to memory reach no disk, so the sum is complete without them.
	check(rootsOf(h, "/quick/pg"), map[string]float64{"block/writes": 1, "block.data/writes": 1})
	// Writes to another machine's disks are not counted here, so there is no sum.
	check(rootsOf(h, "/far/pg"), map[string]float64{"block.data/writes": 1})
}

func TestAPartThatCannotBeCountedIsAGap(t *testing.T) {
	h := machine(t, "arrays")
	check := func(path string, want map[string]runfile.Gap) {
		t.Helper()
		got := map[string]runfile.Gap{}
		for _, gap := range sampleOf(t, h, rootsOf(h, path)).Gaps {
			if strings.HasSuffix(gap.Metric, "/flush_time") {
				got[gap.Metric] = gap
			}
		}
		for name, gap := range want {
			gap.Metric = name
			want[name] = gap
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", path, diff)
		}
	}
	memory := runfile.Gap{Reason: runfile.Unsupported,
		Detail: "/quick/pg/pg_tblspc/16400 is in memory (tmpfs), so nothing reaches a disk"}
	check("/quick/pg", map[string]runfile.Gap{"block.tablespaces/flush_time": memory})
	away := runfile.Gap{Reason: runfile.NotLocal,
		Detail: "/far/pg/pg_tblspc/16400 is on nfs4 (filer:/export), whose disk is not visible from this machine"}
	check("/far/pg", map[string]runfile.Gap{"block/flush_time": away, "block.tablespaces/flush_time": away})
}

func TestRAMDisksAreNotAddedToDisks(t *testing.T) {
	h := machine(t, "arrays")
	disk, ram := part{data, place{devices: []string{"sda"}}}, part{temp, place{devices: []string{"zram1"}, ram: true}}
	check := func(want string, parts ...part) {
		t.Helper()
		if got := joined(h.group("", parts).devices); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	check("sda", disk, ram)
	check("zram1", ram)
}

func TestStorageNamesOtherUsersOfTheDisks(t *testing.T) {
	h := machine(t, "arrays")
	l, err := h.lay(rootsOf(h, "/spread/pg"))
	if err != nil {
		t.Fatal(err)
	}
	want := runfile.Storage{
		Directory: "/spread/pg", FileSystem: "ext4", Device: "sda",
		Devices: []runfile.StorageDevice{
			{Name: "nvme0c0n1", Holds: []string{"wal"}, Carries: []string{"/multi"}},
			{Name: "nvme0c1n1", Holds: []string{"wal"}, Carries: []string{"/multi"}},
			{Name: "sda", Holds: []string{"data", "tablespaces", "tablespaces.16401"},
				Carries: []string{"/", "/striped", "/home", "swap"}},
			{Name: "sdb", Holds: []string{"tablespaces", "tablespaces.16400"},
				Carries: []string{"/mirror", "/striped", "/secret"}},
			{Name: "sdc", Holds: []string{"tablespaces", "tablespaces.16400"}, Carries: []string{"/mirror", "/secret"}},
		},
		Tablespaces: map[string][]string{"16400": {"space16400"}, "16401": {"space16401"}},
	}
	directories := []string{"/spread/pg", "/spread/pg/pg_wal", "/spread/pg/pg_tblspc/16400"}
	var paths []string
	for _, r := range l.directories() {
		paths = append(paths, r.Path)
	}
	if diff := cmp.Diff(directories, paths); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if diff := cmp.Diff(want, h.storage(l)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestForbiddenDirectoryIsUnseen(t *testing.T) {
	h := machine(t, "arrays")
	look := h.look
	h.look = func(path string) (layout.Root, error) {
		if filepath.Base(path) == "pg_wal" {
			return layout.Root{}, &os.PathError{Op: "stat", Path: path, Err: fs.ErrPermission}
		}
		return look(path)
	}
	l, err := h.lay(rootsOf(h, "/spread/pg"))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"/spread/pg/pg_wal"}, h.storage(l).Unseen); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}
