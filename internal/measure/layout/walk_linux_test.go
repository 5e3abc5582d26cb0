package layout

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// made creates a data directory of version 17 with catalog 7 and nonempty files.
func made(t *testing.T, more ...string) string {
	t.Helper()
	data := filepath.Join(t.TempDir(), "data")
	control := make([]byte, 16)
	control[12] = 7
	put(t, data, "PG_VERSION", "17\n")
	put(t, data, "global/pg_control", string(control))
	for _, name := range append([]string{"base/5/100", "pg_wal/000000010000000000000001",
		"pg_wal/archive_status/000000010000000000000001.done", "pg_tblspc/none"}, more...) {
		put(t, data, name, "x")
	}
	return data
}

func put(t *testing.T, top, name, text string) {
	t.Helper()
	path := filepath.Join(top, name)
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600)); err != nil {
		t.Fatal(err)
	}
}

// seen walks all roots and returns the files, the messages, and the number of names read.
func seen(t *testing.T, l *Layout) (found []string, said []string, names int) {
	t.Helper()
	const most = 100_000
	w := Walk{Until: time.Now().Add(time.Minute), Names: most}
	for i := range l.Roots {
		r := &l.Roots[i]
		if err := r.Walk(&w, func(e *Entry) {
			found = append(found, e.Path)
			if f, err := e.Open(); err != nil {
				t.Errorf("%s: %v", e.Path, err)
			} else {
				f.Close()
			}
		}); err != nil {
			said = append(said, err.Error())
		}
	}
	slices.Sort(found)
	return found, append(said, w.Skipped...), most - w.Names
}

