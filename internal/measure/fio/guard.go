package fio

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/realiops/realiops/internal/measure/scratch"
)

// GuardCommand is the argument that makes this program a guard.
const GuardCommand = "guard"

// IsGuard tells whether a process with those arguments, the program's name first, is to call [Guard] and nothing else.
func IsGuard(args []string) bool { return len(args) == 2 && args[1] == GuardCommand }

// word is what a guard is told.
type word struct {
	Directory string `json:"directory,omitempty"` // to guard; the first word
	Group     int    `json:"group,omitempty"`     // of processes, of the fio that was started last
}

// Guard is the life of a guard: it outlives realiops, whose end is that of in, ends a fio that is left and removes the
// directory. Where realiops has cleared up itself there is nothing to do.
func Guard(in io.Reader) error {
	ignored := make(chan os.Signal, 1) // meant for realiops, whose end is told by in
	signal.Notify(ignored, os.Interrupt, syscall.SIGHUP, syscall.SIGQUIT, syscall.SIGPIPE, syscall.SIGTERM)
	words, group := json.NewDecoder(in), 0
	var first word
	if err := words.Decode(&first); err != nil || !ours(first.Directory) {
		return fmt.Errorf("%s is for realiops itself", GuardCommand)
	}
	for {
		var next word
		if err := words.Decode(&next); err != nil {
			return reclaim(first.Directory, group)
		}
		group = next.Group
	}
}

// ours tells whether a path may be one of our directories, so that nothing else is ever removed.
func ours(path string) bool {
	matched, err := filepath.Match(prefix+"*", filepath.Base(path))
	return err == nil && matched && filepath.IsAbs(path)
}

// reclaim removes a directory when its fio has ended, which it is made to. Its lock tells that the group is still its
// own, and not of others that were given the number since.
func reclaim(path string, group int) error {
	for range 100 { // 10 seconds
		free, release, err := scratch.Free(path)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if free {
			err = os.RemoveAll(path)
			release()
			return err
		}
		if err == nil && group > 0 {
			_ = unix.Kill(-group, unix.SIGKILL)
		}
		time.Sleep(100 * time.Millisecond)
	}
	return fmt.Errorf("%s is still in use", path)
}

// guard is the other side: the process as realiops holds it.
type guard struct {
	command *exec.Cmd
	words   *json.Encoder
	in      io.Closer
}

// ownProgram is this very program, also when its file has been removed or replaced.
func ownProgram() (string, error) {
	const self = "/proc/self/exe"
	if _, err := os.Stat(self); err == nil {
		return self, nil
	}
	return os.Executable()
}

func post(directory string) (*guard, error) {
	program, err := ownProgram()
	if err != nil {
		return nil, fmt.Errorf("find our own program: %w", err)
	}
	c := exec.Command(program, GuardCommand)
	c.Args[0] = os.Args[0]
	c.Dir = "/"
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	in, err := c.StdinPipe()
	if err != nil {
		return nil, err
	}
	if err := c.Start(); err != nil {
		return nil, fmt.Errorf("start a guard for %s: %w", directory, err)
	}
	g := &guard{command: c, words: json.NewEncoder(in), in: in}
	return g, g.words.Encode(word{Directory: directory})
}

// dismiss lets the guard go: what there was to remove is gone, or it does that.
func (g *guard) dismiss() error { return errors.Join(g.in.Close(), g.command.Wait()) }
