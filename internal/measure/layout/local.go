package layout

import (
	"bufio"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"syscall"

	"github.com/prometheus/procfs"

	"github.com/realiops/realiops/internal/measure/probe"
	"github.com/realiops/realiops/internal/runfile"
)

// ErrHidden says that this user may not know the server's data directory.
var ErrHidden = &probe.Error{Reason: runfile.Permission, Err: errors.New(
	"the server's data directory is hidden from this user; grant pg_read_all_settings, or run as the server's user")}

// Session holds what an open session reports about itself and its server.
type Session struct {
	PID        int    // pg_backend_pid(), in the server's numbering
	ClientPort int    // inet_client_port(); 0: the session came by a socket
	Directory  string // data_directory; empty: this user may not see it
	System     string // system_identifier of pg_control_system(); empty likewise
}

// Locate finds a session's server among the processes of this machine, even in a container or another root. A
// loopback address proves nothing, because a tunnel may listen there. The error is a *probe.Error.
func Locate(s Session) (Server, error) {
	if runtime.GOOS != "linux" {
		err := fmt.Errorf("cannot find a server's processes on %s; this needs Linux", runtime.GOOS)
		return Server{}, &probe.Error{Reason: runfile.Unsupported, Err: err}
	}
	return locate("/proc", s)
}

func locate(proc string, s Session) (found Server, err error) {
	err = coded(unfound, "no process on this machine is the server's process %d: the server is on another machine, in a "+
		"virtual machine (as with Docker Desktop), or hidden from this user", s.PID)
	servers := map[int]bool{}
	for _, b := range backends(proc, s) {
		server, refused := s.serverOf(proc, b)
		if refused != nil {
			err = refused
			continue
		}
		found, servers[b.postmaster] = server, true
	}
	switch len(servers) {
	case 0:
		return Server{}, err
	case 1:
		return found, nil
	default:
		return Server{},
			notLocal("%d servers on this machine have the same data and a process %d; cannot tell which one answers",
				len(servers), s.PID)
	}
}

// backend is a process that may serve a session.
type backend struct {
	pid, postmaster int
	shared          bool // it shares our process numbers
}

// shownClient matches the client in a backend's title: "postgres: me shop 172.17.0.1(54321) idle" or "postgres: me
// shop [local] idle". Names before it may look like it.
var shownClient = regexp.MustCompile(`^postgres: .*(?:\((\d+)\)|\[local\])(?: |$)`)

// isOf reports whether a process title may belong to the session's backend. Titles can be forged and cut off, so a
// match proves nothing, but a mismatch excludes.
func (s Session) isOf(title string) bool {
	if !strings.HasPrefix(title, "postgres:") {
		return false
	}
	client := shownClient.FindStringSubmatch(title)
	return client == nil || cmp.Or(client[1], "0") == strconv.Itoa(s.ClientPort)
}

// backends returns the PostgreSQL processes with the session's process ID in any of their namespaces.
func backends(proc string, s Session) (all []backend) {
	fs, err := procfs.NewFS(proc)
	if err != nil {
		return nil
	}
	processes, err := fs.AllProcs()
	if err != nil {
		return nil
	}
	for _, process := range processes {
		title, err := process.CmdLine()
		if err != nil || len(title) == 0 || !s.isOf(title[0]) {
			continue
		}
		status, err := process.NewStatus()
		if err != nil {
			continue
		}
		numbers := status.NSpids // one for each namespace, ours first; missing before kernel 4.1
		if len(numbers) == 0 {
			numbers = []uint64{uint64(process.PID)}
		}
		if numbers[len(numbers)-1] != uint64(s.PID) { //nolint:gosec // processes count from 1
			continue
		}
		stat, err := process.Stat()
		if err != nil {
			continue
		}
		all = append(all, backend{process.PID, stat.PPID, len(numbers) == 1})
	}
	return all
}

