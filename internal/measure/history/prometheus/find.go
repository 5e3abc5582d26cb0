package prometheus

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/realiops/realiops/internal/measure/history"
	"github.com/realiops/realiops/internal/printable"
)

// Found is one of our metrics that a store has for the server.
type Found struct {
	Row
	Instance, selector string // of an exporter that changed its address, all of its instances
}

// hosts returns the machines in the instances.
func (f Found) hosts() (all []string) {
	for instance := range strings.SplitSeq(f.Instance, ", ") {
		all = append(all, hostOf(instance))
	}
	return all
}

// mostSeries bounds the series of one exporter.
const mostSeries = 10_000

// Find finds a server's metrics, each from one instance of one exporter. Disks are those of the server's
// machine, unless --host names another.
func (s *Store) Find(ctx context.Context, q Query) (found []Found, err error) {
	q.Device = strings.TrimPrefix(q.Device, "/dev/")
	byName, err := s.seriesByName(ctx, q)
	if err != nil {
		return nil, err
	}
	taken := map[string]bool{}
	for _, row := range rows() {
		sets, err := row.pick(byName[row.Name])
		if err != nil {
			return nil, err
		}
		if len(sets) == 0 || taken[row.Ours] {
			continue
		}
		taken[row.Ours] = true
		if devices := valuesOf(sets, deviceLabel); ofHost(row.Exporter) && len(devices) > 1 {
			return nil, fmt.Errorf("the machine has several disks; choose PostgreSQL's with --device from %s",
				printable.Listed(devices))
		}
		found = append(found, Found{row, strings.Join(valuesOf(sets, instanceLabel), ", "), q.selector(row, sets)})
	}
	during := "from " + q.From.UTC().Format(time.RFC3339) + " to " + q.To.UTC().Format(time.RFC3339)
	if len(found) == 0 {
		by := ""
		if q.Server+q.Host != "" {
			by = ", with these --server and --host"
		}
		return nil, fmt.Errorf("%s has %w, %s%s", s.host, ErrNothing, during, by)
	}
	if q.Server != "" && !slices.ContainsFunc(found, func(f Found) bool { return !ofHost(f.Exporter) }) {
		return nil, fmt.Errorf("%s has no PostgreSQL exporter with --server %s, %s", s.host, q.Server, during)
	}
	if slices.ContainsFunc(rows(), func(r Row) bool { return ofHost(r.Exporter) && len(byName[r.Name]) > 0 }) {
		return found, nil
	}
	return found, s.noDisk(ctx, q, during)
}

// noDisk returns an error if the user named a disk or a machine, and the store has none of that name.
func (s *Store) noDisk(ctx context.Context, q Query, during string) error {
	if q.Device == "" && q.Host == "" {
		return nil
	}
	device := q.Device
	q.Device = ""
	var others []string
	for _, exporter := range exporters() {
		if device == "" || !ofHost(exporter) {
			continue
		}
		sets, err := s.seriesOf(ctx, exporter, q)
		if err != nil {
			return err
		}
		others = append(others, valuesOf(sets, deviceLabel)...)
	}
	if len(others) > 0 {
		slices.Sort(others)
		return fmt.Errorf("%s has no disk %s; choose PostgreSQL's with --device from %s", s.host, device,
			printable.Listed(slices.Compact(others)))
	}
	if q.Host == "" {
		return fmt.Errorf("%s has no disk %s, %s", s.host, device, during)
	}
	return fmt.Errorf("%s has no disk with --host %s, %s", s.host, q.Host, during)
}

// seriesByName returns the series of a server and its machine, of one instance of each exporter.
func (s *Store) seriesByName(ctx context.Context, q Query) (byName map[string][]labelSet, err error) {
	byName = map[string][]labelSet{}
	var machines []string
	var groups [][]string // of machines, each one server under several addresses
	series := map[string][]labelSet{}
	for _, exporter := range exporters() {
		if series[exporter], err = s.seriesOf(ctx, exporter, q); err != nil {
			return nil, err
		}
	}
	for _, exporter := range exporters() {
		sets := series[exporter]
		if ofHost(exporter) && q.Host == "" {
			if len(ownOf(sets, machines)) == 0 && slices.ContainsFunc(exporters(), func(e string) bool {
				return ofHost(e) && len(ownOf(series[e], machines)) > 0
			}) {
				continue // another exporter on the machine
			}
			if sets, err = onMachines(sets, machines, q.Server); err != nil {
				return nil, fmt.Errorf("%s has %w", s.host, err)
			}
		}
		if err := checkOneInstance(exporter, sets); err != nil {
			return nil, err
		}
		if ofHost(exporter) && q.Device == "" {
			counting, err := s.counting(ctx, sets, q)
			if err != nil {
				return nil, err
			}
			sets = wholes(sets, counting)
		}
		if !ofHost(exporter) && exporter != PgWatch {
			var hosts []string
			for _, instance := range valuesOf(sets, instanceLabel) {
				hosts = append(hosts, hostOf(instance))
			}
			machines, groups = append(machines, hosts...), withGroup(groups, hosts)
		}
		for _, set := range sets {
			byName[set[metricName]] = append(byName[set[metricName]], set)
		}
	}
	slices.Sort(machines)
	if machines = slices.Compact(machines); len(groups) > 1 {
		return nil, fmt.Errorf(
			`there are PostgreSQL exporters for several servers (%s); pick one with --server 'instance=~"…:.*"'`,
			printable.Listed(machines))
	}
	return byName, nil
}

