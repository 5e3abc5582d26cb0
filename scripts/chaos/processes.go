//go:build linux

package main

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"syscall"
	"time"

	"github.com/realiops/realiops/internal/test/process"
)

// processes are killed, stopped, asked to end, and short of the system's resources.
func processes() []Fault {
	return in("process", slices.Concat(killed(), asked(), halted(), short(), starved(), measured("process"))...)
}

// randomly returns a random moment within a span, the same in each suite.
func randomly(seed uint64, span time.Duration) moment {
	r := rand.New(rand.NewPCG(22, seed)) //nolint:gosec // reproducible
	return after(time.Duration(r.Int64N(int64(span))).Round(10 * time.Millisecond))
}

func killed() (all []Fault) {
	for i := range uint64(5) {
		own, on := randomly(i, 12*time.Second), randomly(100+i, 12*time.Second)
		all = append(all,
			Fault{Name: fmt.Sprintf("`run` of its own server, killed after %v", own.plus), Prepare: longRun(),
				When: own, Strike: signal(syscall.SIGKILL, program), Status: -1},
			Fault{Name: fmt.Sprintf("`run --dsn` killed after %v", on.plus), Prepare: theirs(longRun()), When: on,
				Strike: signal(syscall.SIGKILL, program), Status: -1, Stays: true})
	}
	for i := range uint64(3) {
		when := moment{text: underLoad.text, plus: randomly(200+i, 8*time.Second).plus}
		all = append(all, Fault{Name: fmt.Sprintf("`run --dsn`, a worker of whose load is killed %v into it", when.plus),
			Prepare: theirs(longRun()), When: when, Strike: signal(syscall.SIGKILL, worker), Status: 2, Says: "killed"},
			Fault{Name: fmt.Sprintf("`run`, whose supervisor is killed %v into the load, and then itself", when.plus),
				Prepare: longRun(), When: when,
				Strike: signal(syscall.SIGKILL, supervised).and(pause(2*time.Second), signal(syscall.SIGKILL, program)),
				Status: -1})
	}
	kill := signal(syscall.SIGKILL, program)
	return append(all,
		Fault{Name: "`run`, whose supervisor is killed", Prepare: runs(), When: underLoad,
			Strike: signal(syscall.SIGKILL, supervised)},
		Fault{Name: "`run`, whose PostgreSQL is killed", Prepare: longRun(), When: underLoad, Strike: killPostgres,
			Status: 2, Says: "the server died"},
		Fault{Name: "a run after one that was killed, and left its schema", Prepare: theirs(runs()), When: after(0),
			Strike: nothing, Within: 2 * time.Minute},
		Fault{Name: "`observe` killed", Prepare: theirs(observes()), When: reading, Strike: kill, Status: -1},
		Fault{Name: "`load` killed", Prepare: theirs(loads("20")), When: moment{text: "progress:"},
			Strike: kill, Status: -1},
		Fault{Name: "`load`, a worker of which is killed", Prepare: theirs(loads("20")),
			When: moment{text: "progress:"}, Strike: signal(syscall.SIGKILL, worker), Status: 2,
			Says: "Run was aborted"},
		Fault{Name: "`server` killed", Prepare: plain("server"), When: moment{text: "postgres://"},
			Strike: kill, Status: -1},
		Fault{Name: "`server`, whose PostgreSQL is killed", Prepare: plain("server"), When: moment{text: "postgres://"},
			Strike: killPostgres, Status: 2, Says: "died"},
		Fault{Name: "`doctor` of its own server, killed", Prepare: plain("doctor"), When: moment{server: true},
			Strike: kill, Status: -1},
		Fault{Name: "`run` of its own server, all of whose processes are killed at once, and the next server",
			Prepare: longRun(), When: underLoad, Strike: killAll.and(nextServer), Status: -1, Within: 2 * time.Minute},
		Fault{Name: "`server`, all of whose processes are killed at once, and the next server",
			Prepare: plain("server"), When: moment{text: "postgres://"},
			Strike: killAll.and(nextServer), Status: -1, Within: 2 * time.Minute},
		Fault{Name: "`measure`, all of whose processes are killed at once, and the next one", Prepare: measuresLong,
			When: moment{text: "measured now"}, Strike: killAll.and(nextServer), Status: -1, Within: 2 * time.Minute},
		Fault{Name: "`baseline` killed", Prepare: baseline, When: moment{text: `"kind":"read"`},
			Strike: kill, Status: -1},
	)
}

func nothing(*scene) error { return nil }

func baseline(p *place) ([]string, error) {
	return []string{"baseline", "--yes", "--dir", p.path(temp), "--size", "64M", "--runtime", "5s", "-o", record,
		"--progress", "none"}, nil
}

// measuresLong is a long measurement on the command's own server.
func measuresLong(*place) ([]string, error) {
	return []string{"measure", "-r", "1", "--", "sh", "-c", "echo measured now; sleep 60"}, nil
}

