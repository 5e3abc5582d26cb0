package embedded

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/realiops/realiops/internal/measure/server/embedded/binaries"
)

func TestSettings(t *testing.T) {
	check := func(text, line string) {
		t.Helper()
		s, err := parseSetting(text)
		if err != nil || s.line() != line {
			t.Errorf("%s: %q, %v, want %q", text, s.line(), err, line)
		}
	}
	check("work_mem=4MB", "work_mem = '4MB'\n")
	check(" work_mem = 4MB ", "work_mem = '4MB'\n")
	check("a.b=x=y", "a.b = 'x=y'\n")
	check(`application_name=it's \n`, `application_name = 'it''s \\n'`+"\n")
	check("search_path=", "search_path = ''\n")

	refuse := func(text, want string) {
		t.Helper()
		if _, err := parseSetting(text); err == nil || err.Error() != want {
			t.Errorf("%s: error %v, want %s", text, err, want)
		}
	}
	refuse("work_mem", `setting "work_mem": want name=value`)
	refuse("=4MB", `setting "=4MB": want name=value`)
	refuse("a b=1", `setting "a b=1": want name=value`)
	refuse("work_mem=4MB\nport = 1", "setting work_mem: the value must be one line")
	refuse("PORT=5432", "setting PORT is reserved for realiops")
}

func TestVersionOf(t *testing.T) {
	check := func(answer, want string) {
		t.Helper()
		if got, err := versionOf(answer); err != nil || got != want {
			t.Errorf("%s: %q, %v, want %q", answer, got, err, want)
		}
	}
	check("postgres (PostgreSQL) 17.11", "17.11")
	check("postgres (PostgreSQL) 15.18 (Debian 15.18-0+deb12u1)", "15.18")
	check("postgres (PostgreSQL) 19devel", "19devel")
	if got, err := versionOf("busybox"); err == nil {
		t.Errorf("busybox is PostgreSQL %q", got)
	}
}

func TestInstalledVersionMustFit(t *testing.T) {
	check := func(asked, found, want string) {
		t.Helper()
		err := checkVersion(&cluster{bin: "/bin", version: found}, Options{Version: asked})
		got := ""
		if err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%s for %s: %q, want %q", found, asked, got, want)
		}
	}
	check("", "13.23", "")
	check("", "19devel", "")
	check("17", "17.11", "")
	check("17.11", "17.11", "")
	check("17", "15.18", "/bin has PostgreSQL 15.18, not 17")
	check("17.10", "17.11", "/bin has PostgreSQL 17.11, not 17.10")
	check("", "12.22", "/bin has PostgreSQL 12.22, but realiops needs 13 or newer")
	check("", "beta", "/bin has PostgreSQL beta, but realiops needs 13 or newer")
}

// Errors are one line, and leave nothing.
func TestStartRefuses(t *testing.T) {
	check := func(name string, prepare func(dir string) Options, want string) {
		t.Run(name, func(t *testing.T) {
			dir := newDataDir(t)
			o := prepare(dir)
			s, err := Start(t.Context(), o)
			want := strings.ReplaceAll(want, "DIR", dir)
			if err == nil || !strings.HasPrefix(err.Error(), want) {
				t.Errorf("error\n%v\nwant\n%s", err, want)
			}
			if err == nil {
				_ = s.Stop(t.Context())
			}
			if runs, _ := filepath.Glob(filepath.Join(dir, "realiops-*")); len(runs) > 0 {
				t.Errorf("left behind: %q", runs)
			}
		})
	}
	check("a version that is not", func(dir string) Options {
		return Options{DataDir: dir, Version: "12"}
	}, `no PostgreSQL "12" available for `)
	check("a setting that is ours", func(dir string) Options {
		return Options{DataDir: dir, Settings: []string{"port=1"}}
	}, "setting port is reserved for realiops")
	check("a directory in use", func(dir string) Options {
		put(t, dir, "mine")
		return Options{DataDir: dir}
	}, "data directory DIR is not empty (contains mine); choose an empty or new one")
	check("a directory nowhere", func(dir string) Options {
		return Options{DataDir: filepath.Join(dir, "a", "b")}
	}, "create the data directory: mkdir DIR/a/b: no such file or directory")
	check("no server there", func(dir string) Options {
		return Options{DataDir: dir, BinDir: filepath.Join(dir, "nowhere")}
	}, "no server in DIR/nowhere: stat DIR/nowhere/initdb: no such file or directory")
}

// A download leaves no temporary files, whether or not it succeeds, and does not block the next one.
func TestNoNetworkAndNoCache(t *testing.T) {
	release, err := binaries.Find("17")
	if err != nil {
		t.Skip(err)
	}
	dataDir, temporary, cache := newDataDir(t), t.TempDir(), t.TempDir()
	t.Setenv("TMPDIR", temporary)
	const nobody = "http://127.0.0.1:9" // the discard port
	_, err = Start(t.Context(), Options{Version: "17", DataDir: dataDir, CacheDir: cache, Repository: nobody})
	want := "PostgreSQL " + release.Version() + " is not cached and " + nobody + " is unreachable; " +
		"connect to the network once, or set REALIOPS_PG_REPOSITORY to a mirror" + binaries.Hint()
	if err == nil || err.Error() != want {
		t.Errorf("error\n%v\nwant\n%s", err, want)
	}
	checkGone(t, dataDir)
	if left, _ := filepath.Glob(filepath.Join(temporary, "*")); len(left) > 0 {
		t.Errorf("left among the temporary files: %q", left)
	}
	if left, _ := filepath.Glob(filepath.Join(cache, "realiops-fetch-*")); len(left) > 0 {
		t.Errorf("left in the cache: %q", left)
	}
}

