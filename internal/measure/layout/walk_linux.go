package layout

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/realiops/realiops/internal/printable"
)

// Entry is a regular file found by a walk.
type Entry struct {
	File
	Stat unix.Stat_t

	directory int // its directory, open during the walk
	base      string
}

// Open opens the same file, or fails if another has replaced it.
func (e *Entry) Open() (*os.File, error) {
	f, err := openRegular(e.directory, e.base)
	if err != nil {
		return nil, err
	}
	var stat unix.Stat_t
	if err := unix.Fstat(int(f.Fd()), &stat); err != nil || stat.Dev != e.Stat.Dev || stat.Ino != e.Stat.Ino {
		f.Close()
		return nil, errors.Join(err, errChanged)
	}
	return f, nil
}

// Walk bounds the total cost of walks, and collects what they could not read.
type Walk struct {
	Until   time.Time
	Names   int // how many names may still be read
	Skipped []string

	// Unchanged reports whether to skip a directory's files, and Known whether to skip a single file, because an
	// earlier walk's result still holds. nil: skip nothing.
	Unchanged func(directory string, stat *unix.Stat_t) bool
	Known     func(file string, inode uint64) bool

	cut bool
}

// Cut reports whether a bound ended a walk.
func (w *Walk) Cut() bool { return w.cut }

// mostSkipped bounds the files reported.
const mostSkipped = 3

func (w *Walk) skip(r *Root, name, why string) {
	if len(w.Skipped) < mostSkipped {
		w.Skipped = append(w.Skipped, printable.Line(path.Join(r.Path, name))+" "+why)
	}
}

// Walk passes all files of the server below the root to see. Files may come and go
// meanwhile; unreadable ones are left out.
func (r *Root) Walk(w *Walk, see func(*Entry)) error {
	if r.Err != nil {
		return r.Err
	}
	top, err := r.Open()
	if err != nil {
		return err
	}
	defer top.Close()
	if r.tree == nil { // a file
		var e Entry
		if err := unix.Fstat(int(top.Fd()), &e.Stat); err != nil {
			return err
		}
		see(&Entry{File: File{Path: path.Base(r.Path), Kind: Message}, Stat: e.Stat, directory: unix.AT_FDCWD,
			base: r.Path})
		return nil
	}
	if r.Role != Tablespaces {
		r.walk(w, top, r.tree, "", 0, see)
		return nil
	}
	if r.within == "" {
		return fmt.Errorf("cannot read the version of the server's tablespace %d", r.OID)
	}
	own, err := openBelow(int(top.Fd()), r.within, unix.O_RDONLY|unix.O_DIRECTORY)
	if err != nil {
		return fmt.Errorf("open %s/%s: %w", r.Path, r.within, err)
	}
	defer own.Close()
	r.walk(w, own, r.tree, r.within, 0, see)
	return nil
}

// walk visits a directory. Its depth is bounded by the layout's.
func (r *Root) walk(w *Walk, d *os.File, t *tree, at string, database uint32, see func(*Entry)) {
	var stat unix.Stat_t
	if unix.Fstat(int(d.Fd()), &stat) != nil || !r.holds(&stat) {
		return // the kernel cannot prevent crossing into another file system
	}
	looks := w.Unchanged == nil || !w.Unchanged(at, &stat)
	for _, name := range t.known {
		if looks {
			r.note(w, d, t, at, listed{name: name}, database, see)
		}
	}
	for name, below := range t.named {
		r.enter(w, d, below, path.Join(at, name), database, see)
	}
	if t.each == nil && (t.files == nil || !looks) {
		return
	}
	buffer := make([]byte, 1<<16)
	for {
		names := list(d, buffer)
		if w.Names -= len(names); w.Names < 0 || time.Now().After(w.Until) {
			w.cut = true
			return
		}
		for _, entry := range names {
			if t.named[entry.name] != nil || slices.Contains(t.known, entry.name) {
				continue
			}
			if below, of := t.below(entry.name, database); below != nil {
				r.enter(w, d, below, path.Join(at, entry.name), of, see)
			} else if looks {
				r.note(w, d, t, at, entry, database, see)
			}
		}
		if len(names) == 0 { // the end, or an error
			return
		}
	}
}

// listed is a name in a directory, with its inode; 0: unknown.
type listed struct {
	name  string
	inode uint64
}

// list reads more names of a directory, with their inodes (getdents64(2)).
func list(d *os.File, buffer []byte) (names []listed) {
	const length, kind = 16, 18 // where they are; the name is behind
	n, err := unix.ReadDirent(int(d.Fd()), buffer)
	for rest := buffer[:max(n, 0)]; err == nil &&
		len(rest) > kind; rest = rest[binary.NativeEndian.Uint16(rest[length:]):] {
		entry := rest[:binary.NativeEndian.Uint16(rest[length:])]
		name := unix.ByteSliceToString(entry[kind+1:])
		names = append(names, listed{name, binary.NativeEndian.Uint64(entry)})
	}
	return names
}

