package probe

import "strings"

// Capability is a right of a Linux process that need not be root's (capabilities(7)).
type Capability struct {
	bit  uint
	name string
}

// What following requests takes.
var (
	DACReadSearch = Capability{2, "CAP_DAC_READ_SEARCH"} // looking into the server's directory
	SysPtrace     = Capability{19, "CAP_SYS_PTRACE"}     // and at its processes
	Perfmon       = Capability{38, "CAP_PERFMON"}        // putting programs into the kernel
	BPF           = Capability{39, "CAP_BPF"}
)

// Lacking names, as the end of a sentence, those that this process does not have; empty: it has all.
func Lacking(needed ...Capability) string { return lacking(effective(), needed) }

func lacking(capabilities uint64, needed []Capability) string {
	var names []string
	for _, c := range needed {
		if capabilities>>c.bit&1 == 0 {
			names = append(names, c.name)
		}
	}
	if len(names) == 0 {
		return ""
	}
	return ": realiops lacks " + strings.Join(names, " and ")
}
