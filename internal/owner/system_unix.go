//go:build unix

package owner

import (
	"fmt"
	"io/fs"
	"os"
	"os/user"
	"strconv"
	"syscall"
)

func refuse(path string, info fs.FileInfo) error {
	stat, is := info.Sys().(*syscall.Stat_t)
	if !is || ours(stat.Uid) {
		return nil
	}
	what := ""
	if info.Mode().Type() == fs.ModeSymlink {
		what = "a link "
	}
	return fmt.Errorf("%s is %sowned by %s, but you are %s", path, what, named(stat.Uid), named(uint32(os.Geteuid())))
}

func refuseShared(path string, info fs.FileInfo) error {
	stat, is := info.Sys().(*syscall.Stat_t)
	mode := info.Mode().Perm()
	byGroup := mode&0o020 != 0 && (os.Geteuid() == 0 || int(stat.Gid) != os.Getegid())
	if !is || mode&0o002 == 0 && !byGroup {
		return nil
	}
	return fmt.Errorf("other users may write to %s (mode %04o, owned by %s); run chmod go-w on it", path, mode,
		named(stat.Uid))
}

// ours reports whether a user is this one, root, or the one who called sudo.
func ours(uid uint32) bool {
	me := os.Geteuid()
	return uid == 0 || int(uid) == me || me == 0 && os.Getenv("SUDO_UID") == strconv.Itoa(int(uid))
}

// named returns a user's name and number; only the number is certain.
func named(uid uint32) string {
	number := strconv.Itoa(int(uid))
	known, err := user.LookupId(number)
	if err != nil {
		return "the user " + number
	}
	return known.Username + " (user " + number + ")"
}
