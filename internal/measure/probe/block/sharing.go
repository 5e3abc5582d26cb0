package block

import (
	"fmt"
	"path/filepath"
	"slices"

	"github.com/prometheus/procfs"

	"github.com/realiops/realiops/internal/measure/layout"
)

// carried returns the file systems on a device, each by its first mount point, and swap.
func (h host) carried(device string) []string {
	mounts, err := h.mountsOf(0)
	if err != nil {
		return nil
	}
	var found []string
	seen := map[string]bool{}
	for _, m := range mounts {
		if !seen[m.MajorMinorVer] && h.isOn(m, device) {
			found = append(found, m.MountPoint)
		}
		seen[m.MajorMinorVer] = true
	}
	if h.swapsOn(device) {
		found = append(found, "swap")
	}
	return found
}

func (h host) isOn(m *procfs.MountInfo, device string) bool {
	var f layout.Root
	if _, err := fmt.Sscanf(m.MajorMinorVer, "%d:%d", &f.Major, &f.Minor); err != nil {
		return false
	}
	devices, err := h.devicesOf(f, m)
	return err == nil && slices.Contains(devices, device)
}

func (h host) swapsOn(device string) bool {
	proc, err := procfs.NewFS(h.proc)
	if err != nil {
		return false
	}
	swaps, err := proc.Swaps()
	if err != nil {
		return false
	}
	for _, swap := range swaps {
		disks, err := h.disks(filepath.Join(h.sys, "class", "block", filepath.Base(swap.Filename)), swap.Filename)
		if swap.Type == "partition" && err == nil && slices.Contains(disks, device) {
			return true
		}
	}
	return false
}
