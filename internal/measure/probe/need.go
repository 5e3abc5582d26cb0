package probe

// Need describes what a probe requires of the kernel. docs/reference/kernels.md lists all needs
// and the kernels of distributions.
type Need struct {
	What    string // the data read
	Linux   string // first version that counts it; distributions may backport it
	Beside  string // further requirements
	Without string // the consequence of its absence
}

// Features of the kernel, by version.
var (
	Discards = Need{What: "discards of `/proc/diskstats`", Linux: "4.18", Without: "no discards"}
	Flushes  = Need{What: "flushes of `/proc/diskstats`", Linux: "5.5",
		Without: "flushes count as writes, so a size may be for too many requests, and says so"}
	ByFile = Need{What: "requests [by file](../requests.md)", Linux: "5.15",
		Beside: " with `/sys/kernel/btf/vmlinux`; root, or CAP_BPF, CAP_PERFMON, CAP_DAC_READ_SEARCH and " +
			"CAP_SYS_PTRACE; ext4 or XFS",
		Without: "device figures include other programs"}
)
