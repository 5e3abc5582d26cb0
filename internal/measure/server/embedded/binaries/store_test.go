package binaries

import (
	"context"
	"errors"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// newStore is an empty cache that fetches from a mirror, in this process.
func newStore(t *testing.T, repository string) Store {
	t.Helper()
	t.Setenv("TMPDIR", t.TempDir()) // the library leaves a file there
	t.Setenv("REALIOPS_TEST_RAN", filepath.Join(t.TempDir(), "ran"))
	return Store{
		Directory: t.TempDir(), Repository: repository,
		Download: func(_ context.Context, o Order) error { return Download(o) },
		Notify:   func(string) {},
	}
}

// contents lists a directory: files with their mode, links with their target.
func contents(t *testing.T, directory string) map[string]string {
	t.Helper()
	found := map[string]string{}
	err := filepath.WalkDir(directory, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		name, _ := filepath.Rel(directory, path)
		found[name] = info.Mode().String()
		if e.Type()&fs.ModeSymlink != 0 {
			found[name], err = os.Readlink(path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func checkNothingRan(t *testing.T) {
	t.Helper()
	if text, err := os.ReadFile(os.Getenv("REALIOPS_TEST_RAN")); err == nil {
		t.Errorf("a program of the archive was run: %s", text)
	}
}

func TestStoreFetchesOnceAndKeepsTheTree(t *testing.T) {
	packed := jar(t, treeArchive)
	m := newMirror(t, packed, sum(packed))
	s, release := newStore(t, m.URL), fake(t, treeArchive)
	var stages []string
	s.Notify = func(stage string) { stages = append(stages, stage) }
	// The strictest mask: another user must still be able to run what is unpacked.
	defer syscall.Umask(syscall.Umask(0o077))

	for range 2 {
		bin, err := s.Bin(t.Context(), release)
		if err != nil {
			t.Fatal(err)
		}
		if want := filepath.Join(s.Directory, release.name(), "bin"); bin != want {
			t.Errorf("programs are in %s, want %s", bin, want)
		}
	}
	want := map[string]string{
		".": "drwxr-xr-x", "bin": "drwxr-xr-x", "lib": "drwxr-xr-x", "share": "drwxr-xr-x", "share/postgresql": "drwxr-xr-x",
		"bin/initdb": "-rwxr-xr-x", "bin/postgres": "-rwxr-xr-x", "bin/pg_ctl": "-rwxr-xr-x",
		"lib/libpq.so.5": "libpq.so.5.17", "lib/libpq.so.5.17": "-rw-r--r--",
		"share/postgresql/sample.conf": "-rw-r--r--", // 0640 in the archive
	}
	if diff := cmp.Diff(want, contents(t, filepath.Join(s.Directory, release.name()))); diff != "" {
		t.Errorf("tree (-want +got):\n%s", diff)
	}
	if n := m.given(); n != 1 {
		t.Errorf("the mirror was asked %d times, want once", n)
	}
	if diff := cmp.Diff([]string{"downloading PostgreSQL 99.1 (0 MB)", "unpacking PostgreSQL 99.1"}, stages); diff != "" {
		t.Errorf("stages (-want +got):\n%s", diff)
	}
	checkNothingRan(t)
	checkOnly(t, s, release.name(), release.name()+".lock")
}

// checkOnly looks for anything left in the cache beside what should be there.
func checkOnly(t *testing.T, s Store, want ...string) {
	t.Helper()
	entries, err := os.ReadDir(s.Directory)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	if diff := cmp.Diff(want, names); diff != "" {
		t.Errorf("cache (-want +got):\n%s", diff)
	}
}

func TestStoreLetsOneOfTwoFetch(t *testing.T) {
	packed := jar(t, treeArchive)
	m := newMirror(t, packed, sum(packed))
	s, release := newStore(t, m.URL), fake(t, treeArchive)
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			if _, err := s.Bin(t.Context(), release); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if n := m.given(); n != 1 {
		t.Errorf("the mirror was asked %d times, want once", n)
	}
}

func TestStoreClearsWhatAKilledFetchLeft(t *testing.T) {
	packed := jar(t, treeArchive)
	s, release := newStore(t, newMirror(t, packed, sum(packed)).URL), fake(t, treeArchive)
	half := filepath.Join(s.Directory, release.name()+".staging", "tree", "bin")
	partial := filepath.Join(s.Directory, release.name(), "bin") // as a cleaner of caches would leave it
	for _, dir := range []string{half, partial} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "postgres"), []byte("half"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	bin, err := s.Bin(t.Context(), release)
	if err != nil {
		t.Fatal(err)
	}
	if text, _ := os.ReadFile(filepath.Join(bin, "postgres")); !strings.HasPrefix(string(text), "#!/bin/sh") {
		t.Errorf("bin/postgres is %q, want the archive's", text)
	}
	checkOnly(t, s, release.name(), release.name()+".lock")
}

func TestStoreRefuses(t *testing.T) {
	good := jar(t, treeArchive)
	tampered := append([]byte{}, treeArchive...)
	tampered[len(tampered)/2] ^= 1
	evil := jar(t, tampered)
	closed := closedPort(t)

	check := func(name, repository string, release Release, want string) {
		t.Run(name, func(t *testing.T) {
			s := newStore(t, repository)
			_, err := s.Bin(t.Context(), release)
			if err == nil || err.Error() != strings.ReplaceAll(want, "URL", repository) {
				t.Errorf("error\n%v\nwant\n%s", err, strings.ReplaceAll(want, "URL", repository))
			}
			checkNothingRan(t)
			checkOnly(t, s, release.name()+".lock")
		})
	}
	release := fake(t, treeArchive)
	check("no network", closed, release, "PostgreSQL 99.1 is not in the cache yet and URL cannot be reached: "+
		"connect to the network once, or name a mirror in REALIOPS_PG_REPOSITORY")
	check("tampered with, and the published sum too", newMirror(t, evil, sum(evil)).URL, release,
		"the archive of PostgreSQL 99.1 is not the one this realiops knows: nothing was unpacked "+
			"(sha256 "+sum(tampered)+", want "+sum(treeArchive)+")")
	check("damaged on the way", newMirror(t, evil, sum(good)).URL, release,
		"the download of PostgreSQL 99.1 does not have the checksum published beside it: nothing was unpacked")
	junk := []byte("<html>please log in</html>")
	check("not an archive", newMirror(t, junk, sum(junk)).URL, release,
		"download PostgreSQL 99.1 from URL: error fetching postgres: zip: not a valid zip file")
	other := release
	other.pin.version = "98.7.0"
	check("not there", newMirror(t, good, sum(good)).URL, other,
		"URL has no PostgreSQL 98.7 for "+release.pin.platform+", or does not give it out")
}

// closedPort is the address of nobody.
func closedPort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return "http://" + l.Addr().String()
}

func TestStoreStopsWaitingForAnother(t *testing.T) {
	s, release := newStore(t, closedPort(t)), fake(t, treeArchive)
	unlock, err := s.lock(t.Context(), filepath.Join(s.Directory, release.name()+".lock"))
	if err != nil {
		t.Fatal(err)
	}
	defer unlock()
	why := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	s.Notify = func(string) { cancel(why) } // it says that it waits
	if _, err := s.Bin(ctx, release); !errors.Is(err, why) {
		t.Errorf("error %v, want %v", err, why)
	}
}

func TestCacheDirectory(t *testing.T) {
	check := func(name string, environment map[string]string, want string) {
		t.Run(name, func(t *testing.T) {
			for _, variable := range []string{"HOME", "XDG_CACHE_HOME"} {
				t.Setenv(variable, environment[variable])
			}
			got, err := CacheDirectory()
			if err != nil || !strings.HasSuffix(got, filepath.FromSlash(want)) {
				t.Errorf("%q, %v, want …%s", got, err, want)
			}
		})
	}
	check("as the environment says", map[string]string{"HOME": "/h", "XDG_CACHE_HOME": "/x"}, "realiops/postgres")
	check("no environment", nil, "/.cache/realiops/postgres")
}