// killAll kills the command and all its children together: each is stopped first, so that none notices another's end.
var killAll strike = func(s *scene) error {
	own := s.command.Process.Pid
	if err := syscall.Kill(own, syscall.SIGSTOP); err != nil {
		return err
	}
	all := process.Descendants(own)
	for _, pid := range all {
		_ = syscall.Kill(pid, syscall.SIGSTOP) // children that it started in between are found below
	}
	all = append(process.Descendants(own), own)
	for _, pid := range all {
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
	s.command.Wait()
	return nil
}

// nextServer measures on a new server, which cleans up after others.
func nextServer(s *scene) error {
	c := exec.Command(s.program, "measure", "-q", "-r", "1", "--warmup", "0", "--sql", "select 1") //nolint:gosec // ours
	c.Dir, c.Env = s.dir, s.command.Env
	if out, err := c.CombinedOutput(); err != nil {
		return fmt.Errorf("the next measurement: %w: %s", err, out)
	}
	return nil
}

// killPostgres kills the server that the command has started, at any depth below it.
func killPostgres(s *scene) error {
	pid, runs := s.postgres()
	if !runs {
		return errors.New("the command has no server")
	}
	return syscall.Kill(pid, syscall.SIGKILL)
}

func (s *scene) postgres() (pid int, runs bool) {
	for _, pid := range process.Descendants(s.command.Process.Pid) {
		name, _ := os.ReadFile(fmt.Sprintf("/proc/%d/comm", pid))
		if string(name) == "postgres\n" {
			return pid, true
		}
	}
	return 0, false
}

// asked are commands that are asked to end, in every way.
func asked() (all []Fault) {
	for _, by := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT} {
		name := map[syscall.Signal]string{syscall.SIGINT: "Ctrl-C", syscall.SIGTERM: "SIGTERM",
			syscall.SIGHUP: "SIGHUP", syscall.SIGQUIT: `Ctrl-\`}[by]
		end := signal(by, group)
		all = append(all,
			Fault{Name: "`run` and " + name, Prepare: longRun(), When: underLoad, Strike: end, Status: 2,
				Says: "stopped by SIG", Marks: "The run was interrupted"},
			Fault{Name: "`run --dsn` and " + name, Prepare: theirs(longRun()), When: underLoad, Strike: end, Status: 2,
				Says: "stopped by SIG", Marks: "The run was interrupted"},
			Fault{Name: "`run --dsn` and " + name + " before anything is measured", Prepare: theirs(longRun()),
				When: moment{made: true}, Strike: end, Status: 1, Says: "stopped by SIG"},
			Fault{Name: "`observe` and " + name, Prepare: theirs(observes()), When: reading, Strike: end},
			Fault{Name: "`load` and " + name, Prepare: theirs(loads("20")), When: moment{text: "progress:"},
				Strike: end, Status: 2, Says: "Run was interrupted"},
			Fault{Name: "`server` and " + name, Prepare: plain("server"), When: moment{text: "postgres://"},
				Strike: end},
			Fault{Name: "`baseline` and " + name, Prepare: baseline, When: moment{text: `"kind":"read"`}, Strike: end,
				Status: 2, Says: "stopped by SIG", Marks: "interrupted"},
		)
	}
	twice := signal(syscall.SIGINT, group).and(signal(syscall.SIGTERM, group))
	return append(all,
		Fault{Name: "`run` interrupted twice", Prepare: longRun(), When: underLoad, Strike: twice, Status: -1,
			Says: "ended at once"},
		Fault{Name: "`run --dsn` interrupted twice", Prepare: theirs(longRun()), When: underLoad, Strike: twice,
			Status: -1, Says: "ended at once: the schema realiops may stay", Stays: true},
		Fault{Name: "`observe` interrupted twice", Prepare: theirs(observes()), When: reading, Strike: twice,
			Status: -1, Says: "ended at once"},
	)
}

// halted are processes that are stopped for a while.
func halted() []Fault {
	still := func(whom string, d time.Duration) strike {
		return signal(syscall.SIGSTOP, whom).and(pause(d), signal(syscall.SIGCONT, whom))
	}
	return []Fault{
		{Name: "`run --dsn` stopped for 7 s, and its workers with it", Prepare: theirs(runs()), When: underLoad,
			Strike: still(group, 7*time.Second), Marks: "stood still"},
		{Name: "`run --dsn` stopped for 7 s while its workers go on", Prepare: theirs(runs()), When: underLoad,
			Strike: still(program, 7*time.Second), Marks: "stood still"},
		{Name: "`run --dsn`, only a worker of which is stopped for 7 s", Prepare: theirs(runs()), When: underLoad,
			Strike: still(worker, 7*time.Second), Marks: "stood still"},
		{Name: "`run`, whose supervisor is stopped for 7 s", Prepare: runs(), When: underLoad,
			Strike: still(supervised, 7*time.Second)},
		{Name: "`observe` stopped for 4 s", Prepare: theirs(observing("10s")), When: reading,
			Strike: still(program, 4*time.Second)},
		{Name: "`load` stopped for 4 s, and its workers with it", Prepare: theirs(loads("4")),
			When: after(2 * time.Second), Strike: still(group, 4*time.Second)},
	}
}

// short are commands with too little of a system's resources.
func short() (all []Fault) {
	for name, command := range map[string]prepare{"run": theirs(runs()), "observe": theirs(observes()),
		"load": theirs(loads("2")), "doctor": theirs(plain("doctor"))} {
		all = append(all, Fault{Name: "`" + name + "` with 8 file descriptors", Prepare: within("-n 8", command),
			Status: 1, Says: "too many open files"})
	}
	return append(all,
		Fault{Name: "`run` of its own server with 12 file descriptors", Prepare: within("-n 12", runs()), Status: 1,
			Says: "too many open files"},
		Fault{Name: "`run --dsn` into a file that may have 64 kB", Prepare: within("-f 128", theirs(longRun())),
			Status: 2, Says: "file too large"},
		Fault{Name: "`observe` into a file that may have 64 kB", Prepare: within("-f 128", theirs(observing("30s"))),
			Status: 2, Says: "file too large"},
	)
}