// serverOf describes a backend's server, once it is certain that the session is there. PostgreSQL's working directory
// is the data directory; only the server's user and root may read that link.
func (s Session) serverOf(proc string, b backend) (Server, error) {
	works := filepath.Join(proc, strconv.Itoa(b.pid), "cwd")
	cwd, err := os.Readlink(works)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return Server{}, notLocal("process %d ended during inspection; try again", b.pid)
	case err != nil:
		return s.unseen(proc, b)
	}
	system, err := systemOf(works)
	switch {
	case err == nil && s.System != "" && system != s.System:
		return Server{},
			notLocal("process %d here belongs to another server (system identifier %s, not %s)", b.pid, system, s.System)
	case (err != nil || s.System == "") && s.Directory != "" && !sameAs(proc, b, works, s.Directory) &&
		!startedIn(works, s.Directory):
		return Server{}, notLocal("process %d here serves %s, but the server reports %s", b.pid, cwd, s.Directory)
	case (err != nil || s.System == "") && s.Directory == "" && !b.shared:
		return Server{}, ErrHidden
	}
	server := Server{Postmaster: b.postmaster, Foreign: !sameMounts(proc, b.postmaster)}
	root := filepath.Join(proc, strconv.Itoa(b.postmaster), "root")
	above, _ := os.Readlink(root) // in its own mounts
	above = strings.TrimSuffix(above, "/")
	server.Prefix = above
	if server.Foreign {
		server.Prefix = root
	}
	for _, inside := range []string{s.Directory, strings.TrimPrefix(cwd, above)} {
		if path, err := below(server.Prefix, inside); inside != "" && err == nil && Same(path, works) {
			server.Data = inside
			return server, nil
		}
	}
	return Server{}, notLocal("process %d here runs in %s, which is unreachable from here", b.pid, cwd)
}

// unseen handles a server that this user may not inspect: among our own processes its
// data_directory will do, if visible.
func (s Session) unseen(proc string, b backend) (Server, error) {
	switch {
	case !b.shared:
		return Server{},
			coded(hidden, "the server runs in a container on this machine, as process %d, which is hidden from this user%s",
				b.pid, probe.Lacking(probe.SysPtrace))
	case s.Directory == "":
		return Server{}, ErrHidden
	case !sameMount(proc, b.pid, s.Directory):
		return Server{},
			coded(hidden, "the server's process %d is hidden from this user and has its own mounts; run realiops as the "+
				"server's user or as root%s", b.pid, probe.Lacking(probe.SysPtrace))
	case !Same(s.Directory, s.Directory):
		return Server{}, notLocal("the server's data directory %s is not visible on this machine", s.Directory)
	default:
		return Server{Data: s.Directory, Postmaster: b.postmaster}, nil
	}
}

// systemOf reads the system identifier at the beginning of pg_control.
func systemOf(data string) (string, error) {
	r, err := Of(data)
	if err != nil {
		return "", err
	}
	f, err := r.openFile("global/pg_control") // a pipe in its place would never end
	if err != nil {
		return "", fmt.Errorf("read pg_control: %w", err)
	}
	defer f.Close()
	var number uint64
	if err := binary.Read(f, binary.NativeEndian, &number); err != nil {
		return "", fmt.Errorf("read pg_control: %w", err)
	}
	return strconv.FormatUint(number, 10), nil
}

// sameAs reports whether a path leads a backend to its working directory.
func sameAs(proc string, b backend, works, path string) bool {
	inside, err := below(filepath.Join(proc, strconv.Itoa(b.pid), "root"), path)
	return err == nil && Same(inside, works)
}

// startedIn reports whether a data directory was at that path when its server started, by the second line of
// postmaster.pid. If it was moved since, the server cannot read its own system identifier.
func startedIn(works, path string) bool {
	r, err := Of(works)
	if err != nil {
		return false
	}
	f, err := r.openFile("postmaster.pid")
	if err != nil {
		return false
	}
	defer f.Close()
	const most = 4096 // of a path on Linux
	lines := bufio.NewScanner(io.LimitReader(f, 2*most))
	lines.Scan() // the process
	return lines.Scan() && lines.Text() == path
}

