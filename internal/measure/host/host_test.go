package host

import (
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
)

func TestFactsAgreeWithTheSystemsTools(t *testing.T) {
	got := Facts()
	if want := output(t, "uname", "-r"); got.Kernel != want {
		t.Errorf("kernel %q, uname says %q", got.Kernel, want)
	}
	if want := output(t, "getconf", "_NPROCESSORS_ONLN"); strconv.Itoa(got.CPUs) != want {
		t.Errorf("%d processors, getconf says %s", got.CPUs, want)
	}
	meminfo, err := os.ReadFile("/proc/meminfo")
	if err != nil {
		t.Skip("no /proc/meminfo to compare the memory with")
	}
	kib, err := strconv.ParseInt(strings.Fields(string(meminfo))[1], 10, 64) // MemTotal: N kB
	if err != nil || got.MemoryBytes != kib*1024 {
		t.Errorf("%d bytes of memory, /proc/meminfo says %d kB (%v)", got.MemoryBytes, kib, err)
	}
}

func output(t *testing.T, name string, args ...string) string {
	t.Helper()
	text, err := exec.CommandContext(t.Context(), name, args...).Output()
	if err != nil {
		t.Skipf("no %s to compare with: %v", name, err)
	}
	return strings.TrimSpace(string(text))
}
