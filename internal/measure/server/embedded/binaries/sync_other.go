//go:build !linux && !darwin

package binaries

import "errors"

// syncTree is not reached: no server is started on these systems.
func syncTree(string) error { return errors.ErrUnsupported }