func find(t *testing.T, s Server) *Layout {
	t.Helper()
	l, err := Find(s)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

var ofMade = []string{
	"000000010000000000000001", "PG_VERSION", "archive_status/000000010000000000000001.done", "base/5/100",
	"global/pg_control",
}

func same(t *testing.T, found []string, more ...string) {
	t.Helper()
	want := slices.Sorted(slices.Values(append(slices.Clone(ofMade), more...)))
	if !slices.Equal(found, want) {
		t.Errorf("found %q, want %q", found, want)
	}
}

// TestWhatOthersPutThere: files outside PostgreSQL's layout are not the server's, wherever they are.
func TestWhatOthersPutThere(t *testing.T) {
	data := made(t, "backup.dat", "base/backup.dat", "base/5/backup.dat", "base/5/100.bak", "base/5/100~",
		"base/5/.100.swp", "base/5.old/100", "base/5/sub/100",
		"base/0/100", "base/99999999999/100", "base/5/99999999999", "global/backup.dat", "pg_wal/backup.dat",
		"pg_wal/sub/000000010000000000000002",
		"pg_xact/backup.dat", "pg_stat/backup.dat", "pg_replslot/Backup/state", "pg_logical/snapshots/backup.dat",
		"lost+found/100", "base/pgsql_tmp/backup.dat",
		"pg_tblspc/backup.dat", "pg_tblspc/5/PG_17_7/5/100", "sub/base/5/100", "base/5/\x1b[2J\n100", "100",
		"log/server.log", "base/5/t3_100x")
	same(t, first(seen(t, find(t, Server{Data: data}))))
	put(t, data, "base/pgsql_tmp/pgsql_tmp1.0.fileset/i1of2.p0.0", "x")
	put(t, data, "base/5/t3_200_fsm", "x")
	same(t, first(seen(t, find(t, Server{Data: data}))), "base/pgsql_tmp/pgsql_tmp1.0.fileset/i1of2.p0.0",
		"base/5/t3_200_fsm")
}

func first(found, _ []string, _ int) []string { return found }

// TestTablespacesOfSeveral: in a location shared by several versions and other programs, only the
// server's own directory is walked.
func TestTablespacesOfSeveral(t *testing.T) {
	data, location := made(t), t.TempDir()
	for _, name := range []string{"backup.dat", "PG_17_7/5/200", "PG_17_7/backup.dat", "PG_17_7/sub/5/200",
		"PG_16_6/5/300", "PG_17_70/5/300", "PG_17_7.old/5/300", "5/300"} {
		put(t, location, name, "x")
	}
	if err := errors.Join(os.Symlink(location, filepath.Join(data, "pg_tblspc/16400")),
		os.Symlink("/", filepath.Join(data, "pg_tblspc/99999"))); err != nil {
		t.Fatal(err)
	}
	found, said,
		names := seen(t, find(t, Server{Data: data, Tablespaces: []Tablespace{{OID: 16400, Location: location}}}))
	same(t, found, "PG_17_7/5/200")
	if len(said) > 0 || names > 40 {
		t.Errorf("says %q; %d names were read, and of the server are some 20", said, names)
	}
	for name, space := range map[string]Tablespace{
		"a link to /":            {OID: 99999, Location: "/"},
		"another location":       {OID: 16400, Location: "/elsewhere"},
		"no location":            {OID: 16400},
		"in place of a link":     {OID: 16400, Location: "pg_tblspc/16400"},
		"no link":                {OID: 4, Location: location},
		"a location that is not": {OID: 16400, Err: errors.New("could not read symbolic link")},
	} {
		found, said, names := seen(t, find(t, Server{Data: data, Tablespaces: []Tablespace{space}}))
		same(t, found)
		if len(said) != 1 || names > 40 {
			t.Errorf("%s: says %q; %d names were read", name, said, names)
		}
	}
}

// TestLinksAndPipes: links and pipes in place of files and directories are neither followed nor opened.
func TestLinksAndPipes(t *testing.T) {
	data := made(t)
	in := func(name string) string { return filepath.Join(data, name) }
	if err := errors.Join(
		os.Symlink("/", in("base/16384")), os.Symlink("/etc/passwd", in("base/5/300")),
		unix.Mkfifo(in("base/5/301"), 0o600),
		unix.Mkfifo(in("base/16385"), 0o600), os.Symlink("/", in("pg_xact")), unix.Mkfifo(in("pg_stat"), 0o600),
		os.Mkdir(in("base/5/302"), 0o700),
	); err != nil {
		t.Fatal(err)
	}
	found, said, names := seen(t, find(t, Server{Data: data}))
	same(t, found)
	if len(said) != 2 || names > 40 {
		t.Errorf("says %q of base/16384 and base/16385; %d names were read", said, names)
	}
}

// TestAWALOfNoServer: pg_wal may link to another directory that looks like WAL and has the same owner.
func TestAWALOfNoServer(t *testing.T) {
	data, elsewhere := made(t), t.TempDir()
	if err := os.Rename(filepath.Join(data, "pg_wal"), filepath.Join(elsewhere, "wal")); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(data, "pg_wal")
	for target, says := range map[string]string{filepath.Join(elsewhere, "wal"): "",
		elsewhere: "no directory archive_status", "/": "archive_status", "/nowhere": "no such file"} {
		if err := os.Symlink(target, link); err != nil {
			t.Fatal(err)
		}
		wal := find(t, Server{Data: data}).Root(WAL)
		if (wal.Err == nil) != (says == "") || wal.Err != nil && !strings.Contains(wal.Err.Error(), says) {
			t.Errorf("%s: %v, want %q", target, wal.Err, says)
		}
		if err := os.Remove(link); err != nil {
			t.Fatal(err)
		}
	}
}

// TestSwapsDuringAWalk: a file or directory that replaces another during the walk is not opened.
func TestSwapsDuringAWalk(t *testing.T) {
	data := made(t, "base/6/100", "base/7/100")
	secret := filepath.Join(t.TempDir(), "100")
	if err := os.WriteFile(secret, []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	l := find(t, Server{Data: data})
	swapped := map[string]bool{}
	w := Walk{Until: time.Now().Add(time.Minute), Names: 1000}
	err := l.Root(Data).Walk(&w, func(e *Entry) {
		if !strings.HasPrefix(e.Path, "base/") {
			return
		}
		if f, err := e.Open(); err != nil {
			t.Errorf("%s: %v", e.Path, err)
		} else {
			f.Close()
		}
		path := filepath.Join(data, e.Path)
		for _, swap := range []func() error{
			func() error {
				return os.Symlink(secret, path)
			}, func() error { return os.Link(secret, path) }, func() error { return unix.Mkfifo(path, 0o600) },
		} {
			if err := errors.Join(os.Remove(path), swap()); err != nil {
				t.Fatal(err)
			}
			if f, err := e.Open(); err == nil {
				f.Close()
				t.Errorf("%s: what came in its place was opened", e.Path)
			}
			swapped[e.Path] = true
		}
		directory := filepath.Dir(path) // and the remaining directories
		for _, other := range []string{"5", "6", "7"} {
			if other := filepath.Join(data, "base", other); other != directory {
				_ = os.RemoveAll(other)
				_ = os.Symlink(filepath.Dir(secret), other)
			}
		}
	})
	if err != nil || len(swapped) != 1 {
		t.Errorf("%v; %v were seen, and the other directories are links by then", err,
			slices.Collect(maps.Keys(swapped)))
	}
	if err := errors.Join(os.Rename(data, data+".old"), os.Symlink("/", data)); err != nil {
		t.Fatal(err)
	}
	if err := l.Root(Data).Walk(&w, func(e *Entry) {
		t.Errorf("%s was found in another directory", e.Path)
	}); err == nil {
		t.Error("a link in the place of the data directory was walked")
	}
}

// TestBoundsOfAWalk: a directory with very many files ends the walk at the bound, which is reported. In the data
// directory only PostgreSQL's own names are looked up, however many files there are.
func TestBoundsOfAWalk(t *testing.T) {
	data := made(t)
	for i := range 3000 {
		put(t, data, fmt.Sprintf("foreign%d", i), "")
		put(t, data, fmt.Sprintf("base/5/foreign%d", i), "")
	}
	found, _, names := seen(t, find(t, Server{Data: data}))
	same(t, found)
	if names < 3000 || names > 3100 {
		t.Errorf("%d names were read, want the 3000 of base/5 and a few", names)
	}
	w := Walk{Until: time.Now().Add(time.Minute), Names: 2000}
	if err := find(t, Server{Data: data}).Root(Data).Walk(&w, func(*Entry) {}); err != nil || !w.Cut() {
		t.Errorf("cut: %v, %v", w.Cut(), err)
	}
	w = Walk{Names: 1 << 20} // its time is over
	if err := find(t, Server{Data: data}).Root(Data).Walk(&w, func(*Entry) {}); err != nil || !w.Cut() {
		t.Errorf("cut: %v, %v", w.Cut(), err)
	}
}

// TestMountsInside: a file system mounted below a root is not entered, even the same one, but pg_wal may be a
// mount. Names are reported as text.
func TestMountsInside(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root mounts")
	}
	data := made(t, "base/6/100", "base/7/100")
	other := t.TempDir()
	put(t, other, "100", "x")
	put(t, other, "000000010000000000000009", "x")
	put(t, other, "archive_status/none", "x")
	for _, name := range []string{"base/6", "pg_wal"} {
		at := filepath.Join(data, name)
		if err := unix.Mount(other, at, "", unix.MS_BIND, ""); err != nil {
			t.Skip(err)
		}
		t.Cleanup(func() { _ = unix.Unmount(at, unix.MNT_DETACH) })
	}
	found, said, _ := seen(t, find(t, Server{Data: data}))
	if !slices.Contains(found, "base/7/100") || slices.Contains(found, "base/6/100") ||
		!slices.Contains(found, "000000010000000000000009") {
		t.Errorf("found %q", found)
	}
	if len(said) != 1 || !strings.HasSuffix(said[0], "base/6 is another mount") {
		t.Errorf("says %q", said)
	}
}

// TestLogsOfOthers: in a log directory shared with others, only files of the server's user that match
// log_filename are the server's.
func TestLogsOfOthers(t *testing.T) {
	data, logs := made(t), t.TempDir()
	for _, name := range []string{"postgresql-Mon.log", "postgresql-Mon.csv", "postgresql-Tue.json", "syslog",
		"postgresql-Mon.log.1.gz", "old/postgresql-Mon.log", "nginx.log"} {
		put(t, logs, name, "x")
	}
	put(t, logs, "postgresql-Wed.log", "x")
	more := []string{"postgresql-Mon.csv", "postgresql-Mon.log", "postgresql-Tue.json"}
	if os.Chown(filepath.Join(logs, "postgresql-Wed.log"), 65534, 65534) != nil {
		more = append(more, "postgresql-Wed.log") // the same user's
	}
	found, _, _ := seen(t, find(t, Server{Data: data, LogDir: logs, LogName: "postgresql-%a.log"}))
	same(t, found, more...)
}

// TestStandardError: the file to which the server's first process writes its log is the server's, unless other
// programs write it or another user owns it.
func TestStandardError(t *testing.T) {
	data := made(t)
	log := filepath.Join(t.TempDir(), "server.log")
	if _, there, _ := (&finder{server: Server{Postmaster: os.Getpid()}}).standardError(); there {
		t.Skip("this process itself writes to a file of root's")
	}
	start := func() int { return sleeping(t, log) }
	server := start()
	if r := find(t, Server{Data: data, Postmaster: server}).Root(Log); r == nil || r.Err != nil {
		t.Errorf("%+v", r)
	}
	start()
	if r := find(t, Server{Data: data, Postmaster: server}).Root(Log); r == nil || r.Err == nil ||
		!strings.Contains(r.Err.Error(), "writes to the same file") {
		t.Errorf("with another process: %+v", r)
	}
	if os.Chown(log, 65534, 65534) == nil {
		if r := find(t, Server{Data: data, Postmaster: server}).Root(Log); r != nil {
			t.Errorf("another user's: %+v", r)
		}
	}
}

// sleeping starts a process with that standard error, until the test ends.
func sleeping(t *testing.T, log string) int {
	t.Helper()
	f, err := os.OpenFile(log, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	c := exec.Command("sleep", "600")
	c.Stderr = f
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = c.Process.Kill()
		_ = c.Wait()
	})
	return c.Process.Pid
}

