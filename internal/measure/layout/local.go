package layout

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/prometheus/procfs"

	"github.com/realiops/realiops/internal/measure/probe"
	"github.com/realiops/realiops/internal/runfile"
)

// ErrHidden is a server whose data directory this user may not know.
var ErrHidden = &probe.Error{Reason: runfile.Permission, Err: errors.New(
	"the server's data directory is hidden from this user: grant pg_read_all_settings, or run as the server's user")}

// DataDirectory is the data directory of a server that somebody gave us the address of, if the server is a
// process of this machine: a loopback address does not prove that, because a tunnel or a container may listen there.
// The pid is what pg_backend_pid() answers on a session that is still open; configured is the setting data_directory,
// or empty where this user may not read it. The error is a *probe.Error.
func DataDirectory(pid int, configured string) (string, error) {
	if runtime.GOOS != "linux" {
		err := fmt.Errorf("%s does not tell which server a process is of: Linux does", runtime.GOOS)
		return "", &probe.Error{Reason: runfile.Unsupported, Err: err}
	}
	return dataDirectory("/proc", pid, configured)
}

func dataDirectory(proc string, pid int, configured string) (string, error) {
	if !isBackend(proc, pid) {
		return "", notLocal("the server is on another machine or in a container: its process %d is not PostgreSQL here", pid)
	}
	// PostgreSQL works in its data directory; only the server's own user and root may read this link.
	link := filepath.Join(proc, strconv.Itoa(pid), "cwd")
	cwd, err := os.Readlink(link)
	switch {
	case err == nil && !Same(link, cwd):
		return "", notLocal("the server is in a container: its process %d sees other file systems than we do", pid)
	case err == nil && configured != "" && !Same(cwd, configured):
		return "", notLocal("process %d here serves %s, and the server says that it serves %s", pid, cwd, configured)
	case err == nil:
		return cwd, nil
	case configured == "":
		return "", ErrHidden
	case !Same(configured, configured):
		return "", notLocal("the server's data directory %s is not to be seen on this machine", configured)
	default:
		return configured, nil
	}
}

// isBackend reports whether the process is one of PostgreSQL's, by its title, and is called by the same number there.
func isBackend(proc string, pid int) bool {
	fs, err := procfs.NewFS(proc)
	if err != nil {
		return false
	}
	process, err := fs.Proc(pid)
	if err != nil {
		return false
	}
	title, err := process.CmdLine()
	if err != nil || len(title) == 0 || !strings.HasPrefix(title[0], "postgres:") {
		return false
	}
	status, err := process.NewStatus()
	return err == nil && (len(status.NSpids) == 0 || slices.Equal(status.NSpids, []uint64{uint64(pid)}))
}

// Same reports whether two paths lead to the same file, by device and inode.
func Same(a, b string) bool {
	first, err := os.Stat(a)
	if err != nil {
		return false
	}
	second, err := os.Stat(b)
	return err == nil && os.SameFile(first, second)
}

func notLocal(format string, args ...any) error {
	return &probe.Error{Reason: runfile.NotLocal, Err: fmt.Errorf(format, args...)}
}

// Postmaster is the first process of the server that works in a data directory, as it notes there; one in a container
// notes a number that is another process's here.
func Postmaster(directory string) (pid int, err error) {
	text, err := readSmall(directory, "postmaster.pid")
	if err != nil {
		return 0, fmt.Errorf("find the server's first process: %w", err)
	}
	if _, err := fmt.Sscan(string(text), &pid); err != nil {
		return 0, &probe.Error{Reason: runfile.Failed, Err: errors.New("postmaster.pid does not begin with the number of a process")}
	}
	works := fmt.Sprintf("/proc/%d/cwd", pid)
	if _, err := os.Stat(works); err != nil {
		return 0, fmt.Errorf("find the server's first process: %w", err)
	}
	if !Same(works, directory) {
		return 0, notLocal("process %d does not work in %s: the server is in a container", pid, directory)
	}
	return pid, nil
}
