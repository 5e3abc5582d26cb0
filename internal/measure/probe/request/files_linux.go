package request

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"time"

	"golang.org/x/sys/unix"

	"github.com/realiops/realiops/internal/measure/layout"
	"github.com/realiops/realiops/internal/printable"
)

// mostFiles is how many of a server's files are followed. Requests for further files count among other
// programs', and the report says so.
const mostFiles = 100_000

// Bounds of one look.
const (
	mostNames  = 1_000_000
	lookWithin = 10 * time.Second
)

// changing is how long after its ctime a file may change without a new ctime, since the kernel's clock for files
// advances in steps of up to 10 ms. A file with data that has no place on the disk yet is read again at any age.
const changing = 100 * time.Millisecond

// file is a file of the server, as of the last look.
type file struct {
	root    *root
	is      layout.File
	owner   owner
	inode   uint64
	changed time.Time
	asked   time.Time // when its extents were read
	doubted bool      // other files may share its extents by now
	lies    lies
	seen    int // the last look that found it
}

type files struct {
	most     int // are followed
	place    Place
	roots    []root
	known    map[key]*file
	nodes    map[node]*file // the same by inode
	lists    map[key]list   // directories
	looks    int
	moved    bool // extents have changed since the last atlas
	tooMany  bool
	names    map[uint32]Relation
	nameless bool // a new relation has no name yet

	walk       layout.Walk // of the last look
	lost       []string    // why roots could not be read
	unfollowed []string    // why roots are not followed
}

// key identifies a name: two names of one file are two keys.
type key struct {
	root *root
	path string
}

// node identifies a file until it is deleted.
type node struct {
	device uint32
	number uint64
}

// list is when the names in a directory were last read.
type list struct {
	inode       uint64
	changed, at time.Time
}

// root is a root of the server, and the disk under it.
type root struct {
	layout.Root
	ground ground
}

// device returns the root's file system in the kernel's form.
func (r *root) device() uint32 { return r.Major<<minorBits | r.Minor }

