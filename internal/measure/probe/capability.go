package probe

import "strings"

// Capability is a capability of a Linux process (capabilities(7)).
type Capability struct {
	bit  uint
	name string
}

// The capabilities that following requests needs.
var (
	DACReadSearch = Capability{2, "CAP_DAC_READ_SEARCH"} // to look into the server's directory
	SysPtrace     = Capability{19, "CAP_SYS_PTRACE"}     // and at its processes
	Perfmon       = Capability{38, "CAP_PERFMON"}        // to load programs into the kernel
	BPF           = Capability{39, "CAP_BPF"}
)

// Lacking names the capabilities that this process lacks, as the end of a sentence, or returns "".
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
