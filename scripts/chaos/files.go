//go:build linux

package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// otherFiles are other programs' files on the server's disk, and files with which a
// server's user may replace its own.
func otherFiles() []Fault {
	const links = "where links lead elsewhere"
	observed := func(name string, arrange func(*surroundings) error, do strike) Fault {
		return Fault{
			Name: "`observe`, " + name, Prepare: surrounded(arrange, observes()), When: reading, Strike: do,
			Check: countsNoOtherFile, Never: "\x1b[2J", Within: 3 * time.Minute,
		}
	}
	backup := writing(`dd if=/dev/zero of="$0" bs=1M count=16 conv=notrunc,fsync`)
	all := []Fault{
		observed("while a program writes into a tablespace's directory", nil, backup("space/backup.dat")),
		observed("while a program writes into another version's directory of a tablespace", nil,
			backup("space/PG_9.6_201608131/5/16384")),
		observed("while a program writes into the data directory", nil, backup("data/backup.dat")),
		observed("while a program writes into a database's directory", nil, backup("data/base/1/backup.dat")),
		observed("while a program writes beside the WAL", nil, backup("data/pg_wal/sub/000000010000000000000001")),
		observed("while a base backup is made", nil,
			writing(`rm -rf "$0" && cp -a "$1/base" "$0" && sync -f "$0"`)("backup")),
		observed(links+": to / for a tablespace", func(n *surroundings) error {
			return os.Symlink("/", n.in("data/pg_tblspc/99999"))
		}, nil),
		observed(links+": to / for a database", func(n *surroundings) error {
			return os.Symlink("/", n.in("data/base/99999"))
		}, nil),
		observed(links+": to a pipe for a table", func(n *surroundings) error {
			pipe := n.in("data/base/1/99998")
			return errors.Join(unix.Mkfifo(pipe, 0o666), os.Symlink(pipe, n.in("data/base/1/99999")))
		}, nil),
		observed("with names that are escape sequences", func(n *surroundings) error {
			return errors.Join(os.Symlink("/", n.in("data/base/1/\x1b[2J\n")), os.Mkdir(n.in("space/\x1b[2J\n"), 0o755))
		}, nil),
		observed("with 100,000 files in a tablespace's directory", func(n *surroundings) error {
			return n.many("space")
		}, nil),
		observed("with 100,000 files in the data directory", func(n *surroundings) error {
			return n.many("data")
		}, nil),
		observed("with 100,000 files in a database's directory", func(n *surroundings) error {
			return n.many("data/base/1")
		}, nil),
	}
	loaded := Fault{
		Name: "`run`, " + links + ": to / for a tablespace", Within: 3 * time.Minute,
		Prepare: surrounded(func(n *surroundings) error {
			return os.Symlink("/", n.in("data/pg_tblspc/99999"))
		}, runs()),
	}
	return in("files", append(all, loaded)...)
}

// surroundings is a server's data directory, and the location of its tablespace.
type surroundings struct {
	*place
	data, space string
}

// in returns a path below the data directory, the tablespace's location or the place of the fault.
func (n *surroundings) in(name string) string {
	first, rest, _ := strings.Cut(name, "/")
	switch first {
	case "data":
		return filepath.Join(n.data, rest)
	case "space":
		return filepath.Join(n.space, rest)
	default:
		return n.path(name)
	}
}

// many makes files as somebody who keeps a queue in a directory does.
func (n *surroundings) many(directory string) error {
	top := n.in(directory)
	made := make([]string, 0, 100_000)
	n.atEnd(func() error {
		for _, path := range made {
			_ = os.Remove(path)
		}
		return nil
	})
	for i := range cap(made) {
		path := filepath.Join(top, fmt.Sprintf("message-%d", i))
		fd, err := unix.Open(path, unix.O_CREAT|unix.O_WRONLY, 0o600)
		if err != nil {
			return err
		}
		_ = unix.Close(fd)
		made = append(made, path)
	}
	return nil
}

// surroundingsOf finds where a place's server keeps its files.
func surroundingsOf(p *place) *surroundings {
	return &surroundings{p, p.servers[0].data, p.path("space")}
}

// surrounded has a server with a tablespace, and others there.
func surrounded(arrange func(*surroundings) error, command prepare) prepare {
	return theirs(first(func(p *place) error {
		if err := asRoot(); err != nil {
			return err
		}
		n := surroundingsOf(p)
		info, err := os.Stat(n.data)
		if err != nil {
			return err
		}
		owner := info.Sys().(*syscall.Stat_t)
		if err := errors.Join(os.Mkdir(n.space, 0o700), os.Chown(n.space, int(owner.Uid), int(owner.Gid))); err != nil {
			return err
		}
		p.atEnd(func() error { return os.RemoveAll(n.space) })
		if err := p.servers[0].sql("create tablespace apart location '"+n.space+"'",
			"create table apart (a int) tablespace apart"); err != nil {
			return err
		}
		if arrange == nil {
			return nil
		}
		return arrange(n)
	}, command))
}

// writing has a program write to a path, over and over until the command ends.
func writing(shell string) func(name string) strike {
	return func(name string) strike {
		return func(s *scene) error {
			n := surroundingsOf(s.place)
			path := n.in(name)
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				return err
			}
			s.atEnd(func() error { return os.RemoveAll(path) })
			s.others.Go(func() {
				for s.ctx.Err() == nil {
					_ = exec.Command("sh", "-c", shell, path, n.data).Run() //nolint:gosec // the table's
				}
			})
			return nil
		}
	}
}

var serverWrote = regexp.MustCompile(`"request\.server/write_bytes":([0-9.e+]+)`)

// countsNoOtherFile: what others write, 16 MiB at a time, is not counted for a server that has little to do.
func countsNoOtherFile(s *scene) []string {
	text, err := os.ReadFile(s.path(record))
	if err != nil {
		return []string{err.Error()}
	}
	found := serverWrote.FindAllSubmatch(text, -1)
	if len(found) < 2 {
		return []string{"the record does not tell what requests were for the server"}
	}
	const most = 16 << 20
	from, _ := strconv.ParseFloat(string(found[0][1]), 64)
	to, _ := strconv.ParseFloat(string(found[len(found)-1][1]), 64)
	if to-from >= most {
		return []string{fmt.Sprintf("%.0f bytes are counted for the server", to-from)}
	}
	return nil
}