// onMachines returns the node_exporter series of the server's machine. An only one is taken even under another name.
// If --server selects no exporter of PostgreSQL, other machines' disks are not taken.
func onMachines(sets []labelSet, machines []string, server string) ([]labelSet, error) {
	if len(sets) == 0 {
		return nil, nil
	}
	if len(machines) == 0 && (server != "" || len(valuesOf(sets, instanceLabel)) > 1) {
		return nil, fmt.Errorf(
			`%w: it has no PostgreSQL exporter, but disks of %d machines; pick one with --host 'instance="…"' from %s`,
			ErrNothing, len(valuesOf(sets, instanceLabel)), printable.Listed(valuesOf(sets, instanceLabel)))
	}
	if own := ownOf(sets, machines); len(own) > 0 {
		return own, nil
	}
	return sets, nil
}

// ownOf returns the series whose exporter runs on one of the machines.
func ownOf(sets []labelSet, machines []string) []labelSet {
	return slices.DeleteFunc(slices.Clone(sets), func(set labelSet) bool {
		return !slices.Contains(machines, hostOf(set[instanceLabel]))
	})
}

// ErrNothing says that the store does not know the server.
var ErrNothing = errors.New("no metric of PostgreSQL or of a disk that realiops knows")

func (q Query) matchers(exporter string) string {
	if !ofHost(exporter) {
		return q.Server
	}
	all := q.Host
	if q.Device != "" {
		all = strings.TrimPrefix(all+`,`+deviceLabel+`=`+quoted(q.Device), ",")
	}
	return all
}

func (q Query) selector(row Row, sets []labelSet) string {
	of := sets[0]
	all := []string{metricName + "=" + quoted(row.Name)}
	for _, label := range slices.Compact([]string{instanceLabel, identity(row.Exporter)}) {
		switch values := valuesOf(sets, label); {
		case len(values) > 1 && moved(row.Exporter, sets):
			all = append(all, anyOf(label, values))
		case of[label] != "":
			all = append(all, label+"="+quoted(of[label]))
		}
	}
	if device := of[deviceLabel]; ofHost(row.Exporter) && device != "" && q.Device == "" {
		all = append(all, deviceLabel+"="+quoted(device))
	}
	for _, matchers := range []string{row.Where, q.matchers(row.Exporter)} {
		if matchers != "" {
			all = append(all, matchers)
		}
	}
	return "{" + strings.Join(all, ",") + "}"
}

// pick returns the row's own series among those of its name.
func (r Row) pick(sets []labelSet) ([]labelSet, error) {
	matchers, err := parseMatchers(r.Where)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(slices.Clone(sets), func(set labelSet) bool {
		return slices.ContainsFunc(matchers, func(m match) bool { return set[m.label] != m.value })
	}), nil
}

// counting returns the disks with paths whose own counters are not all 0 at the end.
func (s *Store) counting(ctx context.Context, sets []labelSet, q Query) (map[string]bool, error) {
	all := map[string]bool{}
	if !slices.ContainsFunc(sets, func(set labelSet) bool {
		return history.HeadOf(set[deviceLabel]) != ""
	}) {
		return all, nil
	}
	within, cancel := context.WithTimeout(ctx, answerWithin)
	defer cancel()
	for _, name := range slices.Concat(nodeDisks().copies, hostDisks().copies) {
		name, own, _ := strings.Cut(strings.TrimSuffix(name, "}"), "{")
		ask := fmt.Sprintf("%s[%dms]", selector(name, own, q.Host, anyHead), min(chunk, q.To.Sub(q.From)).Milliseconds())
		found, _, err := s.source.at(within, ask, q.To)
		if err != nil {
			return nil, s.explain(ctx, err)
		}
		for _, stream := range found.Series {
			if n := len(stream.Values); n > 0 && stream.Values[n-1].Value > 0 {
				all[stream.Metric[deviceLabel]] = true
			}
		}
	}
	return all, nil
}

