package main

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
)

// trial runs programs for Linux and compares them with the one for this machine.
type trial struct {
	version string
	server  string // the URL of a running server
	report  string // the report on a run by the program for this machine
}

// shipped is a run that comes with the source.
const shipped = "testdata/runs/loads-pg17.jsonl"

// startTrial builds the program for this machine and has it start a server, which ends with ctx.
func (r release) startTrial(ctx context.Context, directory string) (t trial, ended func() error, err error) {
	program := filepath.Join(directory, "here", "realiops")
	if err := r.build(ctx, target{runtime.GOOS, runtime.GOARCH}, program); err != nil {
		return t, nil, err
	}
	t.version = r.version
	if t.report, err = output(ctx, r.root, program, "report", shipped); err != nil {
		return t, nil, err
	}
	server := exec.CommandContext(ctx, program, "server")
	server.Cancel = func() error { return server.Process.Signal(os.Interrupt) }
	var said bytes.Buffer
	server.Stderr = &said
	out, err := server.StdoutPipe()
	if err != nil {
		return t, nil, err
	}
	if err := server.Start(); err != nil {
		return t, nil, err
	}
	ended = func() error {
		if err := server.Wait(); err != nil && ctx.Err() == nil {
			return fmt.Errorf("the server for the trial: %w\n%s", err, &said)
		}
		return nil
	}
	lines := bufio.NewScanner(out)
	if !lines.Scan() {
		return t, nil, cmp.Or(ended(), errors.New("the trial server printed no address"))
	}
	t.server = lines.Text()
	return t, ended, nil
}

// try runs a program, by the kernel's emulation (binfmt_misc) for another architecture: its children must run, too.
// Its version, its report on the shipped run and its load on the server must be the same as here.
func (t trial) try(ctx context.Context, root string, of target, program string) error {
	for _, one := range []struct {
		args []string
		says string
	}{
		{[]string{"version"}, "realiops " + t.version + ", "},
		{[]string{"report", shipped}, t.report},
		{[]string{"load", "--initialize", "--quiet", t.server}, ""},
		{[]string{"load", "--client=2", "--transactions=20", t.server},
			"number of transactions actually processed: 40/40"},
	} {
		said, err := output(ctx, root, program, one.args...)
		if errors.Is(err, syscall.ENOEXEC) {
			return fmt.Errorf("try the program for %s: %w; have the kernel emulate it (Debian: qemu-user-static and "+
				"binfmt-support)", of, err)
		}
		if err != nil {
			return fmt.Errorf("try the program for %s: %w", of, err)
		}
		if !strings.Contains(said, one.says) {
			return fmt.Errorf("try the program for %s: realiops %s says\n%s\nand not\n%s", of,
				strings.Join(one.args, " "), said, one.says)
		}
	}
	return nil
}

func output(ctx context.Context, root, name string, args ...string) (string, error) {
	c := exec.CommandContext(ctx, name, args...)
	c.Dir = root
	said, err := c.Output()
	if failed, is := errors.AsType[*exec.ExitError](err); is {
		err = fmt.Errorf("%s %s: %w\n%s", name, strings.Join(args, " "), err, failed.Stderr)
	}
	return string(said), err
}
