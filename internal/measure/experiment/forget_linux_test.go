package experiment

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestForgetStaysInTheDirectory: a server that names files elsewhere has none of them opened.
func TestForgetStaysInTheDirectory(t *testing.T) {
	top := t.TempDir()
	directory := filepath.Join(top, "data")
	for _, file := range []string{filepath.Join(directory, "base", "1"), filepath.Join(top, "elsewhere")} {
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte("rows"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := forget(directory, []string{"base/1"}, true); err != nil {
		t.Error(err)
	}
	for _, outside := range []string{"../elsewhere", filepath.Join(top, "elsewhere"), ""} {
		if err := forget(directory, []string{outside}, true); err == nil || !strings.Contains(err.Error(), "lies outside") {
			t.Errorf("%q: %v", outside, err)
		}
	}
}
