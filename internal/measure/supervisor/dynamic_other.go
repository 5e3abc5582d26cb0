//go:build darwin

package supervisor

// removeDynamic does nothing: the owner of a segment is unknown here.
func removeDynamic(uint32, uint32) error { return nil }
