package embedded

import (
	"context"
	"errors"
)

// mountDevice is never called: checkDevice has refused.
func (d directory) mountDevice(context.Context, int64) error { return errors.ErrUnsupported }

func (d directory) unmountDevice() error { return nil }
