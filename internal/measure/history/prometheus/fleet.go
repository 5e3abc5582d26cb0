package prometheus

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/realiops/realiops/internal/measure/fleet"
	"github.com/realiops/realiops/internal/printable"
	"github.com/realiops/realiops/internal/runfile"
)

// Fleet is all databases of a store. The store computes sums and maxima, since 30 days of samples of 1,000
// databases are too much to transfer.
type Fleet struct {
	store   *Store
	query   Query
	members map[string]member // by name
	unread  []string          // names of series that look like a database's
	hosts   []string          // of all disks
}

// member identifies a database in a store.
type member struct {
	of      shape
	labels  []string   // that identify it
	sets    []labelSet // with its values of them
	trouble string     // why it is not queried
	again   string     // which other members may be the same database under another address
	devices []string   // of a machine
	without []string   // devices that are parts of these, or made of them
	infos   map[string]diskInfo
}

// NewFleet returns the fleet of a store. The query's label matchers select databases; it also has the time.
func NewFleet(s *Store, q Query) *Fleet { return &Fleet{s, q, map[string]member{}, nil, nil} }

// AtOnce returns how many databases one query covers.
func (f *Fleet) AtOnce() int { return 20 }

// Queries estimates the number of queries for that many databases.
func (f *Fleet) Queries(databases int) int {
	batches := (databases + f.AtOnce() - 1) / f.AtOnce()
	return batches * (1 + len(nodeDisks().parts))
}

const mostDatabases = 10_000

// Databases returns all databases of the store: instances and clusters from exporters of CloudWatch, and machines
// with an exporter of PostgreSQL.
func (f *Fleet) Databases(ctx context.Context) ([]fleet.Database, error) {
	all, err := f.Instances(ctx)
	if err != nil {
		return nil, err
	}
	machines, err := f.machines(ctx)
	if err != nil {
		return nil, err
	}
	if all = append(all, machines...); len(all) > mostDatabases {
		return nil, fmt.Errorf("%s has more than %s databases, which is the limit; select some with --server and --host",
			f.store.host, printable.Count(mostDatabases))
	}
	slices.SortFunc(all, func(a, b fleet.Database) int { return strings.Compare(a.Name, b.Name) })
	f.unread, err = f.lookUnread(ctx)
	return all, err
}

func (f *Fleet) matchers(s shape) string {
	if s.probe == "block" {
		return f.query.Host
	}
	return f.query.Server
}

// Instances returns the instances and clusters from exporters of CloudWatch.
func (f *Fleet) Instances(ctx context.Context) (all []fleet.Database, err error) {
	shapes := cloudShapes()
	var names []string
	for _, s := range shapes {
		names = append(names, s.exists)
	}
	const mostOfEach = 5
	slices.Sort(names)
	match := "{" + anyOf("__name__", slices.Compact(names))
	if f.query.Server != "" {
		match += "," + f.query.Server
	}
	sets, err := f.store.series(ctx, f.query, match+"}", mostOfEach*mostDatabases)
	if err != nil {
		return nil, err
	}
	for _, s := range shapes {
		ofShape := slices.DeleteFunc(slices.Clone(sets), func(set labelSet) bool { return !s.tells(set) })
		databases, err := f.identified(ctx, s, ofShape)
		if err != nil {
			return nil, err
		}
		for _, name := range slices.Sorted(maps.Keys(databases)) {
			target := runfile.Target{Kind: "history", Flavor: "postgres", Host: name}
			if slices.Contains(clusterLabels, s.label) { // of Aurora
				target.Flavor, target.Cloud = "aurora", &runfile.Cloud{Provider: "aws", Cluster: name,
					Engine: "aurora-postgresql"}
			}
			all = f.add(all, name, databases[name], target)
		}
	}
	return all, nil
}

// tells reports whether a series has the shape.
func (s shape) tells(set labelSet) bool {
	return set[metricName] == s.exists && set[s.label] != "" &&
		!slices.ContainsFunc(s.unless, func(l string) bool { return set[l] != "" })
}

func (f *Fleet) add(all []fleet.Database, name string, m member, target runfile.Target) []fleet.Database {
	if _, twice := f.members[name]; twice {
		return all
	}
	f.members[name] = m
	return append(all, fleet.Database{Name: name, Target: target})
}

// identified returns the databases of a shape's series by name. Databases from another Prometheus by federation count
// only if no series scraped here has the same name and values.
func (f *Fleet) identified(ctx context.Context, s shape, sets []labelSet) (map[string]member, error) {
	var here, handedOn []labelSet
	for _, set := range sets {
		if s.label == instanceLabel && set[federatedLabel] != "" {
			handedOn = append(handedOn, set)
		} else {
			here = append(here, set)
		}
	}
	if len(handedOn) == 0 {
		return f.alone(ctx, s, here)
	}
	direct, federated := s, s
	direct.among = strings.TrimPrefix(s.among+","+federatedLabel+`=""`, ",")
	federated.label = federatedLabel
	all, err := f.alone(ctx, direct, here)
	if err != nil {
		return nil, err
	}
	others, err := f.alone(ctx, federated, handedOn)
	if err != nil {
		return nil, err
	}
	for _, name := range slices.Sorted(maps.Keys(others)) {
		other := others[name]
		if one, both := all[name]; both {
			same, err := f.showTheSame(ctx, one, other)
			if err != nil {
				return nil, err
			}
			if same {
				continue
			}
			name = hostOf(other.sets[0][instanceLabel]) + "/" + name
		}
		all[name] = other
	}
	return all, nil
}

