//go:build linux

package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/realiops/realiops/internal/test/process"
)

// memoryOf returns a process's peak memory in MB. Linux counts kilobytes.
func memoryOf(s *os.ProcessState) int64 {
	if usage, ok := s.SysUsage().(*syscall.Rusage); ok {
		return usage.Maxrss / 1000
	}
	return 0
}

// starved are commands and servers that run out of memory.
func starved() []Fault {
	const has = 400 << 20 // bytes, for the command and its children
	short := toServer((*server).exhaust).and(pauseAnyway(3*time.Second), toServer((*server).replenish))
	return []Fault{
		{Name: "`run` of its own server, ended by the kernel as its control group is out of memory",
			Prepare: grouped(has, longRun()), When: underLoad, Strike: takeMemory, Status: -1},
		{Name: "`run --dsn`, ended by the kernel as its control group is out of memory",
			Prepare: grouped(has, theirs(longRun())), When: underLoad, Strike: takeMemory, Status: -1, Stays: true},
		{Name: "`observe`, ended by the kernel as its control group is out of memory",
			Prepare: grouped(has, theirs(observing("30s"))), When: reading, Strike: takeMemory, Status: -1},
		{Name: "`run`, whose server is out of memory for 3 s", Prepare: theirs(planned(tenSeconds)), When: underLoad,
			Strike: short, Within: 2 * time.Minute},
		{Name: "`observe`, whose server is out of memory for 3 s", Prepare: theirs(observing("10s")), When: reading,
			Strike: short},
		{Name: "`load`, whose server is out of memory for 3 s", Prepare: theirs(loads("10", "-C")),
			When: moment{text: "progress:"}, Strike: short, Status: 2, Says: "realiops:"},
	}
}

// grouped runs the command in a control group with a memory limit.
func grouped(bytes int, command prepare) prepare {
	return first(func(p *place) error {
		if err := asRoot(); err != nil {
			return err
		}
		p.group = filepath.Join("/sys/fs/cgroup/memory", filepath.Base(p.dir)+"-"+strconv.Itoa(os.Getpid()))
		if err := os.Mkdir(p.group, 0o755); err != nil { //nolint:gosec // the kernel's
			p.group = ""
			return skipped("there is no control group to be had: " + err.Error())
		}
		p.atEnd(p.disband)
		return os.WriteFile(filepath.Join(p.group, "memory.limit_in_bytes"), []byte(strconv.Itoa(bytes)), 0o600)
	}, command)
}

// disband removes the control group, once its processes have ended.
func (p *place) disband() error {
	left := eventually(func() []string {
		if err := os.Remove(p.group); err != nil {
			return []string{err.Error()}
		}
		return nil
	})
	if left != nil {
		return errors.New(strings.Join(left, "; "))
	}
	return nil
}

// takeMemory uses up the memory of the command's control group. The kernel then kills the command.
func takeMemory(s *scene) error {
	pid := s.command.Process.Pid
	if err := os.WriteFile(fmt.Sprintf("/proc/%d/oom_score_adj", pid), []byte("1000"), 0o600); err != nil {
		return err
	}
	hog := exec.Command("sh", "-c", `echo $$ > "$0/cgroup.procs" && exec tail /dev/zero`,
		s.group) //nolint:gosec // a path of ours
	if err := hog.Start(); err != nil {
		return err
	}
	s.others.Go(func() {
		s.command.Wait()
		_ = hog.Process.Kill()
		_ = hog.Wait()
	})
	return nil
}

// exhaust leaves the server, and each session that it has or starts, with hardly more address space than the postmaster
// has now.
func (s *server) exhaust() error {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", s.pid()))
	if err != nil {
		return err
	}
	pages, err := strconv.Atoi(strings.Fields(string(text))[0])
	if err != nil {
		return err
	}
	const more = 64 << 10
	return s.limitMemory(strconv.Itoa(pages*os.Getpagesize() + more))
}

// replenish takes the limit away.
func (s *server) replenish() error { return s.limitMemory("unlimited") }

func (s *server) limitMemory(most string) error {
	owner, err := ownerOf(s.data)
	if err != nil {
		return err
	}
	for _, pid := range append([]int{s.pid()}, process.Children(s.pid())...) {
		c := exec.Command("prlimit", "--pid", strconv.Itoa(pid), "--as="+most+":") //nolint:gosec // a number
		c.SysProcAttr = owner                                                      // who alone may
		if out, err := c.CombinedOutput(); err != nil && syscall.Kill(pid, 0) == nil {
			return fmt.Errorf("prlimit: %w: %s", err, out)
		}
	}
	return nil
}
