package request

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"time"

	"github.com/realiops/realiops/internal/measure/layout"
)

// mostFiles is how many files of a server are followed. A server with more has those of the rest among other programs, and says so.
const mostFiles = 100_000

// A look reads so many names at most, and takes so long.
const (
	mostNames  = 1_000_000
	lookWithin = 10 * time.Second
)

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
	doubted bool // others may share its extents by now
	extents []extent
	seen    int // the look that found it last
}

// files are those of a server.
type files struct {
	place    Place
	roots    []root
	known    map[key]*file
	looks    int
	moved    bool // the last look found other extents, or another owner of some
	tooMany  bool
	names    map[uint32]Relation
	named    int  // how often names were asked for
	nameless bool // a relation was found that names does not have

	walk       layout.Walk // the last look's
	lost       []string    // why roots could not be looked at
	unfollowed []string    // why roots are not looked at
}

// key tells files apart: two names of one file are two.
type key struct {
	root *root
	path string
}

// root is one of the server's, and the disk under it.
type root struct {
	layout.Root
	ground ground
}

// rootsOf are the roots whose files can be followed, and what is said of the others. Without the data directory and the WAL nothing is
// followed; without a log that is on no disk nothing is missing.
func rootsOf(all []layout.Root) (roots []root, missing []string, err error) {
	for _, r := range all {
		g, err := groundOf(&r)
		switch {
		case err == nil:
			roots = append(roots, root{r, g})
		case r.Role == layout.Log && (r.Err == nil || errors.Is(err, fs.ErrNotExist)):
		case r.Role == layout.Data, r.Role == layout.WAL, r.Err == nil:
			return nil, nil, err
		default:
			missing = append(missing, err.Error())
		}
	}
	return roots, missing, nil
}

// look goes through all files, and asks again where those lie that were written to.
func (f *files) look(now time.Time) {
	f.looks++
	f.tooMany, f.nameless, f.moved = false, false, false
	f.walk = layout.Walk{Until: time.Now().Add(lookWithin), Names: mostNames}
	f.lost = nil
	for i := range f.roots {
		r := &f.roots[i]
		if err := r.Walk(&f.walk, func(e *layout.Entry) { f.note(r, e, now) }); err != nil {
			f.lost = append(f.lost, err.Error())
		}
	}
	if f.walk.Cut() {
		return // what was not seen may be there
	}
	for key, one := range f.known {
		if one.seen != f.looks {
			delete(f.known, key)
			f.moved = true
		}
	}
}

// missing says which files of the server are not followed.
func (f *files) missing() (all []string) {
	if f.tooMany {
		all = append(all, fmt.Sprintf("the server has more than %d files", mostFiles))
	}
	if f.walk.Cut() {
		all = append(all, fmt.Sprintf("a look at the server's files ended after %d names or %s", mostNames, lookWithin))
	}
	return slices.Concat(all, f.walk.Skipped, f.lost, f.unfollowed)
}

// note keeps a file, and where it lies.
func (f *files) note(r *root, e *layout.Entry, now time.Time) {
	at, stat := key{r, e.Path}, &e.Stat
	one, known := f.known[at]
	if !known && len(f.known) >= mostFiles {
		f.tooMany = true
		return
	}
	changed := time.Unix(stat.Ctim.Unix())
	if !known {
		one = &file{ground: r.ground, named: -1}
		f.known[at] = one
	}
	one.seen = f.looks
	if one.named != f.named {
		one.owner, one.named, f.moved = f.ownerOf(&e.File), f.named, true
	}
	if _, has := f.names[one.owner.node]; one.owner.node != 0 && !has {
		f.nameless = true
	}
	if known && one.inode == stat.Ino && one.settled && !one.doubted && one.changed.Equal(changed) && one.asked.Sub(changed) > changing {
		return
	}
	one.inode, one.changed, one.asked = stat.Ino, changed, now
	lies, settled, _ := extentsOf(e) // gone again: the next look drops it
	f.moved = f.moved || !slices.Equal(lies, one.extents)
	one.extents, one.settled, one.doubted = lies, settled, false
}

// ownerOf is what a file is for.
func (f *files) ownerOf(file *layout.File) owner {
	switch file.Kind {
	case layout.Segment:
		return owner{kind: WAL}
	case layout.Temp:
		return owner{kind: Temp}
	case layout.Message:
		return owner{kind: Log}
	case layout.Map:
		return owner{kind: Maps}
	case layout.Other:
		return owner{kind: Other}
	}
	if file.Database == 0 || file.Database != f.place.Database {
		return owner{kind: Relations}
	}
	kind := Relations
	if named, known := f.names[file.Node]; known {
		kind = named.Kind
	}
	return owner{kind: kind, node: file.Node}
}

// atlas is where all files lie.
func (f *files) atlas() atlas {
	var a atlas
	for _, one := range f.known {
		for _, e := range one.extents {
			from := one.ground.start + e.from/sectorBytes
			a = append(a, piece{one.ground.disk, from, from + (e.length+sectorBytes-1)/sectorBytes, one, e.shared})
		}
	}
	a.sort()
	return a
}
