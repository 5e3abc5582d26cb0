package accounttest

import (
	"errors"
	"path/filepath"
	"testing"
)

// Python returns a Python with botocore, and so with Amazon's own models of its services. It skips the test where there
// is none.
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
