//go:build unix

package binaries

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/realiops/realiops/internal/measure/scratch"
)

// newStore returns an empty cache that fetches from a mirror.
func newStore(t *testing.T, repository string) Store {
	t.Helper()
	t.Setenv("REALIOPS_TEST_RAN", filepath.Join(t.TempDir(), "ran"))
	return Store{Directory: t.TempDir(), Repository: repository, Notify: func(string) {}}
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
	m := newMirror(t, giving(jar(t, treeArchive)))
	s, release := newStore(t, m.URL), fake(t, treeArchive)
	var stages []string
	s.Notify = func(stage string) { stages = append(stages, stage) }
	// Even with the strictest umask, another user must be able to run the result.
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
		".": "drwxr-xr-x", "bin": "drwxr-xr-x", "lib": "drwxr-xr-x", "share": "drwxr-xr-x",
		"share/postgresql": "drwxr-xr-x",
		"bin/initdb":       "-rwxr-xr-x", "bin/postgres": "-rwxr-xr-x", "bin/pg_ctl": "-rwxr-xr-x",
		"lib/libpq.so.5": "libpq.so.5.17", "lib/libpq.so.5.17": "-rw-r--r--",
		"share/postgresql/sample.conf": "-rw-r--r--", // 0640 in the archive
	}
	if diff := cmp.Diff(want, contents(t, filepath.Join(s.Directory, release.name()))); diff != "" {
		t.Errorf("tree (-want +got):\n%s", diff)
	}
	if n := m.given(); n != 1 {
		t.Errorf("the mirror was asked %d times, want once", n)
	}
	if diff := cmp.Diff([]string{"downloading PostgreSQL 99.1 (0 MB)", "unpacking PostgreSQL 99.1"},
		stages); diff != "" {
		t.Errorf("stages (-want +got):\n%s", diff)
	}
	checkNothingRan(t)
	checkOnly(t, s, release.name(), release.name()+".lock")
}

// checkOnly checks that the cache holds nothing else.
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
	m := newMirror(t, giving(jar(t, treeArchive)))
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
	s, release := newStore(t, newMirror(t, giving(jar(t, treeArchive))).URL), fake(t, treeArchive)
	abandoned, lock, err := scratch.Make(s.Directory, staging)
	if err != nil {
		t.Fatal(err)
	}
	lock.Close()
	half := filepath.Join(abandoned, "tree", "bin")
	partial := filepath.Join(s.Directory, release.name(), "bin") // as a cache cleaner would leave it
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

// Errors are one line; nothing received is run or stays.
func TestStoreRefuses(t *testing.T) {
	release := fake(t, treeArchive)
	check := func(name, repository, want string) {
		t.Run(name, func(t *testing.T) {
			s := newStore(t, repository)
			_, err := s.Bin(t.Context(), release)
			if want := strings.ReplaceAll(want, "URL", repository); err == nil || err.Error() != want {
				t.Errorf("error\n%v\nwant\n%s", err, want)
			}
			checkNothingRan(t)
			checkOnly(t, s, release.name()+".lock")
		})
	}
	check("no network", closedPort(t), "PostgreSQL 99.1 is not cached and URL is unreachable; "+
		"connect to the network once, or set REALIOPS_PG_REPOSITORY to a mirror")
	check("no host of that name", "http://nowhere.invalid",
		"PostgreSQL 99.1 is not cached and URL is unreachable; "+
			"connect to the network once, or set REALIOPS_PG_REPOSITORY to a mirror")
	check("not an address", "nowhere", `download PostgreSQL 99.1 from URL: unsupported protocol scheme ""`)
	check("not there", newMirror(t, http.NotFound).URL,
		"URL does not serve PostgreSQL 99.1 for "+release.pin.platform+" (404 Not Found)")

	tampered := append([]byte{}, treeArchive...)
	tampered[len(tampered)/2] ^= 1
	check("tampered with", newMirror(t, giving(jar(t, tampered))).URL,
		"the archive of PostgreSQL 99.1 has the wrong checksum "+
			"(sha256 "+sum(tampered)+", want "+sum(treeArchive)+"); nothing was unpacked")
	damaged := jar(t, treeArchive)
	damaged[len(damaged)/2] ^= 1
	check("damaged on the way", newMirror(t, giving(damaged)).URL,
		"the archive of PostgreSQL 99.1 is corrupt (zip: checksum error); nothing was unpacked")
	huge := append(append([]byte{}, treeArchive...), make([]byte, 100<<20)...)
	check("a bomb", newMirror(t, giving(jar(t, huge))).URL,
		"the archive of PostgreSQL 99.1 has the wrong checksum "+
			"(sha256 "+sum(huge[:len(treeArchive)+1])+", want "+sum(treeArchive)+"); nothing was unpacked")
	check("a login page", newMirror(t, giving([]byte("<html>please log in</html>"))).URL,
		"URL did not serve PostgreSQL 99.1 (zip: not a valid zip file); is there a login page in between?")
	check("endless", newMirror(t, func(w http.ResponseWriter, _ *http.Request) {
		for part := make([]byte, 64<<10); ; {
			if _, err := w.Write(part); err != nil {
				return
			}
		}
	}).URL, "URL sent more than the 0 MB of PostgreSQL 99.1; nothing was unpacked")
	check("too long by its own account", newMirror(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "9000000000000")
	}).URL, "URL sent more than the 0 MB of PostgreSQL 99.1; nothing was unpacked")
	var round *mirror
	round = newMirror(t, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, round.URL+r.URL.Path, http.StatusFound)
	})
	check("in a circle", round.URL, "download PostgreSQL 99.1 from URL: stopped after 10 redirects")
}

