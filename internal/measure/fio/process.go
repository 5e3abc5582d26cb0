package fio

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"

	"github.com/realiops/realiops/internal/measure/supervisor"
	"github.com/realiops/realiops/internal/printable"
)

// grace is the time fio gets to end in order after it is asked to.
const grace = 5 * time.Second

// late is the time beyond its job's after which fio is taken to hang.
const late = time.Minute

// ErrStopped is the error of [Directory.Run] for a job that was asked to end before its time.
var ErrStopped = errors.New("the job was stopped")

// Run does a job on its files and hands over its status each second. The last is returned, which for a job that was
// stopped (the context ended with [ErrStopped] as the cause) or interrupted is as far as it came.
func (d *Directory) Run(ctx context.Context, p Program, j Job, heed func(Status)) (Status, error) {
	limited, cancel := context.WithTimeoutCause(ctx, j.Runtime+late,
		fmt.Errorf("fio does not end, %s after its time", printable.Duration(late)))
	defer cancel()
	return d.run(limited, p, j, heed)
}

// run starts fio with a job file in the directory, in a process group of its own, which the terminal's keys do not
// reach.
func (d *Directory) run(ctx context.Context, p Program, j Job, heed func(Status), front ...Option) (Status, error) {
	path := filepath.Join(d.Path, "job.fio")
	if err := os.WriteFile(path, []byte(j.file(d.Path, front...)), 0o600); err != nil {
		return Status{}, fmt.Errorf("write the job file: %w", err)
	}
	c := exec.CommandContext(ctx, p.Path, "--output-format=json+", "--status-interval=1", "--eta=never", path)
	c.Dir = d.Path
	c.Env = append(os.Environ(), "LC_ALL=C", "TMPDIR="+d.Path)
	c.ExtraFiles = []*os.File{d.lock}
	c.SysProcAttr = supervisor.Attributes(syscall.SIGINT)
	c.Cancel = func() error { return supervisor.Signal(-c.Process.Pid, syscall.SIGINT) }
	c.WaitDelay = grace
	var complaints strings.Builder
	c.Stderr = &complaints
	out, err := c.StdoutPipe()
	if err != nil {
		return Status{}, err
	}
	runtime.LockOSThread() // which fio must not outlive
	defer runtime.UnlockOSThread()
	if err := c.Start(); err != nil {
		return Status{}, fmt.Errorf("start fio: %w", err)
	}
	defer d.supervisor.Hold(supervisor.Item{Process: &supervisor.Process{
		Name: "fio", ID: -c.Process.Pid, Directory: d.Path, Steps: []supervisor.Step{
			{Signal: syscall.SIGKILL, Patience: 10 * time.Second}},
	}})()
	var last Status
	messages := statusesIn(out, func(s Status) { last = s; heed(s) })
	err = c.Wait()
	if ctx.Err() != nil {
		_ = supervisor.Signal(-c.Process.Pid, syscall.SIGKILL) // of its group, whatever did not heed the request
	}
	return last, verdict(ctx, err, last, append(messages, strings.Split(complaints.String(), "\n")...))
}

// verdict is why a job has no whole result.
func verdict(ctx context.Context, err error, last Status, messages []string) error {
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	message := complaint(messages)
	exit, ended := errors.AsType[*exec.ExitError](err)
	switch {
	case err == nil && last.Error == 0 && !last.At.IsZero():
		return nil
	case err == nil && last.At.IsZero():
		return fmt.Errorf("fio gave no result%s", message)
	case ended && exit.Sys().(syscall.WaitStatus).Signaled():
		return fmt.Errorf("fio was killed (%v)%s", exit, message)
	case last.Error != 0:
		return fmt.Errorf("fio failed: %w%s", syscall.Errno(last.Error), message)
	default:
		return fmt.Errorf("fio failed (%w)%s", err, message)
	}
}

// complaint returns the line in which fio says what is wrong: one that speaks of an error, or else any.
func complaint(messages []string) string {
	for _, tells := range []string{"err", "fio: ", ""} {
		for _, m := range messages {
			m = strings.TrimSpace(m)
			if m != "" && strings.Contains(m, tells) && !strings.Contains(m, "terminating on signal") {
				return ": " + strings.TrimPrefix(m, "fio: ")
			}
		}
	}
	return ""
}
