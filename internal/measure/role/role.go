// Package role starts this program again in another role: to clean up when the first process is gone, or
// to run a share of the clients.
//
// [Role.Command] prepares the process. [Main], which every main function calls first, tests included, plays the role
// that a process was started for. The two processes define what they exchange over the standard streams; this package
// ensures that both are of the same version, since a program can be replaced while it runs.
package role

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
)

// Role is a task for which this program starts itself.
type Role struct {
	Name string
	// Play runs the process. It returns an error if the role cannot be played.
	Play func(in io.Reader, out io.Writer) error
}

// marker is the environment variable with a process's role.
const marker = "REALIOPS_ROLE"

// Main plays the role for which the process was started, and returns its exit status. args begins with the program's
// name. If a user started the process, it does nothing.
func Main(args []string, roles ...Role) (status int, played bool) {
	wanted := os.Getenv(marker)
	if wanted == "" || len(args) != 3 || args[1] != wanted {
		return 0, false
	}
	_ = os.Unsetenv(marker) // children must not inherit it
	for _, r := range roles {
		if r.Name == wanted {
			return r.main(args[2]), true
		}
	}
	fmt.Fprintf(os.Stderr, "%s: unknown role %s\n", args[0], wanted)
	return 1, true
}

func (r Role) main(wanted string) int {
	var err error
	if here := version(); here != wanted {
		err = fmt.Errorf("realiops was replaced while running (%s by %s); start it again", wanted, here)
	} else {
		err = r.Play(os.Stdin, os.Stdout)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// Command prepares a process in that role. The process has its own session, out of reach of our terminal, and is
// killed when ctx ends. A process that has not called Main starts no other: it would start itself again and again.
func (r Role) Command(ctx context.Context) (*exec.Cmd, error) {
	if own := os.Getenv(marker); own != "" {
		return nil, fmt.Errorf("start a %s: this process was started as a %s, but its main function does not call "+
			"role.Main", r.Name, own)
	}
	program, err := own()
	if err != nil {
		return nil, err
	}
	c := exec.CommandContext(ctx, program, r.Name, version())
	c.Args[0] = os.Args[0]
	c.Env = append(os.Environ(), marker+"="+r.Name)
	c.SysProcAttr = apart()
	return c, nil
}

// own returns the program of this process. It does not guess by the name it was started with,
// which may lead to another program.
func own() (string, error) {
	const itself = "/proc/self/exe" // works even if its file was removed or replaced
	if _, err := os.Stat(itself); err == nil {
		return itself, nil
	}
	program, err := os.Executable()
	if err != nil && runtime.GOOS == "linux" {
		return "", errors.New("realiops needs /proc to find its own executable; mount it (mount -t proc proc /proc), " +
			"in a chroot too, and try again")
	}
	if err != nil {
		return "", fmt.Errorf("find realiops's own executable: %w", err)
	}
	return program, nil
}

// version identifies a build of this program.
func version() string {
	build, known := debug.ReadBuildInfo()
	if !known {
		return "unknown"
	}
	return build.Main.Version
}
