package layout

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/realiops/realiops/internal/measure/probe"
	"github.com/realiops/realiops/internal/runfile"
)

// Find finds the roots of a server's files. The error is about the data directory alone.
func Find(s Server) (*Layout, error) {
	if s.Data == "" {
		return nil, notLocal("the server's data directory is not visible on this machine")
	}
	f := finder{server: s}
	data, err := f.of(s.Data)
	if err != nil {
		return nil, err
	}
	data.Role, data.tree = Data, ofData
	f.data = data
	if f.fd, err = f.data.Look(); err != nil {
		return nil, fmt.Errorf("inspect %s: %w", data.Path, err)
	}
	defer f.fd.Close()
	l := &Layout{Roots: []Root{data}, Postmaster: s.Postmaster}
	add := func(r Root, there bool, err error) {
		if r.Err = err; there || err != nil {
			l.Roots = append(l.Roots, r)
		}
	}
	add(f.wal())
	for _, space := range s.Tablespaces {
		r, err := f.tablespace(space)
		add(r, true, err)
	}
	if s.Unasked != nil {
		add(Root{Role: Tablespaces, Path: filepath.Join(data.Path, "pg_tblspc")}, true, s.Unasked)
	}
	add(f.logDirectory())
	add(f.standardError())
	return l, nil
}

// Of returns any directory as a root. It does not resolve a path below /proc, since links there lead to
// places that no other path reaches.
func Of(path string) (Root, error) {
	absolute, err := filepath.Abs(path)
	if err != nil {
		return Root{}, fmt.Errorf("inspect %s: %w", path, err)
	}
	resolved, follow := absolute, 0
	if !strings.HasPrefix(absolute, "/proc/") {
		if resolved, err = filepath.EvalSymlinks(absolute); err != nil {
			return Root{}, fmt.Errorf("inspect %s: %w", path, err)
		}
		follow = unix.O_NOFOLLOW
	}
	fd, err := unix.Open(resolved, unix.O_PATH|follow|unix.O_CLOEXEC, 0)
	if err != nil {
		return Root{}, fmt.Errorf("inspect %s: %w", path, err)
	}
	defer unix.Close(fd) //nolint:errcheck // nothing was written
	return rootOf(fd, resolved)
}

// rootOf describes an open file, however it was reached.
func rootOf(fd int, path string) (Root, error) {
	r := Root{Path: path}
	var stat unix.Stat_t
	if err := unix.Fstat(fd, &stat); err != nil {
		return r, fmt.Errorf("inspect %s: %w", path, err)
	}
	r.Major, r.Minor, r.Inode, r.Owner = unix.Major(stat.Dev), unix.Minor(stat.Dev), stat.Ino, stat.Uid
	var more unix.Statx_t
	if unix.Statx(fd, "", unix.AT_EMPTY_PATH, unix.STATX_MNT_ID, &more) == nil && more.Mask&unix.STATX_MNT_ID != 0 {
		r.Mount = int(more.Mnt_id) //nolint:gosec // the kernel counts them in an int
	}
	return r, nil
}

type finder struct {
	server Server
	data   Root
	fd     *os.File // the data directory, by O_PATH
}

// own records the server's prefix and process in a root.
func (s *Server) own(r Root) Root {
	r.prefix = s.Prefix
	if s.Foreign {
		r.Process = s.Postmaster
	}
	return r
}

// of opens a path as the server sees it.
func (f *finder) of(path string) (Root, error) {
	if f.server.Prefix == "" {
		return Of(path)
	}
	reached, err := below(f.server.Prefix, path)
	if err != nil {
		return Root{}, fmt.Errorf("inspect %s in the server's root: %w", path, err)
	}
	r, err := Of(reached)
	return f.server.own(r), err
}

