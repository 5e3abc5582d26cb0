//go:build !linux

package fio

// takesDirect returns false: here direct I/O is not a flag of opening a file.
func takesDirect(string) (bool, error) { return false, nil }
