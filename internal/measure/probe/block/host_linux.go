package block

import (
	"syscall"

	"github.com/realiops/realiops/internal/measure/layout"
)

// errNoDevice is the kernel's error for a removed device.
var errNoDevice error = syscall.ENODEV

func thisHost() host { return host{proc: "/proc", sys: "/sys", look: layout.Of} }
