package block

import (
	"syscall"

	"github.com/realiops/realiops/internal/measure/layout"
)

// errNoDevice is what the kernel answers once a device has been taken away.
var errNoDevice error = syscall.ENODEV

func thisHost() host { return host{proc: "/proc", sys: "/sys", look: layout.Of} }
