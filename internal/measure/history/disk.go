package history

import "regexp"

// pathTo matches the name of one of several paths to an NVMe disk.
var pathTo = regexp.MustCompile(`^(nvme[0-9]+)c[0-9]+(n[0-9]+)$`)

// HeadOf returns the NVMe disk behind one of its paths: nvme0n1 for nvme0c1n1, or "" for other devices. Before Linux
// 6.3 the disk itself counts nothing.
func HeadOf(device string) string {
	if m := pathTo.FindStringSubmatch(device); m != nil {
		return m[1] + m[2]
	}
	return ""
}
