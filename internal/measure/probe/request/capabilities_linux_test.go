package request

import "testing"

// Bits as capabilities(7) and <linux/capability.h> number them: CAP_PERFMON is 38, CAP_BPF is 39.
func TestWhatIsLackingIsNamed(t *testing.T) {
	for capabilities, want := range map[uint64]string{
		0:                  ": this one lacks CAP_BPF and CAP_PERFMON",
		1 << 39:            ": this one lacks CAP_PERFMON",
		1 << 38:            ": this one lacks CAP_BPF",
		1<<38 | 1<<39:      "",
		^uint64(1 << 38):   ": this one lacks CAP_PERFMON",
		0x000001ffffffffff: "", // root
	} {
		if got := lacking(capabilities); got != want {
			t.Errorf("%#x: %q, want %q", capabilities, got, want)
		}
	}
}