// showTheSame reports whether two members agree in the hours that both have.
func (f *Fleet) showTheSame(ctx context.Context, one, other member) (bool, error) {
	a, b := one.of.distinct(one.sets), other.of.distinct(other.sets)
	if err := f.show(ctx, one.of, a); err != nil {
		return false, err
	}
	if err := f.show(ctx, other.of, b); err != nil {
		return false, err
	}
	return one.of.same(a[0], b[0]), nil
}

// alone returns the databases of series that were scraped in the same way. They are named by the labels that the user
// chose, or by the shape's, and if necessary by more labels that distinguish them.
func (f *Fleet) alone(ctx context.Context, s shape, sets []labelSet) (map[string]member, error) {
	byName := map[string][]labelSet{}
	for _, set := range sets {
		name, _ := f.name(s, set)
		byName[name] = append(byName[name], set)
	}
	groups, err := f.apart(ctx, s, byName)
	if err != nil {
		return nil, err
	}
	all := map[string]member{}
	for name, of := range groups {
		_, by := f.name(s, of[0][0].labels)
		if len(of) == 1 {
			all[name] = member{of: s, labels: by, sets: flat(of)}
			continue
		}
		labels := distinguishing(of)
		if labels == nil || f.chosen(of[0][0].labels) {
			all[name] = member{of: s, labels: by, trouble: several(name, of)}
			continue
		}
		for _, g := range of {
			m := member{of: s, labels: labels, sets: flat([][]copyOf{g})}
			if !slices.Contains(labels, s.label) {
				m.labels = append(m.labels, s.label)
			}
			all[spelled(m.sets[0], labels)+"/"+name] = m
		}
	}
	return all, nil
}

// several explains why databases that share a name are left out.
func several(name string, groups [][]copyOf) string {
	by := "no label distinguishes them"
	if labels := distinguishing(groups); labels != nil {
		by = "distinguish them with --name-label " + strings.Join(labels, ",")
	}
	return fmt.Sprintf("%d different servers are named %s; %s", len(groups), name, by)
}

// chosen reports whether a series has labels that the user chose as names.
func (f *Fleet) chosen(set labelSet) bool {
	return slices.ContainsFunc(f.query.NameLabels, func(l string) bool { return set[l] != "" })
}

// name returns the name of a series' database, and its labels.
func (f *Fleet) name(s shape, set labelSet) (string, []string) {
	by := []string{s.label}
	if f.chosen(set) {
		by = slices.Clone(f.query.NameLabels)
	}
	return spelled(set, by), by
}

func spelled(set labelSet, labels []string) string {
	var all []string
	for _, l := range labels {
		value := set[l]
		if l == instanceLabel || l == federatedLabel {
			value = hostOf(value)
		}
		all = append(all, value)
	}
	return strings.Join(all, "/")
}

// machines returns the machines with an exporter of PostgreSQL, by address without the port. Machines without
// node_exporter lack only storage metrics.
func (f *Fleet) machines(ctx context.Context) (all []fleet.Database, err error) {
	disks, err := f.disks(ctx)
	if err != nil {
		return nil, err
	}
	for _, name := range serverMetrics() {
		s := servers(name)
		sets, err := f.store.series(ctx, f.query, selector(name, f.query.Server), 10*mostDatabases)
		if err != nil {
			return nil, err
		}
		servers, err := f.identified(ctx, s, sets)
		if err != nil {
			return nil, err
		}
		if err := f.noteMoved(ctx, servers); err != nil {
			return nil, err
		}
		for _, name := range slices.Sorted(maps.Keys(servers)) {
			for machine, m := range disks.of(name, servers[name]) {
				target := runfile.Target{Kind: "history", Flavor: "postgres", Host: machine, Storage: runfile.Storage{
					Device: strings.Join(m.devices, "+")}}
				all = f.add(all, machine, m, target)
			}
		}
	}
	return all, nil
}