// enter walks a subdirectory, unless it is a link or the root of another mount.
func (r *Root) enter(w *Walk, above *os.File, t *tree, at string, database uint32, see func(*Entry)) {
	if w.cut {
		return
	}
	d, err := openBelow(int(above.Fd()), path.Base(at), unix.O_RDONLY|unix.O_DIRECTORY)
	switch {
	case err == nil:
		defer d.Close()
		r.walk(w, d, t, at, database, see)
	case t.kind != Relation && t.eachIs == nil: // the server has few files there
	case errors.Is(err, unix.EXDEV):
		w.skip(r, at, "is another mount")
	case errors.Is(err, unix.ELOOP), errors.Is(err, unix.ENOTDIR):
		w.skip(r, at, "is not a directory")
	}
}

// note shows one name, if it is a regular file of the server's user.
func (r *Root) note(w *Walk, d *os.File, t *tree, at string, name listed, database uint32, see func(*Entry)) {
	file := path.Join(at, name.name)
	if w.Known != nil && w.Known(file, name.inode) {
		return
	}
	f, ok := t.fileOf(name.name, database)
	if !ok {
		return
	}
	e := Entry{File: f, directory: int(d.Fd()), base: name.name}
	e.Path = file
	if unix.Fstatat(e.directory, name.name, &e.Stat, unix.AT_SYMLINK_NOFOLLOW) != nil ||
		e.Stat.Mode&unix.S_IFMT != unix.S_IFREG {
		return // gone, or a link, a pipe or a device
	}
	if e.Stat.Uid == r.Owner && r.holds(&e.Stat) {
		see(&e)
	}
}

// holds reports whether a file is on the root's file system.
func (r *Root) holds(stat *unix.Stat_t) bool { return stat.Dev == unix.Mkdev(r.Major, r.Minor) }

// Open opens the same root, or fails if another has replaced it.
func (r *Root) Open() (*os.File, error) {
	if r.Err != nil {
		return nil, r.Err
	}
	return r.open(unix.O_RDONLY)
}

// Look opens the root with O_PATH, which needs no read permission.
func (r *Root) Look() (*os.File, error) {
	if r.Err != nil {
		return nil, r.Err
	}
	return r.open(unix.O_PATH)
}

func (r *Root) open(flags int) (*os.File, error) {
	flags |= unix.O_NONBLOCK | unix.O_CLOEXEC
	if !strings.HasPrefix(r.Path, "/proc/") { // an open file of a process is reached by a link
		flags |= unix.O_NOFOLLOW
	}
	fd, err := unix.Open(r.Path, flags, 0)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", r.Path, err)
	}
	f := os.NewFile(uintptr(fd), r.Path)
	found, err := rootOf(fd, r.Path)
	if err == nil && (found.Major != r.Major || found.Minor != r.Minor || found.Inode != r.Inode) {
		err = fmt.Errorf("open %s: %w", r.Path, errChanged)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

func (r *Root) openFile(below string) (*os.File, error) {
	d, err := r.Look()
	if err != nil {
		return nil, err
	}
	names := strings.Split(below, "/")
	for _, name := range names[:len(names)-1] {
		next, err := openBelow(int(d.Fd()), name, unix.O_PATH|unix.O_DIRECTORY)
		d.Close()
		if err != nil {
			return nil, err
		}
		d = next
	}
	defer d.Close()
	return openRegular(int(d.Fd()), names[len(names)-1])
}

// openBelow opens a name in a directory, following no link and entering no other mount. Before Linux 5.6, or in a
// container without openat2(2), it ensures only the former.
func openBelow(directory int, name string, flags int) (*os.File, error) {
	if name == "" || name == "." || name == ".." || strings.Contains(name, "/") {
		return nil, fs.ErrInvalid
	}
	flags |= unix.O_NOFOLLOW | unix.O_CLOEXEC
	fd, err := unix.Openat2(directory, name, &unix.OpenHow{
		Flags: uint64(flags), Resolve: unix.RESOLVE_BENEATH | unix.RESOLVE_NO_SYMLINKS | unix.RESOLVE_NO_XDEV,
		//nolint:gosec // flags are not negative
	})
	if errors.Is(err, unix.ENOSYS) || errors.Is(err, unix.EPERM) {
		fd, err = unix.Openat(directory, name, flags, 0)
	}
	if err != nil {
		return nil, err
	}
	return os.NewFile(uintptr(fd), name), nil //nolint:gosec // a file descriptor is not negative
}

// openRegular opens a regular file for reading: opening a pipe or a device has side effects.
func openRegular(directory int, name string) (*os.File, error) {
	if directory == unix.AT_FDCWD { // a root that is a file, by a link in /proc
		return os.OpenFile(name, os.O_RDONLY|unix.O_NONBLOCK, 0)
	}
	at, err := openBelow(directory, name, unix.O_PATH)
	if err != nil {
		return nil, err
	}
	defer at.Close()
	var stat unix.Stat_t
	if err := unix.Fstat(int(at.Fd()), &stat); err != nil {
		return nil, err
	}
	if stat.Mode&unix.S_IFMT != unix.S_IFREG {
		return nil, fmt.Errorf("%w: not a regular file", fs.ErrInvalid)
	}
	fd, err := unix.Open(fmt.Sprintf("/proc/self/fd/%d", at.Fd()), unix.O_RDONLY|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	return os.NewFile(uintptr(fd), name), nil //nolint:gosec // a file descriptor is not negative
}
