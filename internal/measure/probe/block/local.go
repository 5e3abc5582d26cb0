package block

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/prometheus/procfs"

	"github.com/realiops/realiops/internal/measure/probe"
	"github.com/realiops/realiops/internal/runfile"
)

var errHidden = &probe.Error{Reason: runfile.Permission, Err: errors.New(
	"the server's data directory is hidden from this user: grant pg_read_all_settings, or run as the server's user")}

// LocalDataDirectory is the data directory of a server that somebody gave us the address of, if the server is a
// process of this machine: a loopback address does not prove that, because a tunnel or a container may listen there.
// The pid is what pg_backend_pid() answers on a session that is still open; configured is the setting data_directory,
// or empty where this user may not read it. The error is a *probe.Error.
func LocalDataDirectory(pid int, configured string) (string, error) {
	return thisHost().dataDirectory(pid, configured)
}

func (h host) dataDirectory(pid int, configured string) (string, error) {
	if h.unable != nil {
		return "", h.unable
	}
	if !h.isBackend(pid) {
		return "", notLocal("the server is on another machine or in a container: its process %d is not PostgreSQL here", pid)
	}
	// PostgreSQL works in its data directory; only the server's own user and root may read this link.
	link := filepath.Join(h.proc, strconv.Itoa(pid), "cwd")
	cwd, err := os.Readlink(link)
	switch {
	case err == nil && !same(link, cwd):
		return "", notLocal("the server is in a container: its process %d sees other file systems than we do", pid)
	case err == nil && configured != "" && !same(cwd, configured):
		return "", notLocal("process %d here serves %s, and the server says that it serves %s", pid, cwd, configured)
	case err == nil:
		return cwd, nil
	case configured == "":
		return "", errHidden
	case !same(configured, configured):
		return "", notLocal("the server's data directory %s is not to be seen on this machine", configured)
	default:
		return configured, nil
	}
}

// isBackend tells whether the process is one of PostgreSQL's, by its title, and is called by the same number there.
func (h host) isBackend(pid int) bool {
	fs, err := procfs.NewFS(h.proc)
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

// same tells whether two paths lead to the same file; not where one leads nowhere.
func same(a, b string) bool {
	first, err := os.Stat(a)
	if err != nil {
		return false
	}
	second, err := os.Stat(b)
	return err == nil && os.SameFile(first, second)
}
