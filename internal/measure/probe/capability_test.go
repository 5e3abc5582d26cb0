package probe

import "testing"

// Bits as capabilities(7) and <linux/capability.h> number them.
func TestMissingCapabilitiesAreNamed(t *testing.T) {
	for capabilities, want := range map[uint64]string{
		0:                            ": realiops lacks CAP_DAC_READ_SEARCH and CAP_SYS_PTRACE and CAP_BPF " + "and CAP_PERFMON",
		1<<2 | 1<<19 | 1<<39:         ": realiops lacks CAP_PERFMON",
		1<<2 | 1<<19 | 1<<38:         ": realiops lacks CAP_BPF",
		1<<2 | 1<<38 | 1<<39:         ": realiops lacks CAP_SYS_PTRACE",
		^uint64(1 << 2):              ": realiops lacks CAP_DAC_READ_SEARCH",
		1<<2 | 1<<19 | 1<<38 | 1<<39: "",
		0x000001ffffffffff:           "", // root
	} {
		if got := lacking(capabilities, []Capability{DACReadSearch, SysPtrace, BPF, Perfmon}); got != want {
			t.Errorf("%#x: %q, want %q", capabilities, got, want)
		}
	}
}
