//go:build !unix

package postgres

import "io/fs"

func ownedByRoot(fs.FileInfo) bool { return false }
