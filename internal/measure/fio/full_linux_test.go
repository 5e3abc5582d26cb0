package fio

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// A disk that fills up while the test files are written is reported, and left as it was.
func TestFullDiskIsReported(t *testing.T) {
	p := program(t)
	if os.Geteuid() != 0 {
		t.Skip("only root makes a small disk")
	}
	work := t.TempDir()
	image, place := filepath.Join(work, "disk"), filepath.Join(work, "mnt")
	if err := errors.Join(os.WriteFile(image, nil, 0o600), os.Truncate(image, 16<<20),
		os.Mkdir(place, 0o755)); err != nil {
		t.Fatal(err)
	}
	for _, c := range [][]string{{"mkfs.ext4", "-q", image}, {"mount", "-o", "loop", image, place}} {
		if out, err := exec.Command(c[0], c[1:]...).CombinedOutput(); err != nil {
			t.Skipf("%s: %v: %s", c[0], err, out)
		}
	}
	t.Cleanup(func() {
		if out, err := exec.Command("umount", place).CombinedOutput(); err != nil {
			t.Errorf("%v: %s", err, out)
		}
	})
	d, err := Make(place)
	if err != nil {
		t.Fatal(err)
	}
	err = d.Lay(t.Context(), p, Database(Settings{Size: 64 << 20, Runtime: defaultRuntime}))
	if err == nil || !strings.HasPrefix(err.Error(), "write the test file: fio failed") ||
		!strings.Contains(strings.ToLower(err.Error()), "no space left on device") {
		t.Error(err)
	}
	if err := d.Remove(); err != nil {
		t.Error(err)
	}
	left, _ := filepath.Glob(filepath.Join(place, prefix+"*"))
	if len(left) > 0 {
		t.Errorf("left: %q", left)
	}
}
