package host

import "errors"

// Free is not told here.
func Free(string) (int64, error) { return 0, errors.ErrUnsupported }