// wholes returns a machine's series without partitions and paths.
func wholes(sets []labelSet, counting map[string]bool) []labelSet {
	whole, _ := split(valuesOf(sets, deviceLabel), nil, counting)
	return slices.DeleteFunc(sets, func(set labelSet) bool {
		return set[deviceLabel] != "" && !slices.Contains(whole, set[deviceLabel])
	})
}

// seriesOf returns the store's series of an exporter's metrics.
func (s *Store) seriesOf(ctx context.Context, exporter string, q Query) ([]labelSet, error) {
	var names []string
	for _, row := range Mapping() {
		if row.Exporter == exporter {
			names = append(names, row.Name)
		}
	}
	if exporter == Realiops {
		names = []string{"realiops_.+_total"}
	}
	match := metricName + `=~` + quoted(strings.Join(slices.Compact(names), "|"))
	if matchers := q.matchers(exporter); matchers != "" {
		match += "," + matchers
	}
	sets, err := s.series(ctx, q, "{"+match+"}", mostSeries)
	if err != nil {
		return nil, err
	}
	if len(sets) >= mostSeries {
		return nil, fmt.Errorf("%s has at least %d series of %s; select the server with --server or --host", s.host,
			mostSeries, exporter)
	}
	return slices.DeleteFunc(sets, func(set labelSet) bool {
		return exporter == HostMetrics && q.Device == "" && notWhole.MatchString(set[deviceLabel])
	}), nil
}

// withGroup adds names to the groups, and merges those that have one of them.
func withGroup(groups [][]string, names []string) [][]string {
	if len(names) == 0 {
		return groups
	}
	var apart [][]string
	for _, g := range groups {
		if slices.ContainsFunc(g, func(name string) bool { return slices.Contains(names, name) }) {
			names = append(names, g...)
		} else {
			apart = append(apart, g)
		}
	}
	return append(apart, names)
}

// stable lists labels that stay when an exporter's address changes, the one that must be there last.
var stable = [][]string{{"cluster", "name"}, {"cluster", "server"}, {"cluster", "namespace", "pod"}}

// moved reports whether series of several instances are of one exporter whose address changed, by labels that stay. Of
// a machine only its name does. If these instances were there together, reading them fails.
func moved(exporter string, sets []labelSet) bool {
	labels := stable
	if ofHost(exporter) {
		labels = stable[:1]
	}
	return slices.ContainsFunc(labels, func(labels []string) bool {
		return !slices.ContainsFunc(sets, func(set labelSet) bool {
			return set[labels[len(labels)-1]] == "" || tuple(set, labels) != tuple(sets[0], labels)
		})
	})
}

// checkOneInstance returns an error if the series are of several instances.
func checkOneInstance(exporter string, sets []labelSet) error {
	instances := valuesOf(sets, identity(exporter))
	if len(instances) < 2 || exporter != PgWatch && moved(exporter, sets) {
		return nil
	}
	flag, noun := "--server", "instances"
	if ofHost(exporter) {
		flag = "--host"
	}
	if exporter == PgWatch {
		noun = "databases"
	}
	return fmt.Errorf(`%s has %d %s; pick one with %s '%s="…"' from %s`, exporter, len(instances), noun, flag,
		identity(exporter), printable.Listed(instances))
}

// versionMetric is a metric with the server's version in a label.
type versionMetric struct {
	metric, label string
}

func versions() []versionMetric {
	return []versionMetric{{"realiops_server_info", "version"}, {"pg_static", "short_version"},
		{"cnpg_collector_postgres_version", "full"}}
}

// About returns the server's version and flavor, if an exporter has them.
func (s *Store) About(ctx context.Context, q Query) (version, flavor string, err error) {
	for _, m := range versions() {
		sets, err := s.series(ctx, q, selector(m.metric, q.Server), mostSeries)
		if err != nil {
			return "", "", err
		}
		if flavors := valuesOf(sets, "flavor"); len(flavors) == 1 {
			flavor = flavors[0]
		}
		if versions := valuesOf(sets, m.label); len(versions) > 0 {
			return versions[len(versions)-1], flavor, nil
		}
	}
	return "", flavor, nil
}
