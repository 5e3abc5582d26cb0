package block

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/prometheus/procfs"

	"github.com/realiops/realiops/internal/measure/probe"
	"github.com/realiops/realiops/internal/metric"
	"github.com/realiops/realiops/internal/runfile"
)

// cgroupView is the prefix of the metrics of the server's control group.
const cgroupView = Name + ".cgroup/"

func cgroupMetrics() []runfile.Metric { return metric.All().View(Name + ".cgroup").Announced() }

// cgroup is a control group, of version 1 or 2, that counts block I/O.
type cgroup struct {
	directory string
	unified   bool     // version 2
	numbers   []string // MAJ:MIN of the devices that count
}

func (h host) cgroupOf(pid int, devices []string) (c cgroup, err error) {
	groups, err := h.groupsOf(pid)
	if err != nil {
		return cgroup{}, fmt.Errorf("find the control group of process %d: %w", pid, err)
	}
	mounts, err := h.mountsOf(0)
	if err != nil {
		return cgroup{}, err
	}
	g, m := counting(groups, mounts, c.unified)
	if m == nil {
		c.unified = true
		g, m = counting(groups, mounts, c.unified)
	}
	if m == nil {
		return cgroup{}, unsupported("no control groups that count block I/O are mounted")
	}
	if g.Path == "/" {
		return cgroup{}, unsupported("the server has no control group of its own")
	}
	below := strings.TrimPrefix(m.MountPoint, "/sys") // elsewhere in a test
	c.directory = filepath.Join(h.sys, below, strings.TrimPrefix(g.Path, strings.TrimSuffix(m.Root, "/")))
	for _, device := range devices {
		number, err := os.ReadFile(filepath.Join(h.sys, "block", device, "dev"))
		if err != nil {
			return cgroup{}, fmt.Errorf("find the number of the device %s: %w", written(device), err)
		}
		c.numbers = append(c.numbers, strings.TrimSpace(string(number)))
	}
	return c, nil
}

func (h host) groupsOf(pid int) ([]procfs.Cgroup, error) {
	proc, err := procfs.NewFS(h.proc)
	if err != nil {
		return nil, err
	}
	process, err := proc.Proc(pid)
	if err != nil {
		return nil, err
	}
	return process.Cgroups()
}

// counting returns the hierarchy that counts block I/O: in version 1 the block controller's, in version 2 (unified)
// the only one. If both versions are mounted, the one with the controller counts.
func counting(groups []procfs.Cgroup, mounts []*procfs.MountInfo, unified bool) (procfs.Cgroup, *procfs.MountInfo) {
	for _, g := range groups {
		for _, m := range mounts {
			_, controls := m.SuperOptions["blkio"]
			version1 := m.FSType == "cgroup" && controls && slices.Contains(g.Controllers, "blkio")
			version2 := m.FSType == "cgroup2" && g.HierarchyID == 0
			if !unified && version1 || unified && version2 {
				return g, m
			}
		}
	}
	return procfs.Cgroup{}, nil
}

// read adds up the group's figures over all devices.
func (c cgroup) read() (map[string]float64, error) {
	if c.unified {
		return c.readUnified()
	}
	values := map[string]float64{}
	if err := c.readThrottled(values, "blkio.throttle.io_serviced", "reads", "writes"); err != nil {
		return nil, err
	}
	return values, c.readThrottled(values, "blkio.throttle.io_service_bytes", "read_bytes", "write_bytes")
}

// readUnified reads io.stat of version 2: a line for each device that the group has used, as "8:16 rbytes=1459200
// wbytes=314773504 rios=192 wios=353 dbytes=0 dios=0".
func (c cgroup) readUnified() (map[string]float64, error) {
	text, err := os.ReadFile(filepath.Join(c.directory, "io.stat"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, unsupported("control group %s does not count I/O: its parent's cgroup.subtree_control lacks io",
			c.directory)
	}
	if err != nil {
		return nil, fmt.Errorf("read the server's control group: %w", err)
	}
	names := map[string]string{"rbytes": "read_bytes", "wbytes": "write_bytes", "rios": "reads", "wios": "writes"}
	values := map[string]float64{}
	for _, name := range names {
		values[cgroupView+name] = 0 // a device without a line was not used
	}
	for line := range strings.Lines(string(text)) {
		fields := strings.Fields(line)
		if len(fields) == 0 || !slices.Contains(c.numbers, fields[0]) {
			continue
		}
		for _, field := range fields[1:] {
			key, text, _ := strings.Cut(field, "=")
			if name, wanted := names[key]; wanted {
				if err := add(values, name, text); err != nil {
					return nil, err
				}
			}
		}
	}
	return values, nil
}

// readThrottled reads a file of version 1: lines for each throttled device, as "8:16 Read 192". Other devices are
// not counted, which is not zero.
func (c cgroup) readThrottled(values map[string]float64, file, reads, writes string) error {
	text, err := os.ReadFile(filepath.Join(c.directory, file))
	if err != nil {
		return fmt.Errorf("read the server's control group: %w", err)
	}
	names := map[string]string{"Read": reads, "Write": writes}
	counted := map[string]bool{}
	for line := range strings.Lines(string(text)) {
		fields := strings.Fields(line)
		if len(fields) != 3 || !slices.Contains(c.numbers, fields[0]) {
			continue
		}
		counted[fields[0]] = true
		if name, wanted := names[fields[1]]; wanted {
			if err := add(values, name, fields[2]); err != nil {
				return err
			}
		}
	}
	if len(counted) < len(c.numbers) {
		return unsupported("control groups of version 1 count only devices with a limit; set one, however high (docker run " +
			"--device-write-iops)")
	}
	return nil
}

func add(values map[string]float64, name, text string) error {
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		return &probe.Error{Reason: runfile.Failed, Err: fmt.Errorf("read the server's control group: %w", err)}
	}
	values[cgroupView+name] += float64(n)
	return nil
}
