//go:build linux

package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"
	"time"
)

// disks are read-only, full, or fill up.
func disks() (all []Fault) {
	add := func(name, says string, prepare prepare) {
		all = append(all, Fault{Name: name, Prepare: prepare, Status: 1, Says: says})
	}
	for _, command := range []string{"run", "observe"} {
		add("`"+command+"` into a directory", "exists", plain(command, "--dsn", "postgres://u@127.0.0.1:1/x", "-o", "."))
		add("`"+command+"` over a file that is there", "exists",
			file("mine\n", command, "--dsn", "postgres://u@127.0.0.1:1/x", "-o", "%"))
		add("`"+command+"` into a directory that is made for it, on no server", "connection refused",
			plain(command, "--dsn", "postgres://u@127.0.0.1:1/x", "-o", "made/run.jsonl"))
	}
	add("`report` onto a full disk", "no space left", on("local-pg17.jsonl.zst", "report", "%", "-o", "/dev/full"))
	const run = "%/local-pg17.jsonl.zst"
	for _, args := range [][]string{{"report", run}, {"size", run}, {"compare", run, "%/local-pg15.jsonl.zst"},
		{"explain", "WriteIOPS"}} {
		add("`"+args[0]+"` whose output goes to a full disk", "no space left", printingTo("/dev/full", on("", args...)))
	}
	return in("disk", slices.Concat(all, filling(), onFullDisks(), measured("disk"))...)
}

// filling are small disks that fill up during a measurement.
func filling() []Fault {
	small := func(size string, command prepare) prepare {
		return first(func(p *place) error { return p.smallDisk("small", size) }, command)
	}
	to := []string{"-o", "small/" + record}
	return []Fault{
		{Name: "`run` into a disk that fills up", Prepare: small("64k", theirs(longRun(to...))), Status: 2,
			Says: "no space left", Within: 2 * time.Minute},
		{Name: "`observe` into a disk that fills up", Prepare: small("128k", theirs(observing("30s", to...))), Status: 2,
			Says: "no space left", Within: 2 * time.Minute},
		{
			Name: "`run` of its own server on a disk that fills up", Prepare: small("1200m",
				longRun("--allow-ram", "--data-dir", "small/data")), When: underLoad, Within: 2 * time.Minute,
			Strike: fill, Status: 2, Says: "No space left",
		},
		{Name: "`run` of its own server on a disk that is too small",
			Prepare: small("20m", longRun("--allow-ram", "--data-dir", "small/data")), Status: 1, Says: "free up space"},
		{Name: "`baseline` on a disk that is too small", Prepare: small("20m", plain("baseline", "--yes", "--allow-ram",
			"--dir", "small", "--size", "64M", "-o", record, "--progress", "none")), Status: 1, Says: "free some"},
		{Name: "`report` into a disk that is too small", Prepare: small("16k", on("local-pg17.jsonl.zst", "report", "%",
			"-o", "small/page.html")), Status: 1, Says: "no space left"},
		{Name: "`run`, whose file is removed", Prepare: theirs(runs()), When: underLoad, Strike: func(s *scene) error {
			s.kept = nil
			return os.Remove(s.path(record))
		}, Status: 2, Says: "realiops:"},
	}
}

// fill writes until the small disk is full.
func fill(s *scene) error {
	f, err := os.Create(s.path("small/full"))
	if err != nil {
		return err
	}
	defer f.Close()
	for err == nil {
		_, err = f.Write(make([]byte, 1<<20))
	}
	return nil // it is full
}

// smallDisk mounts a small file system.
func (p *place) smallDisk(name, size string) error {
	if err := asRoot(); err != nil {
		return err
	}
	at := p.path(name)
	if err := os.Mkdir(at, 0o700); err != nil {
		return err
	}
	if out, err := exec.Command("mount", "-t", "tmpfs", "-o", "mode=777,size="+size, "realiops-chaos",
		at).CombinedOutput(); err != nil {
		return skipped(fmt.Sprintf("mount: %s", out))
	}
	p.atEnd(func() error {
		if files, _ := filepath.Glob(at + "/*"); len(files) > 1 {
			return fmt.Errorf("leaves %v", files)
		}
		return syscall.Unmount(at, 0)
	})
	return nil
}
