//go:build !linux

package experiment

import (
	"errors"

	"github.com/realiops/realiops/internal/measure/layout"
)

func forget(*layout.Layout, []string, bool) error {
	return errors.New("supported only on Linux")
}
