package request

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// mostFiles is how many files of a server are followed. A server with more has those of the rest among strangers, and says so.
const mostFiles = 100_000

// changing is how long after a file's time of change it may change again without another: the kernel's clock for files goes in steps of up
// to 10 ms. What was written and has no place on the disk yet is asked for again, however old.
const changing = 100 * time.Millisecond

// file is one of the server's, as it was looked at last.
type file struct {
	owner   owner
	named   int // the names that owner is by
	ground  ground
	inode   uint64
	changed time.Time
	asked   time.Time // where it lies
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
	moved    bool // the last look found other extents, or another owner of some
	tooMany  bool
	names    map[uint32]Relation
	named    int  // how often names were asked for
	nameless bool // a relation was found that names does not have
}

// byName is the kind of a root whose files are of several.
const byName = kinds

// root is a directory of the server, on a file system of its own or not.
type root struct {
	path   string
	kind   Kind // of all that is in it, or byName
	ground ground
}

// rootsOf are the data directory and what it points to: pg_wal, tablespaces, the log.
func rootsOf(place Place) (roots []root, err error) {
	add := func(path string, kind Kind) error {
		resolved, err := filepath.EvalSymlinks(path)
		if err != nil {
			return nil //nolint:nilerr // there is none
		}
		g, err := groundOf(resolved)
		roots = append(roots, root{resolved, kind, g})
		return err
	}
	if err := add(place.Data, byName); err != nil {
		return nil, err
	}
	spaces, _ := filepath.Glob(filepath.Join(place.Data, "pg_tblspc", "*"))
	for _, path := range append([]string{filepath.Join(place.Data, "pg_wal")}, spaces...) {
		kind := byName
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
func (f *files) look(now time.Time) {
	f.looks++
	f.tooMany, f.nameless, f.moved = false, false, false
	for _, r := range f.roots {
		_ = filepath.WalkDir(r.path, func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || !entry.Type().IsRegular() {
				return nil //nolint:nilerr // files come and go
			}
			var stat unix.Stat_t // entry.Info makes more of it, which takes longer than asking the kernel
			if unix.Lstat(path, &stat) == nil {
				f.note(r, path, &stat, now)
			}
			return nil
		})
	}
	for path, one := range f.known {
		if one.seen != f.looks {
			delete(f.known, path)
			f.moved = true
		}
	}
}

// note keeps a file, and where it lies.
func (f *files) note(r root, path string, stat *unix.Stat_t, now time.Time) {
	one, known := f.known[path]
	if !known && len(f.known) >= mostFiles {
		f.tooMany = true
		return
	}
	changed := time.Unix(stat.Ctim.Unix())
	if !known {
		one = &file{ground: r.ground, named: -1}
		f.known[path] = one
	}
	one.seen = f.looks
	if one.named != f.named {
		one.owner, one.named, f.moved = f.ownerOf(r, path), f.named, true
	}
	if _, has := f.names[one.owner.node]; one.owner.node != 0 && !has {
		f.nameless = true
	}
	if known && one.inode == stat.Ino && one.settled && one.changed.Equal(changed) && one.asked.Sub(changed) > changing {
		return
	}
	one.inode, one.changed, one.asked = stat.Ino, changed, now
	lies, settled, _ := extentsOf(path) // gone again: the next look drops it
	f.moved = f.moved || !slices.Equal(lies, one.extents)
	one.extents, one.settled = lies, settled
}

var relationFile = regexp.MustCompile(`^(?:t\d+_)?(\d+)(_fsm|_vm|_init)?(?:\.\d+)?$`)

// ownerOf tells by its name what a file is for.
func (f *files) ownerOf(r root, path string) owner {
	if r.kind != byName {
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
	node, err := strconv.ParseUint(found[1], 10, 32)
	if err != nil {
		return owner{kind: Relations}
	}
	kind := Relations
	if named, known := f.names[uint32(node)]; known {
		kind = named.Kind
	}
	return owner{kind: kind, node: uint32(node)}
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
