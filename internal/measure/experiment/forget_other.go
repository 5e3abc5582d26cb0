//go:build !linux

package experiment

import (
	"errors"

	"github.com/realiops/realiops/internal/measure/layout"
)

func forget(*layout.Layout, []string, bool) error {
	return errors.New("only Linux can be asked to forget a file")
}
