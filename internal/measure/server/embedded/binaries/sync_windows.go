package binaries

import "errors"

// syncTree is not reached: nothing is fetched on Windows.
func syncTree(string) error { return errors.ErrUnsupported }
