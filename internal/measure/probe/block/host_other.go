//go:build !linux

package block

import (
	"errors"
	"runtime"
)

var errNoDevice = errors.New("no such device")

func thisHost() host {
	return host{unable: unsupported("%s does not count the I/O of its block devices; Linux does", runtime.GOOS)}
}
