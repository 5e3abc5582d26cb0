package prometheus

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// Server is a PostgreSQL server or a machine in a store.
type Server struct {
	Machine   string   // the address of its exporters, without the port
	Instances []string // of its exporters
	Exporters []string
	Metrics   []string // our metrics that it has
	Devices   []string // disks
	Samples   int      // of the most frequently scraped metric, in the requested time
}

// Survey returns all servers of a store, with the exporters of one machine joined.
func (s *Store) Survey(ctx context.Context, q Query) (all []Server, err error) {
	byMachine, of := map[string]*Server{}, map[string][]Row{}
	for _, row := range rows() {
		of[row.Name] = append(of[row.Name], row)
	}
	for _, exporter := range exporters() {
		sets, err := s.seriesOf(ctx, exporter, q)
		if err != nil {
			return nil, err
		}
		for _, set := range sets {
			instance := set[identity(exporter)]
			machine := hostOf(instance)
			if byMachine[machine] == nil {
				byMachine[machine] = &Server{Machine: machine}
			}
			byMachine[machine].add(exporter, instance, set, of)
		}
	}
	samples, err := s.samples(ctx, q)
	if err != nil {
		return nil, err
	}
	for _, server := range byMachine {
		for _, instance := range server.Instances {
			server.Samples = max(server.Samples, samples[instance])
		}
		all = append(all, *server)
	}
	slices.SortFunc(all, func(a, b Server) int { return strings.Compare(a.Machine, b.Machine) })
	return all, nil
}

func (s *Server) add(exporter, instance string, set labelSet, of map[string][]Row) {
	note := func(list *[]string, value string) {
		if value != "" && !slices.Contains(*list, value) {
			*list = append(*list, value)
			slices.Sort(*list)
		}
	}
	note(&s.Instances, instance)
	note(&s.Exporters, exporter)
	note(&s.Devices, set[deviceLabel])
	for _, row := range of[set[metricName]] {
		if own, err := row.pick([]labelSet{set}); err == nil && len(own) > 0 {
			note(&s.Metrics, row.Ours)
		}
	}
}

// samples counts each instance's samples of a metric that every such exporter has. Each metric is a separate query,
// since counting drops names and would merge them.
func (s *Store) samples(ctx context.Context, q Query) (map[string]int, error) {
	counts := map[string]int{}
	for _, of := range [][2]string{{Realiops, "realiops_pgstat_cluster_xact_commit_total"},
		{PostgresExporter, "pg_stat_database_xact_commit"}, {CloudNativePG, "cnpg_collector_wal_records"},
		{PgExporter, "pg_wal_records"}, {PgWatch, "pgwatch_db_stats_xact_commit"},
		{PostgresReceiver, "postgresql_commits_total"},
		{NodeExporter, "node_disk_writes_completed_total"}, {HostMetrics, "system_disk_operations_total"}} {
		if err := s.count(ctx, identity(of[0]), of[1], q, counts); err != nil {
			return nil, err
		}
	}
	return counts, nil
}

func (s *Store) count(ctx context.Context, label string, name string, q Query, counts map[string]int) error {
	within, cancel := context.WithTimeout(ctx, answerWithin)
	defer cancel()
	query := fmt.Sprintf("max by (%s) (count_over_time(%s[%dms]))", label, name, q.To.Sub(q.From).Milliseconds())
	found, warnings, err := s.source.at(within, query, q.To)
	if err != nil {
		return s.explain(ctx, err)
	}
	if err := s.whole(warnings, 0, mostSeries); err != nil {
		return err
	}
	if found.Type != vector {
		return fmt.Errorf("%s returned a %s instead of counts", s.host, found.kind())
	}
	for _, series := range found.Series {
		instance := series.Metric[label]
		for _, sample := range series.Values {
			counts[instance] = max(counts[instance], int(sample.Value))
		}
	}
	return nil
}
