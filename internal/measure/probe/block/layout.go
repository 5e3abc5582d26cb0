package block

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/realiops/realiops/internal/runfile"
)

// Layout is where a server keeps what it writes.
type Layout struct {
	Data string   // the data directory
	Temp []string // the tablespaces for temporary files, by their names below pg_tblspc; none: with the databases' own
}

// What a directory holds. Where not all are on the same devices, each has metrics of its own: block.wal/writes.
const (
	data        = "data"
	wal         = "wal"
	tablespaces = "tablespaces"
	temp        = "temp"
)

var roles = []string{data, wal, tablespaces, temp}

// part is one of the directories that a server writes to.
type part struct {
	role string
	place
}

// layout is what lies under all parts.
type layout struct {
	directory string // the data directory, as it was named
	parts     []part // the data directory first
	unseen    []string
}

// lay looks at everything that a server writes to. The error is about the data directory alone. What this user may not
// look at is unseen, and taken to be on the data directory's devices.
func (h host) lay(l Layout) (layout, error) {
	if l.Data == "" && h.unable == nil {
		return layout{}, notLocal("the server's data directory is not to be seen on this machine")
	}
	p, err := h.place(l.Data)
	if err != nil {
		return layout{}, err
	}
	all := layout{directory: l.Data, parts: []part{{data, p}}}
	h.add(&all, wal, filepath.Join(p.path, "pg_wal"))
	spaces := filepath.Join(p.path, "pg_tblspc")
	names, err := h.list(spaces)
	if errors.Is(err, fs.ErrPermission) {
		all.unseen = append(all.unseen, spaces)
	}
	for _, name := range names {
		h.add(&all, tablespaces, filepath.Join(spaces, name))
		if slices.Contains(l.Temp, name) {
			h.add(&all, temp, filepath.Join(spaces, name))
		}
	}
	return all, nil
}

// add looks at one more directory, unless there is none.
func (h host) add(all *layout, role, path string) {
	p, err := h.place(path)
	switch {
	case err == nil:
		all.parts = append(all.parts, part{role, p})
	case errors.Is(err, fs.ErrPermission), errors.Is(err, fs.ErrNotExist) && isLink(path):
		all.unseen = append(all.unseen, path)
	case !errors.Is(err, fs.ErrNotExist):
		all.parts = append(all.parts, part{role, place{path: path, missing: err}})
	}
}

// isLink tells whether a path is a link, wherever that leads: one made in a container leads to a place there.
func isLink(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.Mode()&fs.ModeSymlink != 0
}

// group is the devices whose counts are added up under one name.
type group struct {
	view    string // of the metrics, with its dot: .wal; empty: everything
	devices []string
	missing error // why they cannot be counted
}

// groups are all devices together, each once, and those of each role where they are not the same.
func (h host) groups(l layout) []group {
	all := h.group("", l.parts)
	var byRole []group
	differ := false
	for _, role := range roles {
		parts := slices.DeleteFunc(slices.Clone(l.parts), func(p part) bool { return p.role != role })
		if len(parts) == 0 {
			continue
		}
		g := h.group("."+role, parts)
		differ = differ || !slices.Equal(g.devices, all.devices) || (g.missing == nil) != (all.missing == nil)
		byRole = append(byRole, g)
	}
	if !differ {
		return []group{all}
	}
	return append([]group{all}, byRole...)
}

// group adds up parts. Of several, those in memory add nothing; one that is somewhere else spoils the sum.
func (h host) group(view string, parts []part) group {
	g := group{view: view}
	allInRAM := !slices.ContainsFunc(parts, func(p part) bool { return !p.ram })
	for _, p := range parts {
		if !p.ram || allInRAM { // a RAM disk counts requests like any other device
			g.devices = append(g.devices, p.devices...)
		}
		if p.missing != nil && !p.ram && g.missing == nil {
			g.missing = p.missing
		}
	}
	g.devices = sorted(g.devices)
	for _, device := range g.devices {
		if err := h.mustCount(device); err != nil && g.missing == nil {
			g.missing = err
		}
	}
	if g.missing == nil && len(g.devices) == 0 {
		g.missing = parts[0].missing
	}
	return g
}

// directories are one on each file system that the server writes to.
func (l layout) directories() []string {
	var all []string
	seen := map[string]bool{}
	for _, p := range l.parts {
		if p.number != "" && !seen[p.number] && !p.ram {
			all = append(all, p.path)
		}
		seen[p.number] = true
	}
	return all
}

// storage describes the layout for the record.
func (h host) storage(l layout) runfile.Storage {
	p := l.parts[0]
	s := runfile.Storage{
		Directory: l.directory, FileSystem: p.fileSystem, Device: joined(p.devices), RAM: p.ram, Unseen: l.unseen,
	}
	all := h.group("", l.parts).devices
	for _, device := range all {
		d := runfile.StorageDevice{Name: written(device), Backing: h.backing(device)}
		for _, p := range l.parts {
			if slices.Contains(p.devices, device) && !slices.Contains(d.Holds, p.role) {
				d.Holds = append(d.Holds, p.role)
			}
		}
		d.Carries = h.carried(device)
		s.Devices = append(s.Devices, d)
	}
	return s
}

// joined names several devices as one.
func joined(devices []string) string { return written(strings.Join(devices, "+")) }
