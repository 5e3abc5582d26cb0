package block

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/realiops/realiops/internal/measure/layout"
	"github.com/realiops/realiops/internal/measure/probe"
	"github.com/realiops/realiops/internal/runfile"
)

// account returns the archive of servers, and the top of its data directories.
func account(t *testing.T) (host, string) {
	t.Helper()
	root := unpack(t, "groups")
	return host{proc: filepath.Join(root, "proc"), sys: filepath.Join(root, "sys")}, filepath.Join(root, "host")
}

// refusal checks the gap of an error.
func refusal(t *testing.T, err error, reason runfile.Reason, words string) {
	t.Helper()
	if err == nil || probe.GapOf(err).Reason != reason || !strings.Contains(err.Error(), words) {
		t.Errorf("%v, want %s … %s", err, reason, words)
	}
}

func TestProcessesOfAServer(t *testing.T) {
	h, data := account(t)
	p, err := h.processesIn(filepath.Join(data, "data"))
	if err != nil || p.postmaster != 200 {
		t.Fatalf("%+v, %v", p, err)
	}
	got, err := p.read()
	want := map[string]float64{
		"block.process/rchar": 3, "block.process/syscr": 3, // 1 of each of three processes
		"block.process/wchar": 1020300, "block.process/syscw": 1023,
	}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	_, err = h.processesIn(data)
	refusal(t, err, runfile.NotLocal, "no PostgreSQL process has the working directory "+data)
}

func TestAServerThatIsGoneIsLookedForAgain(t *testing.T) {
	h, data := account(t)
	p, err := h.processesIn(filepath.Join(data, "data"))
	if err != nil {
		t.Fatal(err)
	}
	for _, pid := range []string{"200", "202"} { // and another postmaster, 201
		if err := os.RemoveAll(filepath.Join(h.proc, pid)); err != nil {
			t.Fatal(err)
		}
	}
	_, err = p.read()
	refusal(t, err, runfile.Failed, "cannot read the server's process 200")
	children := filepath.Join(h.proc, "201", "task", "201")
	if err := os.MkdirAll(children, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(children, "children"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if got, err := p.read(); err != nil || got["block.process/syscw"] != 20 {
		t.Errorf("%v, %v", got, err)
	}
}

// The postmaster's account takes over a child that has ended; here it is lost, and the others remain.
func TestAChildThatEndsIsNoError(t *testing.T) {
	h, data := account(t)
	p, err := h.processesIn(filepath.Join(data, "data"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(filepath.Join(h.proc, "202")); err != nil {
		t.Fatal(err)
	}
	if got, err := p.read(); err != nil || got["block.process/syscw"] != 1020 {
		t.Errorf("%v, %v", got, err)
	}
}

func TestRemedies(t *testing.T) {
	check := func(metric string, why error, want string) {
		t.Helper()
		if got := Remedy(gapIn(metric, why)).Text; got != want {
			t.Errorf("%s, %v: %q, want %q", metric, why, got, want)
		}
	}
	check("block.process/wchar", hiddenProcesses(), "run realiops as the server's user, or as root")
	check("block.process/wchar", errUnrest, "")
	check("block/writes", layout.ErrHidden, "") // which names the remedy itself
}

func TestControlGroups(t *testing.T) {
	h, _ := account(t)
	check := func(version string, want map[string]float64, devices ...string) {
		t.Helper()
		c, err := h.cgroupOf(200, devices)
		if err != nil {
			t.Fatal(err)
		}
		got, err := c.read()
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("%s, %v (-want +got):\n%s", version, err, diff)
		}
	}
	counts := func(reads, readBytes, writes, writeBytes float64) map[string]float64 {
		return map[string]float64{
			"block.cgroup/reads": reads, "block.cgroup/read_bytes": readBytes,
			"block.cgroup/writes": writes, "block.cgroup/write_bytes": writeBytes,
		}
	}
	check("1", counts(5, 20480, 70, 573440), "vda")
	check("1 on two devices", counts(105, 430080, 270, 1392640), "vda", "vdb")
	c, err := h.cgroupOf(200, []string{"vda", "vdc"})
	if err != nil {
		t.Fatal(err)
	}
	_, err = c.read()
	refusal(t, err, runfile.Unsupported, "count only devices with a limit")

	_, err = h.cgroupOf(400, []string{"vda"})
	refusal(t, err, runfile.Unsupported, "no control group of its own")

	unmount(t, h, "cgroup rw,blkio")
	check("2", counts(192, 1459200, 353, 314773504), "vda")
	check("2 on two devices", counts(193, 1463296, 355, 314781696), "vda", "vdb")
	check("2 on a device that was not used", counts(0, 0, 0, 0), "vdc")
	stat := filepath.Join(h.sys, "fs/cgroup/unified/system.slice/pg.service/io.stat")
	if err := os.Remove(stat); err != nil {
		t.Fatal(err)
	}
	if c, err = h.cgroupOf(200, []string{"vda"}); err != nil {
		t.Fatal(err)
	}
	_, err = c.read()
	refusal(t, err, runfile.Unsupported, "cgroup.subtree_control lacks io")

	unmount(t, h, "cgroup2")
	_, err = h.cgroupOf(200, []string{"vda"})
	refusal(t, err, runfile.Unsupported, "no control groups")
}

// unmount removes the mounts whose lines contain words from the table.
func unmount(t *testing.T, h host, words string) {
	t.Helper()
	path := filepath.Join(h.proc, "self", "mountinfo")
	table, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var rest strings.Builder
	for line := range strings.Lines(string(table)) {
		if !strings.Contains(line, words) {
			rest.WriteString(line)
		}
	}
	if err := os.WriteFile(path, []byte(rest.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}