// rootsOf returns the roots whose files can be followed, and messages about the others. The data directory and the
// WAL are required; a log that is on no disk is not missing.
func rootsOf(all []layout.Root) (roots []root, missing []string, err error) {
	for _, r := range all {
		switch g, err := groundOf(&r); {
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

func filesOf(place Place, roots []root, unfollowed []string, most int) files {
	return files{
		most: most, place: place, roots: roots, known: map[key]*file{}, nodes: map[node]*file{}, lists: map[key]list{},
		names: place.Names, unfollowed: unfollowed,
	}
}

// look visits all files, and reads the extents of changed ones again.
func (f *files) look(now time.Time) {
	f.looks++
	f.tooMany, f.nameless = false, false
	clear(f.lists)
	if f.through(now, nil); f.walk.Cut() {
		return // files that it did not see may exist
	}
	for key, one := range f.known {
		if one.seen != f.looks {
			delete(f.known, key)
			if at := (node{key.root.device(), one.inode}); f.nodes[at] == one {
				delete(f.nodes, at)
			}
			f.moved = true
		}
	}
}

// find looks for new names in the directories that changed.
func (f *files) find(now time.Time) {
	f.through(now, func(at key, inode uint64) bool {
		one := f.known[at]
		return one != nil && inode != 0 && one.inode == inode
	})
}

// forget makes the next find read a file again whose inode's number was reused.
func (f *files) forget(i inode) {
	one := f.nodes[node{i.Device, i.Number}]
	if one == nil || one.lies.generation == i.Generation {
		return
	}
	one.inode = 0
	directory := path.Dir(one.is.Path)
	if directory == "." {
		directory = ""
	}
	delete(f.lists, key{one.root, directory})
}

// through visits all directories, or only changed ones for unknown names.
func (f *files) through(now time.Time, known func(at key, inode uint64) bool) {
	f.walk = layout.Walk{Until: time.Now().Add(lookWithin), Names: mostNames}
	f.lost = nil
	for i := range f.roots {
		r := &f.roots[i]
		f.walk.Unchanged = func(directory string, stat *unix.Stat_t) bool {
			at, changed := key{r, directory}, time.Unix(stat.Mtim.Unix())
			before := f.lists[at]
			f.lists[at] = list{stat.Ino, changed, now}
			return known != nil && before.inode == stat.Ino && before.changed.Equal(changed) &&
				before.at.Sub(changed) > changing
		}
		if known != nil {
			f.walk.Known = func(file string, inode uint64) bool { return known(key{r, file}, inode) }
		}
		if err := r.Walk(&f.walk, func(e *layout.Entry) { f.note(r, e, now) }); err != nil {
			f.lost = append(f.lost, err.Error())
		}
	}
	if f.walk.Cut() {
		clear(f.lists) // the last one was not read completely
	}
}

// of returns the file of a request's inode, or nil if it is not a known file of the server. told is false if the
// request has no inode below a root, or is for the file system's metadata.
func (f *files) of(e *event, notes uint32) (one *file, told bool) {
	if e.File.Number == 0 || e.Operation&notes != 0 || !slices.ContainsFunc(f.roots, func(r root) bool {
		return r.device() == e.File.Device
	}) {
		return nil, false
	}
	return f.at(e.File), true
}

// at returns the file with that inode, or nil if it is not a known file of the server.
func (f *files) at(i inode) *file {
	one := f.nodes[node{i.Device, i.Number}]
	if one == nil || one.lies.generation != i.Generation {
		return nil
	}
	return one
}

func (f *files) missing() (all []string) {
	if f.tooMany {
		all = append(all, "the server has more than "+printable.Count(f.most)+" files")
	}
	if f.walk.Cut() {
		all = append(all, fmt.Sprintf("listing the server's files stopped after %s names or %s",
			printable.Count(mostNames),
			printable.Duration(lookWithin)))
	}
	return slices.Concat(all, f.walk.Skipped, f.lost, f.unfollowed)
}

// note records a file and its extents.
func (f *files) note(r *root, e *layout.Entry, now time.Time) {
	at, stat := key{r, e.Path}, &e.Stat
	one, known := f.known[at]
	if !known && len(f.known) >= f.most {
		f.tooMany = true
		return
	}
	changed := time.Unix(stat.Ctim.Unix())
	if !known {
		one = &file{root: r, is: e.File, owner: f.ownerOf(&e.File)}
		f.known[at] = one
	}
	one.seen = f.looks
	f.nameless = f.nameless || f.lacksName(one)
	if known && one.inode == stat.Ino && one.lies.settled && !one.doubted && one.changed.Equal(changed) &&
		one.asked.Sub(changed) > changing {
		return
	}
	one.inode, one.changed, one.asked, one.doubted = stat.Ino, changed, now, false
	f.nodes[node{r.device(), one.inode}] = one
	place, _ := placeOf(e) // gone again: the next look drops it
	f.moved = f.moved || !slices.Equal(place.extents, one.lies.extents)
	one.lies = place
}

// lacksName reports whether a file belongs to a relation without a name, which is new or not committed yet.
func (f *files) lacksName(one *file) bool {
	_, has := f.names[one.owner.node]
	return one.owner.node != 0 && !has
}

// name assigns relations' names to files.
func (f *files) name(names map[uint32]Relation) {
	f.names, f.nameless = names, false
	for _, one := range f.known {
		one.owner = f.ownerOf(&one.is)
		f.nameless = f.nameless || f.lacksName(one)
	}
}

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

func (f *files) atlas() (a atlas) {
	f.moved = false
	for _, one := range f.known {
		for _, e := range one.lies.extents {
			ground := one.root.ground
			from := ground.start + e.from/sectorBytes
			a = append(a, piece{ground.disk, from, from + (e.length+sectorBytes-1)/sectorBytes, one, e.shared})
		}
	}
	a.sort()
	return a
}
