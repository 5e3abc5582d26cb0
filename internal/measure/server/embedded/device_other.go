//go:build !linux

package embedded

import (
	"context"
	"errors"
)

// mountDevice is never called: checkDevice has refused.
func (c *cluster) mountDevice(context.Context, int64) error { return errors.ErrUnsupported }
