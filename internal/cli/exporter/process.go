package exporter

import (
	"github.com/prometheus/procfs"

	"github.com/realiops/realiops/internal/analyze/openmetrics"
	"github.com/realiops/realiops/internal/measure/host"
)

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
		add("network_transmit_bytes_total", "Number of bytes sent by the process over the network.",
			*net.OutOctets, true)
	}
	return all
}
