// Package layout finds the files of a PostgreSQL server on this machine.
//
// [Locate] finds a session's server, even in a container or another root. [Find] finds the roots of its files: the
// data directory, the WAL, each tablespace and the log, each with its device, inode and mount. [Root.Walk] and
// [Layout.Open] reach the files there. They know files by PostgreSQL's documented layout
// (https://www.postgresql.org/docs/current/storage-file-layout.html): any other file belongs to other programs.
//
// The server's user, who may have fewer privileges than this process, can put anything into these directories. So the
// only links followed are those in the server's catalog, no mount is entered that is not a root, only regular files
// are opened, and a root must keep its device and inode. The probes find out what the disks do for these files.
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

// Server holds a server's report about its files.
type Server struct {
	Data       string // the data directory in the server's view
	Prefix     string // leads to the server's root, if that is another; empty: it is ours
	Foreign    bool   // it has its own mounts
	Postmaster int    // its first process, in our numbering; 0: unknown

	Tablespaces []Tablespace // from pg_tablespace, without pg_default and pg_global
	Unasked     error        // why pg_tablespace is unknown
	LogDir      string       // log_directory if the logging collector runs; empty: unknown, or it does not
	LogName     string       // log_filename
}

// Tablespace is a row of pg_tablespace.
type Tablespace struct {
	OID      uint32
	Name     string
	Location string // pg_tablespace_location(oid)
	Err      error  // why its location is unknown
	Temp     bool   // one of temp_tablespaces
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

// Root is a directory in which a server keeps files, or its log file.
type Root struct {
	Role    Role
	OID     uint32 // of a tablespace
	Name    string // of a tablespace
	Temp    bool   // the tablespace is for temporary files
	Path    string // from this process, without links where possible
	Major   uint32 // of its device, as in stat(2); 0: any
	Minor   uint32
	Inode   uint64
	Mount   int    // as in /proc/PID/mountinfo; 0: unknown
	Process int    // a process with these mounts; 0: they are ours
	Owner   uint32 // the server's user: other users' files are not the server's
	Err     error  // why it cannot be read; then only Role, OID and Path are known

	prefix string // of the server's paths
	within string // this server's directory in a tablespace: PG_17_202406281
	tree   *tree  // the server's files in it; nil: the root is a file
}

// Inside returns the path in the server's view.
func (r *Root) Inside() string { return strings.TrimPrefix(r.Path, r.prefix) }

// Layout is all roots of a server, the data directory first.
type Layout struct {
	Roots      []Root
	Postmaster int // the server's first process, in our numbering; 0: unknown
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

// Open opens a relation's file by its pg_relation_filepath().
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
		return nil, fmt.Errorf("the server reports %q as a relation's file, which PostgreSQL never uses", name)
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

// classify identifies a path below the root by the layout.
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

// errChanged says that another file has replaced the root.
var errChanged = errors.New("it was replaced")