// Nothing is put elsewhere than the user's environment says.
func TestTemporaryPlaces(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile("file", nil, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"nowhere": "no such file or directory", "file": "not a directory"} {
		t.Setenv("TMPDIR", name)
		path, err := TemporaryPlace(true)
		if err == nil || !strings.HasSuffix(err.Error(), "/"+name+": "+want+"; set it to a directory where you may write") {
			t.Errorf("%s: %q, %v", name, path, err)
		}
	}
	t.Setenv("TMPDIR", ".")
	if path, err := TemporaryPlace(true); err != nil || !filepath.IsAbs(path) {
		t.Errorf("here: %q, %v", path, err)
	}
}

func put(t *testing.T, dir, name string) {
	t.Helper()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, name), nil, 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestSettingsOfTheServerAreItsOwnToRefuse(t *testing.T) {
	fetched(t, "")
	check := func(setting, want string) {
		t.Helper()
		dataDir := newDataDir(t)
		_, err := Start(t.Context(), Options{DataDir: dataDir, Settings: []string{setting}})
		if err == nil || err.Error() != want {
			t.Errorf("%s: error %v, want %s", setting, err, want)
		}
		checkGone(t, dataDir)
	}
	check("nonsense=1", `start the server: unrecognized configuration parameter "nonsense"`)
	check("work_mem=much", `start the server: invalid value for parameter "work_mem": "much"`)
	check("shared_preload_libraries=absent",
		`start the server: could not access file "absent": No such file or directory`)
}

// Under root the server runs as another user, who must be able to reach the data; that is checked first.
func TestRootLearnsThatItsServerCannotReachTheData(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root runs the server as another user")
	}
	fetched(t, "")
	bin, err := installed("")
	if err != nil {
		t.Skip(err)
	}
	closed := filepath.Join(newDataDir(t), "closed")
	if err := os.MkdirAll(closed, 0o700); err != nil {
		t.Fatal(err)
	}
	user, err := serverAccount(0, os.Getenv)
	if err != nil {
		t.Fatal(err)
	}
	check := func(o Options, path, flag string) {
		t.Helper()
		_, err := Start(t.Context(), o)
		want := "PostgreSQL refuses to run as root, and user " + user.name +
			" cannot enter or run programs in " +
			path + "; choose another directory with " + flag
		if err == nil || err.Error() != want {
			t.Errorf("error\n%v\nwant\n%s", err, want)
		}
	}
	check(Options{DataDir: filepath.Join(closed, "data"), BinDir: bin}, filepath.Join(closed, "data"), "--data-dir")
	check(Options{DataDir: filepath.Join(closed, "data")}, filepath.Join(closed, "data"), "--data-dir")
	for _, name := range []string{"initdb", "postgres"} {
		if err := copyFile(filepath.Join(bin, name), filepath.Join(closed, name)); err != nil {
			t.Fatal(err)
		}
	}
	check(Options{DataDir: newDataDir(t), BinDir: closed}, closed, "--pg-bin")
}

func TestBorrowedTree(t *testing.T) {
	from, to := t.TempDir(), filepath.Join(t.TempDir(), "postgres")
	put(t, filepath.Join(from, "bin"), "postgres")
	if err := os.Chmod(filepath.Join(from, "bin", "postgres"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("postgres", filepath.Join(from, "bin", "postmaster")); err != nil {
		t.Fatal(err)
	}
	if err := borrow(from, to); err != nil {
		t.Fatal(err)
	}
	original, _ := os.Stat(filepath.Join(from, "bin", "postgres"))
	borrowed, err := os.Stat(filepath.Join(to, "bin", "postmaster"))
	if err != nil || !os.SameFile(original, borrowed) {
		t.Errorf("%v, want the same file by another name", err)
	}
	copied := filepath.Join(to, "copy")
	if err := copyFile(filepath.Join(from, "bin", "postgres"), copied); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(copied)
	if err != nil || info.Mode() != original.Mode() {
		t.Errorf("the copy is %v, %v, want %v", info.Mode(), err, original.Mode())
	}
}

func TestServerAccount(t *testing.T) {
	caller := func(uid string) func(string) string {
		return func(name string) string { return map[string]string{"SUDO_UID": uid}[name] }
	}
	if got, err := serverAccount(1000, caller("1")); err != nil || got.other() {
		t.Errorf("an ordinary user runs the server as %+v, %v, want itself", got, err)
	}
	// Uid 1 is daemon on Linux and on macOS.
	if got, err := serverAccount(0, caller("1")); err != nil || got.uid != 1 || !got.other() {
		t.Errorf("who called sudo: %+v, %v, want user 1", got, err)
	}
	for _, uid := range []string{"", "0", "4000000000"} {
		got, err := serverAccount(0, caller(uid))
		if err != nil || got.uid == 0 || (got.name != "postgres" && got.name != "_postgres" && got.name != "nobody") {
			t.Errorf("with SUDO_UID=%s: %+v, %v, want postgres or nobody", uid, got, err)
		}
	}
}

// The server gets neither the user's secrets nor variables that would change it.
func TestEnvironment(t *testing.T) {
	ours := []string{"PATH=/bin", "PGDATA=/x", "PGPORT=1", "LANG=de_DE.UTF-8", "LC_MESSAGES=de_DE",
		"LANGUAGE=de", "TZ=UTC", "AWS_SECRET_ACCESS_KEY=s", "HOME=/root", "LD_LIBRARY_PATH=/lib"}
	if diff := cmp.Diff([]string{"LC_ALL=C", "PATH=/bin", "TZ=UTC", "LD_LIBRARY_PATH=/lib"},
		environment(ours)); diff != "" {
		t.Errorf("environment (-want +got):\n%s", diff)
	}
}