// sameMounts reports whether a process has our mounts.
func sameMounts(proc string, pid int) bool {
	theirs, err := os.Readlink(filepath.Join(proc, strconv.Itoa(pid), "ns", "mnt"))
	if err != nil {
		return false
	}
	ours, err := os.Readlink(filepath.Join(proc, "self", "ns", "mnt"))
	return err == nil && theirs == ours
}

// sameMount reports whether a path is on the same mount for a process and for us. Its mount table is public.
func sameMount(proc string, pid int, path string) bool {
	theirs, err := mountOf(filepath.Join(proc, strconv.Itoa(pid)), path)
	if err != nil {
		return false
	}
	ours, err := mountOf(filepath.Join(proc, "self"), path)
	return err == nil && theirs == ours && theirs[2] != "" // a separate root has no mount at its beginning
}

// mountOf returns the device, root and mount point of the mount that holds a process's path, from its mount table.
func mountOf(process, path string) (found [3]string, err error) {
	table, err := os.Open(filepath.Join(process, "mountinfo"))
	if err != nil {
		return found, err
	}
	defer table.Close()
	escape := strings.NewReplacer(`\`, `\134`, " ", `\040`, "\t", `\011`, "\n", `\012`)
	path = escape.Replace(filepath.Clean(path)) + "/"
	lines := bufio.NewScanner(table)
	for lines.Scan() {
		fields := strings.Fields(lines.Text())
		if len(fields) < 5 {
			continue
		}
		point := fields[4]
		if strings.HasPrefix(path, strings.TrimSuffix(point, "/")+"/") && len(point) >= len(found[2]) {
			found = [3]string(fields[2:5])
		}
	}
	return found, lines.Err()
}

// below resolves a path of a process whose root is prefix. Absolute links start at that root.
func below(prefix, path string) (string, error) {
	if prefix == "" {
		return filepath.EvalSymlinks(path)
	}
	const mostLinks = 40 // as the kernel has it
	done, rest, links := "/", strings.Split(path, "/"), 0
	for len(rest) > 0 {
		next := filepath.Join(done, rest[0])
		rest = rest[1:]
		if next == done || strings.HasPrefix(done, next) { // nothing, a dot, or upwards
			done = next
			continue
		}
		target, err := os.Readlink(prefix + next)
		if errors.Is(err, syscall.EINVAL) { // no link
			done = next
			continue
		}
		if err != nil {
			return "", err
		}
		if links++; links > mostLinks {
			return "", fmt.Errorf("resolve %s: %w", path, syscall.ELOOP)
		}
		if filepath.IsAbs(target) {
			done = "/"
		}
		rest = append(strings.Split(target, "/"), rest...)
	}
	return prefix + done, nil
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

// Remedy says how to make a missing or hidden server visible; empty: another remedy applies.
func Remedy(gap runfile.Gap) probe.Remedy {
	switch {
	case gap.Reason != runfile.NotLocal:
		return probe.Remedy{}
	case gap.Code == hidden:
		return probe.Remedy{Machine: true, Text: "run the same command with sudo -E"}
	case gap.Code == unfound:
		return probe.Remedy{Machine: true, Text: "run realiops on the machine with the data, as root or as the server's " +
			"user; for Docker Desktop, docker run --user 0 --privileged --pid host --network host with an image of realiops"}
	default:
		return probe.Remedy{}
	}
}

func notLocal(format string, args ...any) error { return coded("", format, args...) }

// Codes of gaps that have their own remedy.
const (
	hidden  = "hidden"     // a process that this user may not inspect
	unfound = "no-process" // none is the server's
)

func coded(code, format string, args ...any) error {
	return &probe.Error{Reason: runfile.NotLocal, Code: code, Err: fmt.Errorf(format, args...)}
}
