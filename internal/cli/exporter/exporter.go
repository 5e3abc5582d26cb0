// Package exporter serves an observation's readings to scrapers such as Prometheus: the last values of the counters,
// and the verdict on each metric so far.
//
// It follows the records that go into the run file, and asks the server nothing. Values missing in the last reading
// are absent: neither 0 nor unchanged. It serves no texts of statements.
package exporter

import (
	"maps"
	"runtime"
	"strconv"
	"sync"

	"github.com/prometheus/procfs"

	"github.com/realiops/realiops/internal/analyze/attribution"
	"github.com/realiops/realiops/internal/analyze/openmetrics"
	"github.com/realiops/realiops/internal/measure/host"
	"github.com/realiops/realiops/internal/metric"
	"github.com/realiops/realiops/internal/runfile"
)

// Exporter holds the last readings.
type Exporter struct {
	version string // of realiops

	mu       sync.Mutex
	target   *runfile.Target            // nil: nothing was read yet
	probes   map[string]runfile.Reading // the last of each; no values if that failed
	gaps     map[gap]int
	verdicts []attribution.Verdict
}

// gap is a kind of missing reading.
type gap struct{ probe, reason string }

// New returns an exporter that serves only its version until the first record.
func New(version string) *Exporter {
	return &Exporter{version: version, probes: map[string]runfile.Reading{}, gaps: map[gap]int{}}
}

// Record follows the observation.
func (e *Exporter) Record(r runfile.Record) {
	e.mu.Lock()
	defer e.mu.Unlock()
	switch r := r.(type) {
	case runfile.Run:
		e.target = &r.Target
	case runfile.Reading:
		r.Values = maps.Clone(r.Values)
		e.probes[r.Probe] = r
	case runfile.Gap:
		if r.Metric == "" {
			e.probes[r.Probe] = runfile.Reading{}
			e.gaps[gap{r.Probe, string(r.Reason)}]++
		}
	}
}

// Judged sets the verdicts on metrics so far.
func (e *Exporter) Judged(verdicts []attribution.Verdict) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.verdicts = verdicts
}

// metrics returns the last readings, consistently, while the observation goes on.
func (e *Exporter) metrics() []*openmetrics.Metric {
	now := e.now()
	build := &openmetrics.Metric{Name: "realiops_build_info", Help: "The realiops that reads this.",
		Labels: []string{"version", "goversion", "goos", "goarch"}}
	build.Add(1, e.version, runtime.Version(), runtime.GOOS, runtime.GOARCH)
	missing := &openmetrics.Metric{Name: "realiops_probe_gaps_total", Counter: true, Labels: []string{"probe", "reason"},
		Help: "Times that a source could not be read, by the reason; one that lasts counts once."}
	for g, n := range now.gaps {
		missing.Add(float64(n), g.probe, g.reason)
	}
	all := append(now.infoGauges(), build, missing)
	for _, r := range now.probes {
		all = append(all, now.read(r)...)
	}
	return append(all, ourselves()...)
}

// now returns a copy. Readings and verdicts are never changed, only replaced.
func (e *Exporter) now() *Exporter {
	e.mu.Lock()
	defer e.mu.Unlock()
	return &Exporter{version: e.version, target: e.target, probes: maps.Clone(e.probes), gaps: maps.Clone(e.gaps),
		verdicts: e.verdicts}
}

// server returns the server's version, which affects names; 0: unknown.
func (e *Exporter) server() int {
	if e.target == nil {
		return 0
	}
	return metric.VersionNum(e.target.Version)
}

// read converts the reading of one source, by the table of metrics.
func (e *Exporter) read(r runfile.Reading) (all []*openmetrics.Metric) {
	table := metric.All()
	for name, value := range r.Values {
		m := table.Row(name)
		gauge := m.Kind == runfile.Gauge && (value != 0 || m.Unit != "seconds") // a time of 0 means never
		if m.Kind != runfile.Counter && !gauge {
			continue
		}
		one := &openmetrics.Metric{Name: m.Exported(), Help: m.Printed(e.server()) + ": " + m.Help, Counter: !gauge}
		one.Add(value)
		all = append(all, one)
	}
	return all
}

