package main

import (
	"os"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/realiops/realiops/internal/measure/server/embedded"
	"github.com/realiops/realiops/internal/test/servertest"
)

// With only the four capabilities of docs/requests.md, a user other than root and the server's follows requests.
// doctor names each missing one.
func TestEachCapabilityIsNamed(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root gives capabilities away")
	}
	t.Parallel()
	server := servertest.Start(t, embedded.Options{Version: "17"})
	all := map[string]uintptr{"CAP_BPF": unix.CAP_BPF, "CAP_PERFMON": unix.CAP_PERFMON,
		"CAP_DAC_READ_SEARCH": unix.CAP_DAC_READ_SEARCH, "CAP_SYS_PTRACE": unix.CAP_SYS_PTRACE}
	doctor := func(without string) string {
		c := realiops(t, "doctor", "--dsn", server.URL())
		c.Dir = "/"
		c.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65000, Gid: 65000}}
		for name, number := range all {
			if name != without {
				c.SysProcAttr.AmbientCaps = append(c.SysProcAttr.AmbientCaps, number)
			}
		}
		said, _ := c.CombinedOutput() // its status is about the server
		return strings.Join(strings.Fields(string(said)), " ")
	}
	if said := doctor(""); !strings.Contains(said, "requests for this server 5 of 5") ||
		!strings.Contains(said, "/proc/PID/io 4 of 4") ||
		strings.Contains(said, "lacks") {
		t.Errorf("with all four: %s", said)
	}
	for name := range all {
		if said := doctor(name); !strings.Contains(said, "realiops lacks "+name+" ") {
			t.Errorf("without %s: %s", name, said)
		}
	}
}
