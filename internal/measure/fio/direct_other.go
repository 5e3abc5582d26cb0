//go:build !linux

package fio

// takesDirect is false where direct I/O is another thing than a way to open a file.
func takesDirect(string) (bool, error) { return false, nil }
