package request

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// mostFiles is how many files of a server are followed. A server with more has those of the rest among strangers, and says so.
const mostFiles = 100_000

// changing is how long a file that was written to may still be given its place on the disk: the kernel writes what is dirty after half a
// minute.
const changing = time.Minute

// file is one of the server's, as it was looked at last.
type file struct {
	owner   owner
	ground  ground
	inode   uint64
	changed time.Time
	settled bool
	extents []extent
	seen    int // the look that found it last
}

// files are those of a server.
type files struct {
	place    Place
	roots    []root
	known    map[string]*file
	looks    int
	tooMany  bool
	names    map[uint32]Relation
	nameless bool // a relation was found that names does not have
}

// root is a directory of the server, on a file system of its own or not.
type root struct {
	path   string
	kind   string // of all that is in it; empty: by its name
	ground ground
}

// rootsOf are the data directory and what it points to: pg_wal, tablespaces, the log.
func rootsOf(place Place) (roots []root, err error) {
	add := func(path, kind string) error {
		resolved, err := filepath.EvalSymlinks(path)
		if err != nil {
			return nil //nolint:nilerr // there is none
		}
		g, err := groundOf(resolved)
		roots = append(roots, root{resolved, kind, g})
		return err
	}
	if err := add(place.Data, ""); err != nil {
		return nil, err
	}
	spaces, _ := filepath.Glob(filepath.Join(place.Data, "pg_tblspc", "*"))
	for _, path := range append([]string{filepath.Join(place.Data, "pg_wal")}, spaces...) {
		kind := ""
		if filepath.Base(path) == "pg_wal" {
			kind = WAL
		}
		if info, err := os.Lstat(path); err == nil && info.Mode()&fs.ModeSymlink != 0 {
			if err := add(path, kind); err != nil {
				return nil, err
			}
		}
	}
	if log, err := os.Readlink(fmt.Sprintf("/proc/%d/fd/2", place.Postmaster)); err == nil && filepath.IsAbs(log) {
		if info, err := os.Stat(log); err == nil && info.Mode().IsRegular() {
			if g, err := groundOf(log); err == nil {
				roots = append(roots, root{log, Log, g})
			}
		}
	}
	return roots, nil
}

// look goes through all files, and asks again where those lie that were written to.
func (f *files) look() {
	f.looks++
	f.tooMany = false
	now := time.Now()
	for _, r := range f.roots {
		_ = filepath.WalkDir(r.path, func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || !entry.Type().IsRegular() {
				return nil //nolint:nilerr // files come and go
			}
			if info, err := entry.Info(); err == nil {
				f.note(r, path, info, now)
			}
			return nil
		})
	}
	for path, one := range f.known {
		if one.seen != f.looks {
			delete(f.known, path)
		}
	}
}

// note keeps a file, and where it lies.
func (f *files) note(r root, path string, info fs.FileInfo, now time.Time) {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return
	}
	one, known := f.known[path]
	if !known && len(f.known) >= mostFiles {
		f.tooMany = true
		return
	}
	changed := time.Unix(stat.Ctim.Unix())
	if !known {
		one = &file{ground: r.ground}
		f.known[path] = one
	}
	one.seen = f.looks
	one.owner = f.ownerOf(r, path)
	if known && one.inode == stat.Ino && one.settled && one.changed.Equal(changed) && now.Sub(changed) > changing {
		return
	}
	one.inode, one.changed = stat.Ino, changed
	one.extents, one.settled, _ = extentsOf(path) // gone again: the next look drops it
}

var relationFile = regexp.MustCompile(`^(?:t\d+_)?(\d+)(_fsm|_vm|_init)?(?:\.\d+)?$`)

// ownerOf tells by its name what a file is for.
func (f *files) ownerOf(r root, path string) owner {
	if r.kind != "" {
		return owner{kind: r.kind}
	}
	within := strings.TrimPrefix(path, r.path+"/")
	directory, name := filepath.Split(within)
	switch {
	case strings.HasPrefix(within, "pg_wal/"):
		return owner{kind: WAL}
	case strings.Contains(directory, "pgsql_tmp"):
		return owner{kind: Temp}
	case strings.HasPrefix(within, "log/"), strings.HasSuffix(name, ".log"):
		return owner{kind: Log}
	}
	found := relationFile.FindStringSubmatch(name)
	database, err := strconv.ParseUint(filepath.Base(filepath.Clean(directory)), 10, 32)
	switch shared := directory == "global/"; {
	case found == nil || !shared && err != nil:
		return owner{kind: Other}
	case found[2] != "":
		return owner{kind: Maps}
	case shared || uint32(database) != f.place.Database:
		return owner{kind: Relations}
	}
	return f.relation(found[1])
}

// relation is one of the database whose names are known.
func (f *files) relation(number string) owner {
	node, err := strconv.ParseUint(number, 10, 32)
	if err != nil {
		return owner{kind: Relations}
	}
	named, known := f.names[uint32(node)]
	if !known {
		f.nameless = true
		return owner{kind: Relations, node: uint32(node)}
	}
	return owner{kind: named.Kind, node: uint32(node)}
}

// atlas is where all files lie.
func (f *files) atlas() atlas {
	var a atlas
	for _, one := range f.known {
		for _, e := range one.extents {
			from := one.ground.start + e.from/sectorBytes
			a = append(a, piece{one.ground.disk, from, from + (e.length+sectorBytes-1)/sectorBytes, one.owner})
		}
	}
	a.sort()
	return a
}