// below opens a name in the data directory, or a link's target, with O_PATH. The result may be missing.
func (f *finder) below(name string) (r Root, target string, err error) {
	r.Path = filepath.Join(f.data.Path, name)
	where := int(f.fd.Fd())
	buffer := make([]byte, unix.PathMax)
	n, err := unix.Readlinkat(where, name, buffer)
	switch {
	case err == nil:
		target = string(buffer[:n])
		path := target
		if !filepath.IsAbs(target) {
			path = filepath.Join(f.data.Inside(), filepath.Dir(name), target)
		}
		found, err := f.of(path)
		if err != nil {
			found.Path = r.Path
		}
		return found, target, err
	case errors.Is(err, unix.EINVAL): // not a link
		fd, err := unix.Openat(where, name, unix.O_PATH|unix.O_NOFOLLOW|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
		if err != nil {
			return r, "", fmt.Errorf("inspect %s: %w", r.Path, err)
		}
		defer unix.Close(fd) //nolint:errcheck // nothing was written
		found, err := rootOf(fd, r.Path)
		return f.server.own(found), "", err
	default:
		return r, "", fmt.Errorf("inspect %s: %w", r.Path, err)
	}
}

// wal returns pg_wal: a directory, a link to one, or a mount. Before initdb there is none.
func (f *finder) wal() (Root, bool, error) {
	r, target, err := f.below("pg_wal")
	r.Role, r.tree = WAL, ofWAL
	if errors.Is(err, fs.ErrNotExist) && target == "" {
		return r, false, nil
	}
	if err != nil || target == "" {
		return r, true, err
	}
	return r, true, f.looksLikeWAL(&r)
}

// looksLikeWAL returns why a directory that pg_wal links to cannot be this server's WAL. A directory that this
// user may not read is accepted.
func (f *finder) looksLikeWAL(r *Root) error {
	refuse := func(why string) error {
		return &probe.Error{Reason: runfile.Unsupported,
			Err: fmt.Errorf("pg_wal links to %s, which does not look like the server's WAL: %s", r.Path, why)}
	}
	if r.Owner != f.data.Owner {
		return refuse("it belongs to another user")
	}
	d, err := r.Look()
	if err != nil {
		return err
	}
	defer d.Close()
	var stat unix.Stat_t
	err = unix.Fstatat(int(d.Fd()), "archive_status", &stat, unix.AT_SYMLINK_NOFOLLOW)
	if errors.Is(err, fs.ErrNotExist) || err == nil && stat.Mode&unix.S_IFMT != unix.S_IFDIR {
		return refuse("it has no directory archive_status")
	}
	return nil
}

// tablespace returns a tablespace to which pg_tablespace and the data directory give the same location.
func (f *finder) tablespace(space Tablespace) (Root, error) {
	name := filepath.Join("pg_tblspc", strconv.FormatUint(uint64(space.OID), 10))
	r, target, err := f.below(name)
	r.Role, r.OID, r.Name, r.Temp, r.tree = Tablespaces, space.OID, space.Name, space.Temp, databases
	refuse := func(format string, args ...any) (Root, error) {
		r.Path = filepath.Join(f.data.Path, name)
		return r, &probe.Error{Reason: runfile.Unsupported, Err: fmt.Errorf("tablespace %d is ignored: "+format,
			append([]any{space.OID}, args...)...)}
	}
	switch {
	case space.Err != nil:
		return r, space.Err
	case err != nil:
		return r, err
	case target == "" && space.Location != name || target != "" && target != space.Location:
		return refuse("the server reports %q, but its data directory links to %q", space.Location, target)
	}
	if r.within, err = f.versionDirectory(); err != nil {
		return r, nil //nolint:nilerr // the device is known even if the files are not readable: Walk reports that
	}
	d, err := r.Look()
	if err != nil {
		return r, err
	}
	defer d.Close()
	var stat unix.Stat_t
	switch err := unix.Fstatat(int(d.Fd()), r.within, &stat, unix.AT_SYMLINK_NOFOLLOW); {
	case errors.Is(err, fs.ErrNotExist):
		return refuse("%s has no directory %s", r.Path, r.within)
	case err == nil && (stat.Mode&unix.S_IFMT != unix.S_IFDIR || stat.Uid != f.data.Owner):
		return refuse("%s/%s is not a directory of the server's user", r.Path, r.within)
	}
	r.Owner = f.data.Owner // the location itself may be another user's
	return r, nil
}

// versionDirectory returns the name of a server's own directory in each tablespace: PG_17_202406281, from its major
// version and the catalog version in pg_control.
func (f *finder) versionDirectory() (string, error) {
	version, err := f.data.openFile("PG_VERSION")
	if err != nil {
		return "", err
	}
	defer version.Close()
	major, err := io.ReadAll(io.LimitReader(version, 16))
	if err != nil {
		return "", err
	}
	number, err := strconv.ParseUint(strings.TrimSpace(string(major)), 10, 16)
	if err != nil {
		return "", fmt.Errorf("read PG_VERSION: %w", err)
	}
	control, err := f.data.openFile("global/pg_control")
	if err != nil {
		return "", err
	}
	defer control.Close()
	var head [16]byte
	if _, err := io.ReadFull(control, head[:]); err != nil {
		return "", fmt.Errorf("read pg_control: %w", err)
	}
	return fmt.Sprintf("PG_%d_%d", number, binary.NativeEndian.Uint32(head[12:])), nil
}

// logDirectory returns the logging collector's directory, and false if there is none.
func (f *finder) logDirectory() (Root, bool, error) {
	path := f.server.LogDir
	if path == "" {
		return Root{}, false, nil
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(f.data.Inside(), path)
	}
	r, err := f.of(path)
	if err != nil {
		r = Root{Path: path}
	}
	r.Role, r.Owner, r.tree = Log, f.data.Owner, loggedTo(f.server.LogName)
	return r, true, err
}

// standardError returns the file to which the server's first process writes its log, if no other program writes it.
func (f *finder) standardError() (Root, bool, error) {
	if f.server.Postmaster == 0 {
		return Root{}, false, nil
	}
	path := fmt.Sprintf("/proc/%d/fd/2", f.server.Postmaster)
	fd, err := unix.Open(path, unix.O_PATH|unix.O_CLOEXEC, 0)
	if err != nil {
		return Root{}, false, nil //nolint:nilerr // it has none, or this user may not see it
	}
	defer unix.Close(fd) //nolint:errcheck // nothing was written
	var stat unix.Stat_t
	if err := unix.Fstat(fd, &stat); err != nil || stat.Mode&unix.S_IFMT != unix.S_IFREG || stat.Uid != f.data.Owner {
		return Root{}, false, nil //nolint:nilerr // a terminal, a pipe, or a shared log, such as /var/log/syslog
	}
	if by := writers(stat.Dev, stat.Ino, f.server.Postmaster); by != 0 {
		return Root{Role: Log, Path: path}, true, &probe.Error{Reason: runfile.Unsupported,
			Err: fmt.Errorf("the server's log is ignored: process %d, which is not the server's, writes to the same "+
				"file", by)}
	}
	r, err := rootOf(fd, path)
	r.Role = Log
	return f.server.own(r), true, err
}

// mostOpen bounds how many open files of processes are examined.
const mostOpen = 1 << 18

// writers returns a process outside the server that has a file open for writing, or 0 if none is visible.
func writers(device, inode uint64, postmaster int) (pid int) {
	processes, err := os.ReadDir("/proc")
	if err != nil {
		return 0
	}
	looked := 0
	for _, process := range processes {
		pid, err := strconv.Atoi(process.Name())
		if err != nil || pid == postmaster || pid == os.Getpid() || parentOf(pid) == postmaster {
			continue
		}
		directory := filepath.Join("/proc", process.Name(), "fd")
		open, _ := os.ReadDir(directory) // it has ended, or is hidden
		for _, file := range open {
			if looked++; looked > mostOpen {
				return pid
			}
			path := filepath.Join(directory, file.Name())
			var stat unix.Stat_t
			if unix.Stat(path, &stat) != nil || stat.Dev != device || stat.Ino != inode {
				continue
			}
			if link, err := os.Lstat(path); err == nil && link.Mode()&0o200 != 0 {
				return pid
			}
		}
	}
	return 0
}

// parentOf returns a process's parent, or 0 if it has ended.
func parentOf(pid int) (parent int) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0
	}
	behind := strings.LastIndexByte(string(text), ')') // a name may contain anything
	var state string
	_, _ = fmt.Sscan(string(text[behind+1:]), &state, &parent)
	return parent
}
