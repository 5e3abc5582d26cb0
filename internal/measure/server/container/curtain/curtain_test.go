package curtain_test

import (
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"testing"

	_ "github.com/realiops/realiops/internal/measure/server/container"
)

// TestScansNoProcess: a start beside 50 more processes allocates no more in testcontainers-go's initialization, and the
// user's HOST_PROC is as it was.
func TestScansNoProcess(t *testing.T) {
	const inside = "REALIOPS_TEST_HOST_PROC"
	if os.Getenv(inside) != "" {
		if got := os.Getenv("HOST_PROC"); got != "/proc" {
			t.Errorf("HOST_PROC is %q", got)
		}
		return
	}
	allocations := func() int {
		t.Helper()
		c := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestScansNoProcess$", "-test.v")
		c.Env = append(os.Environ(), inside+"=yes", "HOST_PROC=/proc", "GODEBUG=inittrace=1")
		out, err := c.CombinedOutput()
		found := regexp.MustCompile(`internal/core/bootstrap @.* (\d+) allocs`).FindSubmatch(out)
		if err != nil || found == nil {
			t.Fatalf("%v: %s", err, out)
		}
		n, err := strconv.Atoi(string(found[1]))
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	alone := allocations()
	for range 50 {
		other := exec.CommandContext(t.Context(), "sleep", "60")
		if err := other.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = other.Process.Kill(); _ = other.Wait() })
	}
	if beside := allocations(); beside > alone+50 {
		t.Errorf("%d allocations, and %d beside 50 more processes", alone, beside)
	}
}
