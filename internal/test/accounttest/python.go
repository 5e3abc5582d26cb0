package accounttest

import (
	"errors"
	"path/filepath"
	"testing"
)

// Python returns a Python with botocore, which has Amazon's own models of its services. It
// skips the test if there is none.
func Python(t testing.TB) string {
	t.Helper()
	directory, err := environment()
	if errors.As(err, new(missing)) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Join(directory, "bin", "python")
}
