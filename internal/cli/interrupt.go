package cli

import (
	"context"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/realiops/realiops/internal/measure/stopping"
)

// stopSignals ask a command to stop, keep what it has and report on it. So does a broken pipe: after «2>&1 | head» no
// more output is wanted, but objects on a server must be removed. See [outputBroken].
var stopSignals = []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT}

const (
	// patience is how long a command may take to stop before the user is told what it waits for.
	patience = 2 * time.Second
	// remindEvery is the interval of these messages.
	remindEvery = 5 * time.Second
	// together is how long the same signal belongs to the first: timeout(1) signals the process and its group, and
	// nobody types Ctrl-C twice as fast.
	together = 100 * time.Millisecond
	// lastWords bounds the message of a command that is ended immediately.
	lastWords = time.Second
)

// stoppable returns a context that the first signal ends. A second one ends the process, which says what it leaves.
func stoppable(tell func(string, ...any)) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(context.Background())
	ctx, stopped := stopping.With(ctx)
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, stopSignals...)
	pipes := make(chan os.Signal, 1) // separate: broken pipes of many sessions must not crowd out a Ctrl-C
	signal.Notify(pipes, syscall.SIGPIPE)
	ended, told := make(chan struct{}), map[string]bool{}
	go func() {
		defer signal.Stop(signals)
		defer signal.Stop(pipes)
		first, asked := firstStop(signals, pipes, ended, func() { tellLate(tell, stopped, told) })
		if !asked {
			return
		}
		cancel(&stoppedError{first})
		if again, insisted := secondStop(first, signals, ended, reminder(tell, stopped)); insisted {
			stopped.Kill()
			within(lastWords, func() { tell("realiops: ended at once%s", leaving(stopped)) })
			die(again)
		}
	}()
	return ctx, func() {
		cancel(nil)
		close(ended)
	}
}

// reminder returns a function that names what the command waits for. It may block as long
// as the terminal or pipe does.
func reminder(tell func(string, ...any), stopped *stopping.Command) func() {
	asked := time.Now()
	return func() {
		tell("realiops: stopping; waiting for %s (%.0f s so far). Interrupt again to end at once%s",
			stopped.Waits(), time.Since(asked).Seconds(), leaving(stopped))
	}
}

// secondStop reminds the user until the command ends or is asked to stop again.
func secondStop(first os.Signal, signals <-chan os.Signal, ended <-chan struct{}, remind func()) (again os.Signal,
	insisted bool) {
	asked, late := time.Now(), time.NewTimer(patience)
	defer late.Stop()
	reminded := make(chan struct{}, 1)
	for {
		select {
		case <-ended:
			return nil, false
		case <-late.C:
			go func() {
				remind()
				reminded <- struct{}{}
			}()
		case <-reminded:
			late.Reset(remindEvery)
		case again := <-signals:
			if again != first || time.Since(asked) > together {
				return again, true
			}
		}
	}
}

// within runs do and waits for it, at most d.
func within(d time.Duration, do func()) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		do()
	}()
	select {
	case <-done:
	case <-time.After(d):
	}
}

// tellLate tells the user, once for each, what keeps the command waiting.
func tellLate(tell func(string, ...any), command *stopping.Command, told map[string]bool) {
	for what, late := range command.Late() {
		if !told[what] {
			tell("realiops: waiting for %s (%.0f s so far)", what, late.Seconds())
			told[what] = true
		}
	}
}

// firstStop waits until the command is asked to stop, or ends. Meanwhile it looks every second.
func firstStop(signals, pipes <-chan os.Signal, ended <-chan struct{}, look func()) (first os.Signal, asked bool) {
	every := time.NewTicker(time.Second)
	defer every.Stop()
	looked := make(chan struct{}, 1) // a look may block as long as the terminal or pipe does
	looked <- struct{}{}
	for {
		select {
		case <-every.C:
			select {
			case <-looked:
				go func() {
					look()
					looked <- struct{}{}
				}()
			default:
			}
		case first := <-signals:
			return first, true
		case broken := <-pipes:
			if outputBroken(os.Stdout.Fd(), os.Stderr.Fd()) {
				return broken, true
			}
		case <-ended:
			return nil, false
		}
	}
}

// stoppedError names the signal that ended a context of stoppable. To programs it is context.Canceled.
type stoppedError struct{ by os.Signal }

func (e *stoppedError) Error() string {
	switch e.by {
	case os.Interrupt:
		return "stopped by SIGINT (Ctrl-C)"
	case syscall.SIGTERM:
		return "stopped by SIGTERM"
	case syscall.SIGHUP:
		return "stopped by SIGHUP (the terminal was closed)"
	case syscall.SIGPIPE:
		return "stopped, since nothing reads the output any more"
	case syscall.SIGQUIT:
		return `stopped by SIGQUIT (Ctrl-\)`
	default:
		return "stopped by a signal: " + e.by.String()
	}
}

func (e *stoppedError) Is(target error) bool { return target == context.Canceled } //nolint:errorlint // that very one

func leaving(stopped *stopping.Command) string {
	if left := stopped.Leaves(); left != "" {
		return ": " + left
	}
	return ""
}

// die ends the process by a signal with its default action.
func die(by os.Signal) {
	signal.Reset(by)
	if self, err := os.FindProcess(os.Getpid()); err == nil {
		_ = self.Signal(by)
	}
	select {}
}
