package block

import (
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/prometheus/procfs"

	"github.com/realiops/realiops/internal/measure/layout"
	"github.com/realiops/realiops/internal/measure/probe"
)

// FuzzKernelFiles: whatever the kernel's files hold, a metric has a possible value, or a reason why it is missing.
func FuzzKernelFiles(f *testing.F) {
	const stat = "35742 6713 1997570 5383 6754 27781 1318768 2859 3 3744 8427 3572 26 144712 174 238 8\n"
	const io = "rchar: 1\nwchar: 2\nsyscr: 3\nsyscw: 4\nread_bytes: 5\nwrite_bytes: 6\ncancelled_write_bytes: 7\n"
	const mounts = "21 1 8:1 / / rw shared:1 - ext4 /dev/sda1 rw\n"
	f.Add(stat, io, "8:0 rbytes=1 wbytes=2 rios=3 wios=4 dbytes=0 dios=0\n", "1\n", "0::/pg\n", mounts)
	f.Add("1 2 3", "rchar: -1\n", "8:0 Read 192\n8:0 Write 7\n", "", "1:blkio:/pg\n",
		mounts+"30 21 0:30 / /sys/fs/cgroup/blkio rw - cgroup cgroup rw,blkio\n")
	f.Add("18446744073709551616", "", "8:0 rios=18446744073709551615\n8:0 rios=1\n", "0\n", "0::/../..\n",
		"21 1 8:1 / / rw - \n")
	h := machine(f, "linux-6.1")
	devices, err := h.place("/var/lib/postgresql/17/main")
	if err != nil {
		f.Fatal(err)
	}
	root := f.TempDir()
	f.Fuzz(func(t *testing.T, stat, io, throttled, setting, groups, mounts string) {
		device := devices.devices[0]
		for path, text := range map[string]string{
			filepath.Join(h.sys, "block", device, "stat"):          stat,
			filepath.Join(h.sys, "block", device, "queue/iostats"): setting,
			filepath.Join(root, "proc/7/io"):                       io, filepath.Join(root, "proc/7/cgroup"): groups,
			filepath.Join(root, "proc/7/task/7/children"): setting,
			filepath.Join(root, "proc/self/mountinfo"):    mounts, filepath.Join(root, "io.stat"): throttled,
			filepath.Join(root, "blkio.throttle.io_serviced"):      throttled,
			filepath.Join(root, "blkio.throttle.io_service_bytes"): throttled,
		} {
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if s, err := h.sampler(rootsOf(h, "/var/lib/postgresql/17/main")); err == nil {
			sample, err := s.Sample(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			possible(t, sample.Values)
			for _, gap := range sample.Gaps {
				if _, read := sample.Values[gap.Metric]; read || gap.Reason == "" || gap.Detail == "" {
					t.Errorf("%+v", gap)
				}
			}
		}
		server := host{proc: filepath.Join(root, "proc"), sys: h.sys, look: h.look}
		if p, err := server.processesIn("/nowhere"); err == nil {
			t.Errorf("%+v", p)
		}
		p := processes{host: server, data: "/nowhere", postmaster: 7, open: map[int]*os.File{}}
		if p.fs, err = procfs.NewFS(server.proc); err != nil {
			t.Fatal(err)
		}
		if values, err := p.read(); err == nil {
			possible(t, values)
		} else if probe.GapOf(err).Reason == "" {
			t.Error(err)
		}
		_, _ = server.cgroupOf(7, []string{device})
		_, _ = server.mountOf(layout.Root{Path: "/var/lib"})
		for _, unified := range []bool{true, false} {
			if values, err := (cgroup{directory: root, unified: unified, numbers: []string{"8:0"}}).read(); err == nil {
				possible(t, values)
			}
		}
	})
}

func possible(t *testing.T, values map[string]float64) {
	t.Helper()
	for name, value := range values {
		if !(value >= 0) || math.IsInf(value, 0) {
			t.Errorf("%s is %g", name, value)
		}
	}
}
