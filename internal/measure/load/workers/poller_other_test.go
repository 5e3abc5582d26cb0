//go:build !linux

package workers

import "github.com/realiops/realiops/internal/measure/role"

// caged is empty on systems without io_uring.
func caged() []role.Role { return nil }
