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

// grace is how long fio may take to end cleanly when asked to.
const grace = 5 * time.Second

// late is how long after its job's end fio counts as hanging.
const late = time.Minute

// ErrStopped is the error of [Directory.Run] for a job that was stopped early.
var ErrStopped = errors.New("the job was stopped")

// Run runs a job on its files, passes its status to heed each second, and returns the last one. A job that was
// interrupted, or stopped by a context with the cause [ErrStopped], returns its status so far.
func (d *Directory) Run(ctx context.Context, p Program, j Job, heed func(Status)) (Status, error) {
	limited, cancel := context.WithTimeoutCause(ctx, j.Runtime+late,
		fmt.Errorf("fio is still running %s after its time", printable.Duration(late)))
	defer cancel()
	return d.run(limited, p, j, heed)
}

// run starts fio with a job file in the directory, in its own process group, so that the
// terminal's keys do not reach it.
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
	runtime.LockOSThread() // fio must not outlive it
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
		_ = supervisor.Signal(-c.Process.Pid, syscall.SIGKILL) // the rest of its group
	}
	return last, verdict(ctx, err, last, append(messages, strings.Split(complaints.String(), "\n")...))
}

// verdict returns why a job has no complete result.
func verdict(ctx context.Context, err error, last Status, messages []string) error {
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	message := complaint(messages)
	switch exit, ended := errors.AsType[*exec.ExitError](err); {
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

// complaint returns fio's line about an error, or else any line.
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
