package history

import "regexp"

// pathTo is the name of one of several paths to an NVMe disk.
var pathTo = regexp.MustCompile(`^(nvme[0-9]+)c[0-9]+(n[0-9]+)$`)

// HeadOf returns the NVMe disk that a device of Linux is one of several paths to: nvme0n1 for nvme0c1n1; empty if it is
// none. Before Linux 6.3 the disk itself counts nothing.
func HeadOf(device string) string {
	if m := pathTo.FindStringSubmatch(device); m != nil {
		return m[1] + m[2]
	}
	return ""
}
