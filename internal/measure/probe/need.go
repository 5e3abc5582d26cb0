package probe

// Need describes what a probe requires of the kernel. docs/reference/kernels.md lists all needs, and what
// distributions ship.
type Need struct {
	What    string // is read
	Linux   string // counts it from this version on; distributions may have it in an older one
	Beside  string // what else it takes
	Without string // what is lost
}

// What the kernel has had from a version on.
var (
	Discards = Need{What: "discards of `/proc/diskstats`", Linux: "4.18", Without: "no discards"}
	Flushes  = Need{What: "flushes of `/proc/diskstats`", Linux: "5.5",
		Without: "flushes are counted as writes: a size may be for too many requests, and says so"}
	ByFile = Need{What: "requests [by file](../requests.md)", Linux: "5.15",
		Beside: " with `/sys/kernel/btf/vmlinux`; root, or CAP_BPF, CAP_PERFMON, CAP_DAC_READ_SEARCH and " +
			"CAP_SYS_PTRACE; ext4 or XFS",
		Without: "device figures include other programs"}
)
