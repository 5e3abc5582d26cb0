//go:build unix

package owner

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// other is a user that no test runs as.
const other = 4242

func check(t *testing.T, what string, err error, want string) {
	t.Helper()
	if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
		t.Errorf("%s: %v, want %q", what, err, want)
	}
}

// TestOwnDirectories keeps working for users in their own directories.
func TestOwnDirectories(t *testing.T) {
	t.Chdir(t.TempDir())
	check(t, "a new one", Make("ours"), "")
	check(t, "the same again", Make("ours"), "")
	if err := os.Symlink("ours", "link"); err != nil {
		t.Fatal(err)
	}
	check(t, "a link of our own", Directory("link"), "")
	if err := os.WriteFile("file", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	check(t, "a file", Directory("file"), "file is not a directory")
	check(t, "nothing", Directory("none"), "no such file")
	if err := os.Chmod("ours", 0o757); err != nil {
		t.Fatal(err)
	}
	check(t, "one for everybody", Directory("ours"), "other users may write to ours (mode 0757, owned by ")
}

// TestNewDirectoriesArePrivate whatever the umask allows.
func TestNewDirectoriesArePrivate(t *testing.T) {
	t.Chdir(t.TempDir())
	defer syscall.Umask(syscall.Umask(0))
	check(t, "a new one", Make("ours"), "")
	if info, err := os.Stat("ours"); err != nil || info.Mode().Perm() != 0o755 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
}

func TestDirectoriesOfOthers(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root may give files away")
	}
	dir := t.TempDir()
	t.Chdir(dir)
	given := func(path string, mode os.FileMode) {
		t.Helper()
		if err := os.Mkdir(path, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
		if err := os.Lchown(path, other, other); err != nil {
			t.Fatal(err)
		}
	}
	given("theirs", 0o755)
	const whose = "owned by the user 4242, but you are root (user 0)"
	check(t, "a directory", Directory("theirs"), "theirs is "+whose)
	check(t, "a directory that is there", Make("theirs"), whose)
	if err := os.Symlink(dir, "link"); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("theirs", "ours"); err != nil {
		t.Fatal(err)
	}
	if err := os.Lchown("link", other, other); err != nil {
		t.Fatal(err)
	}
	check(t, "a link of theirs to a directory of ours", Directory("link"), "link is a link "+whose)
	check(t, "a link of ours to a directory of theirs", Directory("ours"), whose)

	t.Setenv("SUDO_UID", "4242")
	check(t, "one of who called sudo", Directory("theirs"), "")
	t.Setenv("SUDO_UID", "4243")
	check(t, "one of somebody else than who called sudo", Directory("theirs"), whose)

	if err := os.Mkdir("group", 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod("group", 0o775); err != nil {
		t.Fatal(err)
	}
	check(t, "one of root's that a group may write to", Directory("group"), "other users may write to group")

	file := filepath.Join("theirs", "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	check(t, "a file of ours", File(file), "")
	if err := os.Chown(file, other, other); err != nil {
		t.Fatal(err)
	}
	check(t, "a file of theirs", File(file), whose)
}
