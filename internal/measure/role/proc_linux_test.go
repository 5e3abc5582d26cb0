package role_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// TestWithoutProc: if a process cannot find its own program, the error says what is missing.
func TestWithoutProc(t *testing.T) {
	const inside = "REALIOPS_TEST_WITHOUT_PROC"
	if os.Getenv(inside) != "" {
		_, err := shout().Command(t.Context())
		const want = "realiops needs /proc to find its own executable; " +
			"mount it (mount -t proc proc /proc), in a chroot too, and try again"
		if err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
		return
	}
	if os.Geteuid() != 0 {
		t.Skip("only root may hide /proc")
	}
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := exec.CommandContext(t.Context(), "unshare", "--mount", "--propagation", "private",
		"sh", "-c", `mount -t tmpfs none /proc && exec "$0" -test.run '^TestWithoutProc$' -test.v`, program)
	c.Env = append(os.Environ(), inside+"=yes")
	if out, err := c.CombinedOutput(); err != nil || !strings.Contains(string(out), "--- PASS: TestWithoutProc") {
		t.Errorf("%v: %s", err, out)
	}
}
