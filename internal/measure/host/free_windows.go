package host

import "errors"

// Free is not supported on Windows.
func Free(string) (int64, error) { return 0, errors.ErrUnsupported }
