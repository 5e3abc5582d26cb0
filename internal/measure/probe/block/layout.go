package block

import (
	"errors"
	"io/fs"
	"slices"
	"strconv"
	"strings"

	"github.com/realiops/realiops/internal/measure/layout"
	"github.com/realiops/realiops/internal/metric"
	"github.com/realiops/realiops/internal/runfile"
)

// Parts of a server's storage. If they are on different devices, each has its own metrics: block.wal/writes.
const (
	data        = "data"
	wal         = "wal"
	tablespaces = "tablespaces"
	temp        = "temp"
)

var roles = []string{data, wal, tablespaces, temp}

type part struct {
	role string
	place
}

// spread is the storage under all parts.
type spread struct {
	parts  []part // the data directory first
	unseen []string

	apart []apart // tablespaces by device; empty: all on the same
}

// lay finds the storage of everything that a server writes to. The error is about the data directory alone. A part
// that this user may not see is assumed to be on the data directory's devices.
func (h host) lay(roots []layout.Root) (all spread, err error) {
	if h.unable != nil {
		return spread{}, h.unable
	}
	if len(roots) == 0 {
		return spread{}, notLocal("the server's data directory is not visible on this machine")
	}
	for _, r := range roots {
		switch p, err := h.placeOf(r); {
		case err != nil && r.Role == layout.Data:
			return spread{}, err
		case r.Role == layout.Log: // other programs log to its disk, too
		case err == nil:
			all.parts = append(all.parts, part{partsOf[r.Role], p})
			if r.Temp {
				all.parts = append(all.parts, part{temp, p})
			}
		case errors.Is(err, fs.ErrPermission),
			errors.Is(err, fs.ErrNotExist): // a link made in a container leads to a place there
			all.unseen = append(all.unseen, r.Inside())
		default:
			all.parts = append(all.parts, part{partsOf[r.Role], place{root: r, path: r.Path, missing: err}})
		}
	}
	all.apart = apartIn(all.parts)
	return all, nil
}

// apart is a group of tablespaces on the same devices, if others lie elsewhere.
type apart struct {
	role  string // with the first one's OID: tablespaces.16400
	oid   string
	parts []part
}

func apartIn(parts []part) (all []apart) {
	for _, p := range parts {
		if p.role != tablespaces || p.root.OID == 0 {
			continue
		}
		i := slices.IndexFunc(all, func(a apart) bool {
			return slices.Equal(a.parts[0].devices, p.devices) && (a.parts[0].missing == nil) == (p.missing == nil)
		})
		if i < 0 {
			oid := strconv.FormatUint(uint64(p.root.OID), 10)
			i, all = len(all), append(all, apart{role: metric.TablespaceRole(oid), oid: oid})
		}
		all[i].parts = append(all[i].parts, p)
	}
	if len(all) < 2 {
		return nil
	}
	return all
}

var partsOf = map[layout.Role]string{layout.Data: data, layout.WAL: wal, layout.Tablespaces: tablespaces}

// placeOf returns the storage under a root.
func (h host) placeOf(r layout.Root) (place, error) {
	if r.Err != nil {
		return place{}, r.Err
	}
	return h.under(r)
}

// group is a set of devices whose counts are added up under one name.
type group struct {
	view    string // prefix of the metrics, with its dot: .wal; empty: everything
	devices []string
	missing error // why they cannot be counted
}

// groups returns all devices together, each once, and the devices of each role if they differ.
func (h host) groups(l spread) []group {
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
	for _, a := range l.apart {
		byRole = append(byRole, h.group("."+a.role, a.parts))
	}
	if !differ {
		return []group{all}
	}
	return append([]group{all}, byRole...)
}

// group adds up parts. Parts in memory add nothing; a part on another machine makes the sum unknown.
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

// directories returns one directory on each file system that the server writes to.
func (l spread) directories() (all []layout.Root) {
	seen := map[string]bool{}
	for _, p := range l.parts {
		if p.number != "" && !seen[p.number] && !p.ram {
			all = append(all, p.root)
		}
		seen[p.number] = true
	}
	return all
}

func (h host) storage(l spread) runfile.Storage {
	p := l.parts[0]
	s := runfile.Storage{
		Directory: p.root.Inside(), FileSystem: p.fileSystem, Device: joined(p.devices), RAM: p.ram, Unseen: l.unseen,
	}
	for _, other := range l.parts[1:] {
		if other.ram && !p.ram && (other.role == wal || other.role == tablespaces) &&
			!slices.Contains(s.InMemory, other.role) {
			s.InMemory = append(s.InMemory, other.role)
		}
	}
	all := h.group("", l.parts).devices
	for _, device := range all {
		d := runfile.StorageDevice{Name: written(device), Backing: h.backing(device), Cached: h.cached(device)}
		for _, p := range l.parts {
			if slices.Contains(p.devices, device) && !slices.Contains(d.Holds, p.role) {
				d.Holds = append(d.Holds, p.role)
			}
		}
		for _, a := range l.apart {
			if slices.Contains(a.parts[0].devices, device) {
				d.Holds = append(d.Holds, a.role)
			}
		}
		d.Carries = h.carried(device)
		s.Devices = append(s.Devices, d)
	}
	for _, a := range l.apart {
		if s.Tablespaces == nil {
			s.Tablespaces = map[string][]string{}
		}
		for _, p := range a.parts {
			s.Tablespaces[a.oid] = append(s.Tablespaces[a.oid], p.root.Name)
		}
	}
	return s
}

// joined names several devices as one.
func joined(devices []string) string { return written(strings.Join(devices, "+")) }
