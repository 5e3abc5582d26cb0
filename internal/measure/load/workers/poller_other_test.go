//go:build !linux

package workers

import "github.com/realiops/realiops/internal/measure/role"

// caged has no worker where there are no rings.
func caged() []role.Role { return nil }
