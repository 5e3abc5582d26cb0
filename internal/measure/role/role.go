// Package role starts this program a second time, for a role that no person asks for: as a process that cleans up when
// the first one is gone, or as one that runs a share of the clients.
//
// [Role.Command] prepares the process. [Main], called first by every main function, those of tests among them, plays
// the role where this process was started for one. What the two say to each other over the standard streams is theirs;
// that both are of the same version is seen to here, since a program can be replaced while it runs.
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

// Role is something that this program does when it starts itself.
type Role struct {
	Name string
	// Play is the life of the process: it ends with an error where the role could not be played.
	Play func(in io.Reader, out io.Writer) error
}

// marker names the role in the environment of a process that was started for one.
const marker = "REALIOPS_ROLE"

// Main plays the role that a process with those arguments, the program's name first, was started for, and gives its
// exit status. It does nothing where a person has started the process.
func Main(args []string, roles ...Role) (status int, played bool) {
	wanted := os.Getenv(marker)
	if wanted == "" || len(args) != 3 || args[1] != wanted {
		return 0, false
	}
	_ = os.Unsetenv(marker) // it is looked at, and what is started from here on is another's
	for _, r := range roles {
		if r.Name == wanted {
			return r.main(args[2]), true
		}
	}
	fmt.Fprintf(os.Stderr, "%s: this program knows no role %s\n", args[0], wanted)
	return 1, true
}

func (r Role) main(wanted string) int {
	var err error
	if here := version(); here != wanted {
		err = fmt.Errorf("realiops was replaced while it ran (%s by %s): start it again", wanted, here)
	} else {
		err = r.Play(os.Stdin, os.Stdout)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// Command prepares a process in that role. It has a session of its own, so that neither the keys of our terminal nor
// its end reach it, and it is killed when the context ends. A process whose main function has not looked at its role,
// by Main, starts no other: it would start itself again and again.
func (r Role) Command(ctx context.Context) (*exec.Cmd, error) {
	if own := os.Getenv(marker); own != "" {
		return nil, fmt.Errorf("start a %s: this process was itself started as a %s, and its main function does not "+
			"call role.Main", r.Name, own)
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

// own returns the program of this process. There is no guess by the name that it was started with: that may lead to
// another program.
func own() (string, error) {
	const itself = "/proc/self/exe" // also when its file has been removed or replaced
	if _, err := os.Stat(itself); err == nil {
		return itself, nil
	}
	program, err := os.Executable()
	if err != nil && runtime.GOOS == "linux" {
		return "", errors.New("realiops starts itself a second time, and without /proc it cannot tell where " +
			"its program is: " +
			"mount it (mount -t proc proc /proc), in a chroot too, and try again")
	}
	if err != nil {
		return "", fmt.Errorf("realiops starts itself a second time, and the system does not say where its "+
			"program is: %w", err)
	}
	return program, nil
}

// version tells two builds of this program apart.
func version() string {
	build, known := debug.ReadBuildInfo()
	if !known {
		return "unknown"
	}
	return build.Main.Version
}