// noteMoved says which servers may be the same under another address: they share a label that stays, and none was there
// while another one was.
func (f *Fleet) noteMoved(ctx context.Context, servers map[string]member) error {
	for _, labels := range stable {
		sharing := map[string][]string{}
		for _, name := range slices.Sorted(maps.Keys(servers)) {
			if servers[name].trouble != "" { // it has no series
				continue
			}
			if set := servers[name].sets[0]; set[labels[len(labels)-1]] != "" && !f.chosen(set) {
				key := tuple(set, labels)
				sharing[key] = append(sharing[key], name)
			}
		}
		for _, names := range sharing {
			if len(names) < 2 {
				continue
			}
			together, err := f.together(ctx, servers, names)
			if err != nil {
				return err
			}
			if together {
				continue
			}
			for _, name := range names {
				m := servers[name]
				m.again = fmt.Sprintf("%s have the same %s, one after the other: if they are one server, join them with "+
					"--name-label %s", printable.Listed(names), labels[len(labels)-1], strings.Join(labelsOf(m.sets[0], labels), ","))
				servers[name] = m
			}
		}
	}
	return nil
}

// labelsOf returns the labels that a series has.
func labelsOf(set labelSet, labels []string) []string {
	return slices.DeleteFunc(slices.Clone(labels), func(l string) bool { return set[l] == "" })
}

// together reports whether two of the servers have values in the same hours. At the hour of a change both may have. Of
// many servers that share the pod of their exporter, the first ones show it.
func (f *Fleet) together(ctx context.Context, servers map[string]member, names []string) (bool, error) {
	seen, common := map[instant]string{}, 0
	for _, name := range names {
		if common >= len(names) {
			return true, nil
		}
		copies := servers[name].of.distinct(servers[name].sets)
		if err := f.show(ctx, servers[name].of, copies); err != nil {
			return false, err
		}
		for _, c := range copies {
			for at := range c.values {
				if by := seen[at]; by != "" && by != name {
					common++
				}
				seen[at] = name
			}
		}
	}
	return common >= len(names), nil
}

// disksOf holds the disks of machines, by machine.
type disksOf map[string]member

// of returns the disks of a server's machine, by name. It returns several if the labels that distinguish
// them are missing on the server.
func (d disksOf) of(name string, server member) map[string]member {
	if m, ok := d[name]; ok {
		m.trouble, m.again = cmp.Or(m.trouble, server.trouble), server.again
		return map[string]member{name: m}
	}
	if server.trouble != "" {
		return map[string]member{name: server}
	}
	host := hostOf(instanceOf(server.sets[0]))
	found := map[string]member{}
	for machine, m := range d {
		if len(m.sets) == 0 || hostOf(instanceOf(m.sets[0])) != host || contradict(server.sets, m.sets) {
			continue
		}
		if machine == host { // one of several servers on a machine of that name
			machine = name
		}
		m.again = server.again
		found[machine] = m
	}
	if len(found) == 0 {
		server.trouble = "no node_exporter has the machine's name, so storage activity is unknown"
		return map[string]member{name: server}
	}
	return found
}

// contradict reports whether a naming label has different values in some series of a and b.
func contradict(a, b []labelSet) bool {
	return slices.ContainsFunc(namingLabels, func(l string) bool {
		if slices.Contains(exporterLabels, l) || l == "name" {
			return false
		}
		one, other := valuesOf(a, l), valuesOf(b, l)
		return len(one) > 0 && len(other) > 0 && !slices.ContainsFunc(one, func(v string) bool {
			return slices.Contains(other, v)
		})
	})
}

func (f *Fleet) disks(ctx context.Context) (disksOf, error) {
	const mostDisks = 10 * mostDatabases
	all := disksOf{}
	for _, s := range []shape{nodeDisks(), hostDisks()} {
		sets, err := f.store.series(ctx, f.query, s.query("$1", nil, []string{f.query.Host}, s.exists), mostDisks)
		if err != nil {
			return nil, err
		}
		if len(sets) >= mostDisks {
			return nil, fmt.Errorf("%s has at least %d disks; select some with --host", f.store.host, mostDisks)
		}
		machines, err := f.identified(ctx, s, sets)
		if err != nil {
			return nil, err
		}
		infos := map[string]map[string]diskInfo{}
		if s.exporter == NodeExporter && len(sets) > 0 {
			if infos, err = f.diskInfos(ctx); err != nil {
				return nil, err
			}
		}
		counting, err := f.counting(ctx, s, sets)
		if err != nil {
			return nil, err
		}
		devices := map[string][]string{}
		for _, set := range sets {
			f.hosts = append(f.hosts, hostOf(set[instanceLabel]))
			own := s.own(set).String()
			devices[own] = append(devices[own], set[deviceLabel])
		}
		for name, m := range machines {
			if _, twice := all[name]; !twice {
				all[name] = m.onWhole(devices, infos, counting)
			}
		}
	}
	return all, nil
}

// onWhole returns the member with its devices.
func (m member) onWhole(devices map[string][]string, infos map[string]map[string]diskInfo,
	counting map[string]map[string]bool) member {
	var all []string
	counts := map[string]bool{}
	m.infos = map[string]diskInfo{}
	for _, set := range m.sets {
		all = append(all, devices[set.String()]...)
		maps.Copy(m.infos, infos[instanceOf(set)])
		maps.Copy(counts, counting[instanceOf(set)])
	}
	slices.Sort(all)
	m.devices, m.without = split(slices.Compact(all), m.infos, counts)
	return m
}
