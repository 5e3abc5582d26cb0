//go:build unix

package postgres

import (
	"io/fs"
	"syscall"
)

func ownedByRoot(info fs.FileInfo) bool {
	stat, is := info.Sys().(*syscall.Stat_t)
	return is && stat.Uid == 0
}