// infoGauges returns the gauges other than readings: the server, and which probes work.
func (e *Exporter) infoGauges() []*openmetrics.Metric {
	server := &openmetrics.Metric{Name: "realiops_server_info", Help: "The server that is observed.",
		Labels: []string{"host", "port", "database", "version", "flavor"}}
	if t := e.target; t != nil {
		server.Add(1, t.Host, strconv.Itoa(t.Port), t.Database, t.Version, t.Flavor)
	}
	up := &openmetrics.Metric{Name: "realiops_probe_up",
		Help: "1 if the last reading of a source succeeded, 0 if it is missing.", Labels: []string{"probe"}}
	at := &openmetrics.Metric{Name: "realiops_probe_read_timestamp_seconds", Help: "When a source was last read.",
		Labels: []string{"probe"}}
	took := &openmetrics.Metric{Name: "realiops_probe_read_duration_seconds",
		Help: "How long the last reading of a source took.", Labels: []string{"probe"}}
	for probe, r := range e.probes {
		if r.Values == nil {
			up.Add(0, probe)
			continue
		}
		up.Add(1, probe)
		at.Add(float64(r.At.UnixMilli())/1000, probe)
		took.Add(r.Took, probe)
	}
	counts := &openmetrics.Metric{
		Name: "realiops_metric_info", Labels: []string{"metric", "name", "verdict", "counts"},
		Help: "What a metric counts, as observed so far: logical work, requests to the operating system, or storage " +
			"work; and the quantity of which it counts one for each.",
	}
	table := metric.All()
	for _, v := range e.verdicts {
		if open := v.Kind == attribution.CannotTell || v.Kind == attribution.Silent; !open || table.First(v.Metric.Name) {
			counts.Add(1, v.Metric.Name, table.Printed(v.Metric.Name, e.server()), string(v.Kind), string(v.Counts))
		}
	}
	return []*openmetrics.Metric{server, up, at, took, counts}
}

// ourselves returns this process's resource use, under Prometheus' usual names. Without
// /proc it has only the CPU time.
func ourselves() (all []*openmetrics.Metric) {
	add := func(name, help string, value float64, counter bool) {
		m := &openmetrics.Metric{Name: "process_" + name, Help: help, Counter: counter}
		m.Add(value)
		all = append(all, m)
	}
	add("cpu_seconds_total", "Total user and system CPU time spent in seconds.", host.ProcessorTime().Seconds(), true)
	self, err := procfs.Self()
	if err != nil {
		return all
	}
	if stat, err := self.Stat(); err == nil {
		add("virtual_memory_bytes", "Virtual memory size in bytes.", float64(stat.VirtualMemory()), false)
		add("resident_memory_bytes", "Resident memory size in bytes.", float64(stat.ResidentMemory()), false)
		if started, err := stat.StartTime(); err == nil {
			add("start_time_seconds", "Start time of the process since unix epoch in seconds.", started, false)
		}
	}
	if open, err := self.FileDescriptorsLen(); err == nil {
		add("open_fds", "Number of open file descriptors.", float64(open), false)
	}
	if most, err := self.Limits(); err == nil {
		add("max_fds", "Maximum number of open file descriptors.", float64(most.OpenFiles), false)
		add("virtual_memory_max_bytes", "Maximum amount of virtual memory available in bytes.",
			float64(most.AddressSpace), false)
	}
	if net, err := self.Netstat(); err == nil && net.InOctets != nil && net.OutOctets != nil {
		add("network_receive_bytes_total", "Number of bytes received by the process over the network.",
			*net.InOctets, true)
		add("network_transmit_bytes_total", "Number of bytes sent by the process over the network.", *net.OutOctets, true)
	}
	return all
}
