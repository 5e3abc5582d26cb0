//go:build !linux

package experiment

import "errors"

func forget(string, []string, bool) error {
	return errors.New("only Linux can be asked to forget a file")
}
