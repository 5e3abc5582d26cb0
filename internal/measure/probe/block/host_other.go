//go:build !linux

package block

import (
	"errors"
	"runtime"
)

var errNoDevice = errors.New("no such device")

func thisHost() host {
	return host{unable: unsupported("%s does not report what its block devices do; Linux does", runtime.GOOS)}
}
