// Package layout finds the files of a PostgreSQL server on this machine.
//
// [Locate] finds the server of a session, also in a container or below another root. [Find] finds the roots below which
// the server keeps its files: the data directory, the WAL, each tablespace and the log, each with its device, inode and
// mount. [Root.Walk] and [Layout.Open] reach single files there. They know files by PostgreSQL's documented layout
// (https://www.postgresql.org/docs/current/storage-file-layout.html): what it does not name belongs to other programs.
//
// The server's user, who may have fewer rights than this process, can put anything into these directories. So no link
// is followed but the ones that the server's catalog knows, no mount is entered that is not a root, nothing but a
// regular file is opened, and a root is the same only if it has the same device and inode. What lies on the disks, and
// for whom, is left to the probes.
package layout

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"regexp"
	"strconv"
	"strings"
)

// Server holds what a server reports about its files.
type Server struct {
	Data       string // the data directory, as the server calls it
	Prefix     string // reaches the server's paths where its root is another; empty: it has ours
	Foreign    bool   // its mounts are not ours
	Postmaster int    // its first process, as we count them; 0: unknown

	Tablespaces []Tablespace // of pg_tablespace, without pg_default and pg_global
	Unasked     error        // why pg_tablespace is not known
	LogDir      string       // log_directory where the server collects its log; empty: unknown, or it does not
	LogName     string       // log_filename
}

// Tablespace is a row of pg_tablespace.
type Tablespace struct {
	OID      uint32
	Name     string
	Location string // pg_tablespace_location(oid)
	Err      error  // why the server does not tell its location
	Temp     bool   // it is one of temp_tablespaces
}

// Role is the purpose of a root.
type Role uint8

// All roles.
const (
	Data Role = iota
	WAL
	Tablespaces
	Log
)

// Root is a directory below which a server keeps files, or the file of its log.
type Root struct {
	Role    Role
	OID     uint32 // of a tablespace
	Name    string // of a tablespace, as its users call it
	Temp    bool   // the tablespace is for temporary files
	Path    string // reaches it from this process, without links where they can be seen
	Major   uint32 // of the device it is on, as stat(2) has it; 0 stands for none in particular
	Minor   uint32
	Inode   uint64
	Mount   int    // as /proc/PID/mountinfo has it; 0: this kernel does not tell
	Process int    // a process whose mounts these are; 0: they are ours
	Owner   uint32 // the server's user: files of others are not the server's
	Err     error  // why it cannot be looked at; then only Role, OID and Path are known

	prefix string // of the server's paths
	within string // the directory of a tablespace that is this server's: PG_17_202406281
	tree   *tree  // what the server keeps below; nil: the root is a file
}

// Inside returns the path as the server has it.
func (r *Root) Inside() string { return strings.TrimPrefix(r.Path, r.prefix) }

// Layout is all roots of a server, the data directory first.
type Layout struct {
	Roots      []Root
	Postmaster int // the server's first process, as we count them; 0: unknown
}

// Root returns the root of a role that has only one, or nil.
func (l *Layout) Root(role Role) *Root {
	for i := range l.Roots {
		if l.Roots[i].Role == role {
			return &l.Roots[i]
		}
	}
	return nil
}

var inTablespace = regexp.MustCompile(`^pg_tblspc/(\d+)/(.+)$`)

// Open opens a relation's file, named as pg_relation_filepath() names it.
func (l *Layout) Open(name string) (*os.File, error) {
	root, below := l.Root(Data), name
	if found := inTablespace.FindStringSubmatch(name); found != nil {
		root, below = l.tablespace(found[1]), found[2]
	}
	if root == nil {
		return nil, fmt.Errorf("open %q: the server has no such tablespace: %w", name, fs.ErrNotExist)
	}
	if root.Err != nil {
		return nil, fmt.Errorf("open %q: %w", name, root.Err)
	}
	if file, ok := root.classify(below); !ok || file.Kind != Relation && file.Kind != Map {
		return nil, fmt.Errorf("the server names %q for a relation's file, and PostgreSQL keeps none there", name)
	}
	f, err := root.openFile(below)
	if err != nil {
		return nil, fmt.Errorf("open %q: %w", name, err)
	}
	return f, nil
}

func (l *Layout) tablespace(oid string) *Root {
	for i := range l.Roots {
		if r := &l.Roots[i]; r.Role == Tablespaces && strconv.FormatUint(uint64(r.OID), 10) == oid {
			return r
		}
	}
	return nil
}

// classify finds what the layout says of a path below the root.
func (r *Root) classify(path string) (File, bool) {
	t := r.tree
	if r.within != "" {
		first, rest, _ := strings.Cut(path, "/")
		if first != r.within {
			return File{}, false
		}
		path = rest
	}
	var database uint32
	for t != nil {
		first, rest, more := strings.Cut(path, "/")
		if !more {
			f, ok := t.fileOf(first, database)
			return f, ok
		}
		t, database = t.below(first, database)
		path = rest
	}
	return File{}, false
}

// errChanged is a root in whose place something else is now.
var errChanged = errors.New("something else is in its place now")
