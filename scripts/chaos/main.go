// Command chaos does to realiops what production does, and holds four promises against it: nothing that was measured is lost,
// nothing is left behind, one clear line tells and the status is the right one, and no number goes unmarked.
//
//	chaos [-class CLASS] [-o DIRECTORY]
//
// Each fault is a row of a table: a command, what is done to it, and what must be so. It prints the table with what came of
// it, as docs/reliability.md has it, and ends with 1 if a promise was broken.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

func main() {
	class := flag.String("class", "", "only this class of faults")
	flag.Parse()
	if err := run(*class); err != nil {
		fmt.Fprintln(os.Stderr, "chaos:", err)
		os.Exit(1)
	}
}

func run(class string) error {
	work, err := os.MkdirTemp("", "realiops-chaos-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	program := filepath.Join(work, "realiops")
	if out, err := exec.Command("go", "build", "-o", program, "./cmd/realiops").CombinedOutput(); err != nil {
		return fmt.Errorf("build realiops: %w: %s", err, out)
	}
	runs, err := filepath.Abs(filepath.Join("testdata", "runs"))
	if err != nil {
		return err
	}
	broken := 0
	fmt.Println("| class | fault | status | it says | |\n|---|---|---|---|---|")
	for i, f := range faults() {
		if class != "" && f.Class != class {
			continue
		}
		place := &place{dir: filepath.Join(work, fmt.Sprint(i)), program: program, runs: runs}
		said, problems := f.try(place)
		mark := "kept"
		if len(problems) > 0 {
			broken++
			mark = "**broken**: " + strings.Join(problems, "; ")
		}
		fmt.Printf("| %s | %s | %d | %s | %s |\n", f.Class, f.Name, f.Status, strings.ReplaceAll(said, "|", `\|`), mark)
	}
	if broken > 0 {
		return fmt.Errorf("%d promises were broken", broken)
	}
	return nil
}

func faults() []Fault {
	return slices.Concat(inputs(), limits(), secrets(), disks(), network(), clouds())
}

// Fault is something that goes wrong, over one command.
type Fault struct {
	Class string // process, disk, server, network, cloud, strangers, settings, inputs, limits
	Name  string
	// Prepare makes what the command meets, in a directory of its own, and gives the command.
	Prepare func(*place) ([]string, error)
	Status  int
	Says    string // a part of the one line on standard error; empty: nothing is said
	Never   string // must not be printed anywhere
	// Within bounds how long it may take, a minute where it is not set; Interrupt is when Ctrl-C is pressed, if it is.
	Within, Interrupt time.Duration
	MemoryMB          int64 // that it may take at most; 300 where it is not set
}

// place is where a fault happens.
type place struct{ dir, program, runs string }

func (p *place) path(name string) string { return filepath.Join(p.dir, name) }

// try runs the command and says which promises were broken.
func (f Fault) try(p *place) (said string, broken []string) {
	if err := os.MkdirAll(p.dir, 0o700); err != nil {
		return "", []string{err.Error()}
	}
	args, err := f.Prepare(p)
	if err != nil {
		return "", []string{"prepare: " + err.Error()}
	}
	before, err := listing(p.dir)
	if err != nil {
		return "", []string{err.Error()}
	}
	out := f.command(p, args)
	said = strings.TrimSpace(out.stderr)
	check := func(kept bool, format string, values ...any) {
		if !kept {
			broken = append(broken, fmt.Sprintf(format, values...))
		}
	}
	check(out.status == f.Status, "status %d", out.status)
	check(strings.Contains(said, f.Says) && (f.Says != "" || said == ""), "says %.200q", said)
	check(strings.Count(said, "\n") == 0, "says it in %d lines", 1+strings.Count(said, "\n"))
	check(f.Never == "" || !strings.Contains(out.stdout+out.stderr, f.Never), "prints what must not be printed")
	check(out.memoryMB <= max(f.MemoryMB, 300) || f.MemoryMB > 0 && out.memoryMB <= f.MemoryMB, "takes %d MB", out.memoryMB)
	check(!out.late, "takes longer than %v", f.within())
	after, err := listing(p.dir)
	check(err == nil && slices.Equal(before, after), "leaves %v", after)
	return strings.ReplaceAll(said, p.dir+"/", ""), broken
}

func (f Fault) within() time.Duration {
	if f.Within == 0 {
		return time.Minute
	}
	return f.Within
}

type outcome struct {
	status         int
	stdout, stderr string
	memoryMB       int64
	late           bool
}

func (f Fault) command(p *place, args []string) outcome {
	ctx, cancel := context.WithTimeout(context.Background(), f.within())
	defer cancel()
	cmd := exec.CommandContext(ctx, p.program, args...) //nolint:gosec // what the table says
	var stdout, stderr strings.Builder
	cmd.Dir, cmd.Stdout, cmd.Stderr = p.dir, &stdout, &stderr
	cmd.Env = append(os.Environ(), "PGHOST=127.0.0.1", "PGPORT=1", "AWS_EC2_METADATA_DISABLED=true")
	err := cmd.Start()
	if err == nil && f.Interrupt > 0 {
		time.AfterFunc(f.Interrupt, func() { _ = cmd.Process.Signal(os.Interrupt) })
	}
	if err == nil {
		err = cmd.Wait()
	}
	o := outcome{stdout: stdout.String(), stderr: stderr.String(), late: ctx.Err() != nil, status: -1}
	if cmd.ProcessState != nil {
		o.status, o.memoryMB = cmd.ProcessState.ExitCode(), memoryOf(cmd.ProcessState)
	} else if err != nil {
		o.stderr = err.Error()
	}
	return o
}

// listing is what lies in a directory, with its sizes: what is measured stays, and nothing comes.
func listing(dir string) (all []string, err error) {
	err = filepath.Walk(dir, func(path string, info os.FileInfo, err error) error {
		if err == nil && !info.IsDir() {
			all = append(all, fmt.Sprintf("%s %d", strings.TrimPrefix(path, dir), info.Size()))
		}
		return err
	})
	return all, err
}