// A walk skips names whose inodes are known, and files of unchanged directories, but not their subdirectories.
func TestWalkSkipsKnownFiles(t *testing.T) {
	data := made(t, "base/5/101", "base/6/100")
	var known unix.Stat_t
	if err := unix.Stat(filepath.Join(data, "base/5/100"), &known); err != nil {
		t.Fatal(err)
	}
	found := func(w *Walk) (all []string) {
		t.Helper()
		w.Until, w.Names = time.Now().Add(time.Minute), 1000
		for _, r := range find(t, Server{Data: data}).Roots {
			if err := r.Walk(w, func(e *Entry) { all = append(all, e.Path) }); err != nil {
				t.Error(err)
			}
		}
		slices.Sort(all)
		return all
	}
	same(t, found(&Walk{Known: func(string, uint64) bool { return false }}), "base/5/101", "base/6/100")
	got := found(&Walk{Known: func(file string, inode uint64) bool {
		return file == "base/5/100" && inode == known.Ino || file == "base/5/101" && inode == known.Ino
	}})
	if want := []string{"000000010000000000000001", "PG_VERSION", "archive_status/000000010000000000000001.done",
		"base/5/101", "base/6/100", "global/pg_control"}; !slices.Equal(got, want) {
		t.Errorf("without what is known %q, want %q", got, want)
	}
	got = found(&Walk{Unchanged: func(directory string, _ *unix.Stat_t) bool { return directory != "base/6" }})
	if want := []string{"base/6/100"}; !slices.Equal(got, want) {
		t.Errorf("in what changed %q, want %q", got, want)
	}
}

// TestAPipeIsNoControlFile: the server's user may put a pipe there, on which nothing may block.
func TestAPipeIsNoControlFile(t *testing.T) {
	data := t.TempDir()
	if err := errors.Join(os.Mkdir(filepath.Join(data, "global"), 0o700),
		unix.Mkfifo(filepath.Join(data, "global", "pg_control"), 0o600)); err != nil {
		t.Fatal(err)
	}
	if system, err := systemOf(data); err == nil {
		t.Errorf("a pipe is taken for the control file of %q", system)
	}
}