func TestStoreFollowsARedirect(t *testing.T) {
	there := newMirror(t, giving(jar(t, treeArchive)))
	here := newMirror(t, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, there.URL+r.URL.Path, http.StatusFound)
	})
	s, release := newStore(t, here.URL), fake(t, treeArchive)
	if _, err := s.Bin(t.Context(), release); err != nil {
		t.Error(err)
	}
}

// Passing errors are retried, three tries at most.
func TestDownloadTriesAgain(t *testing.T) {
	content := jar(t, treeArchive)
	check := func(name string, bad http.HandlerFunc, badTimes, asked int, want string) {
		t.Run(name, func(t *testing.T) {
			var m *mirror
			m = newMirror(t, func(w http.ResponseWriter, r *http.Request) {
				if m.given() <= badTimes {
					bad(w, r)
					return
				}
				_, _ = w.Write(content)
			})
			file, err := os.Create(filepath.Join(t.TempDir(), "jar"))
			if err != nil {
				t.Fatal(err)
			}
			defer file.Close()
			got := ""
			d := download{m.URL, fake(t, treeArchive), 300 * time.Millisecond, time.Millisecond}
			if err := d.to(t.Context(), file); err != nil {
				got = err.Error()
			}
			if want := strings.ReplaceAll(want, "URL", m.URL); got != want {
				t.Errorf("%q, want %q", got, want)
			}
			if m.given() != asked {
				t.Errorf("asked %d times, want %d", m.given(), asked)
			}
			if written, _ := os.ReadFile(file.Name()); want == "" && !bytes.Equal(written, content) {
				t.Errorf("%d bytes, want the %d of the mirror", len(written), len(content))
			}
		})
	}
	truncated := func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", strconv.Itoa(len(content)))
		_, _ = w.Write(content[:100])
	}
	check("truncated twice", truncated, 2, 3, "")
	check("truncated always", truncated, 9, 3, "download of PostgreSQL 99.1 from URL was cut off after 100 bytes")
	busy := func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "busy", http.StatusServiceUnavailable) }
	check("busy once", busy, 1, 2, "")
	check("busy always", busy, 9, 3,
		"URL answered 503 Service Unavailable; try again later, or set REALIOPS_PG_REPOSITORY to a mirror")
	check("forbidden", func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(http.StatusForbidden) }, 9, 1,
		"URL does not serve PostgreSQL 99.1 for "+fake(t, nil).pin.platform+" (403 Forbidden)")
	check("silent before it answers", func(_ http.ResponseWriter, r *http.Request) {
		<-r.Context().Done()
	}, 9, 1, "no data from URL for 300 ms")
	check("silent in the middle", func(w http.ResponseWriter, r *http.Request) {
		_, _ = w.Write(content[:100])
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	}, 1, 2, "")
}

func TestDownloadIsCancelled(t *testing.T) {
	why := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	m := newMirror(t, func(_ http.ResponseWriter, r *http.Request) {
		cancel(why)
		<-r.Context().Done()
	})
	s, release := newStore(t, m.URL), fake(t, treeArchive)
	if _, err := s.Bin(ctx, release); !errors.Is(err, why) {
		t.Errorf("error %v, want %v", err, why)
	}
	checkOnly(t, s, release.name()+".lock")
}

func TestDownloadNamesNoPassword(t *testing.T) {
	u, err := url.Parse(newMirror(t, http.NotFound).URL)
	if err != nil {
		t.Fatal(err)
	}
	u.User = url.UserPassword("joe", "secret")
	s, release := newStore(t, u.String()), fake(t, treeArchive)
	if _, err := s.Bin(t.Context(), release); err == nil || strings.Contains(err.Error(), "secret") ||
		!strings.Contains(err.Error(), "joe:xxxxx@") {
		t.Errorf("error %v, want one without the password", err)
	}
}

// closedPort returns an address without a listener.
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
	s.Notify = func(string) { cancel(why) } // it reports its wait
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
