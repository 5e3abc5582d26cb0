package published

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/realiops/realiops/internal/runfile"
)

// Azure holds published figures of pgbench on three Azure servers.
type Azure struct {
	Source struct {
		Repository, Licence string
		Files               map[string]string
	}
	Workload struct {
		Clients       int
		WindowSeconds float64 `json:"window_seconds"`
	}
	Environments []struct {
		Name, Kind, Version, Instance, Storage, Note string
		Rows                                         []AzureRow
	}
}

// AzureRow is one repetition on a server.
type AzureRow struct {
	Run        string   `json:"run_id"` // its begin
	TPS        float64  `json:"tps"`
	Reads      float64  `json:"io_reads"`
	Writes     float64  `json:"io_writes"`
	IOPS       *float64 `json:"iops_avg"`
	DiskReads  float64  `json:"disk_read_iops_avg"`
	DiskWrites float64  `json:"disk_write_iops_avg"`
}

// ReadAzure reads the source.
func ReadAzure(t testing.TB, file string) (a Azure) {
	t.Helper()
	read(t, file, &a)
	return a
}

const (
	monitor      = "published"
	transactions = monitor + "/transactions" // as the load generator counted them
)

// totals returns a repetition's totals: rates times its seconds, and pgbench's transactions.
func (r AzureRow) totals(seconds float64) map[string]float64 {
	values := map[string]float64{
		"pgstat.io/reads": r.Reads, "pgstat.io/writes": r.Writes, transactions: r.TPS * seconds,
		monitor + "/disk_read_iops": r.DiskReads * seconds, monitor + "/disk_write_iops": r.DiskWrites * seconds,
	}
	if r.IOPS != nil {
		values[monitor+"/iops"] = *r.IOPS * seconds
	}
	return values
}

// AzureRecords returns the run file: a load for each server, with its repetitions.
func AzureRecords(a Azure) []runfile.Record {
	run := theirs("published-azure", "azure", "postgres", a.Environments[0].Version, fmt.Sprintf(
		"Published in %s, no licence seen: figures only, cited. pgbench with %d clients on three servers; what Azure "+
			"Monitor shows is its average times the "+
			"%g seconds, and transactions are pgbench's", a.Source.Repository, a.Workload.Clients,
		a.Workload.WindowSeconds))
	names, records := map[string]bool{}, []runfile.Record{}
	var last time.Time
	for _, e := range a.Environments {
		run.Plan.Loads = append(run.Plan.Loads, runfile.Load{Name: e.Name, Method: runfile.Observed,
			Clients: a.Workload.Clients})
		run.Plan.Repetitions = max(run.Plan.Repetitions, len(e.Rows))
		for i, row := range e.Rows {
			from, _ := time.Parse("20060102T150405Z", row.Run)
			to := from.Add(time.Duration(a.Workload.WindowSeconds * float64(time.Second)))
			values := row.totals(a.Workload.WindowSeconds)
			for name := range values {
				names[name] = true
			}
			file := "results/" + e.Name + "/summary.csv"
			records = append(records, runfile.Origin{
				Load: e.Name, Repetition: i + 1, Probe: monitor, Place: a.Source.Repository, File: file,
				Commit: a.Source.Files[file], Author: "Dinozar1", Licence: a.Source.Licence, How: runfile.Computed,
				Note: fmt.Sprintf("%s, %s, %s", e.Kind, e.Instance, e.Storage),
			}, runfile.LoadEvent{At: from, Load: e.Name, Repetition: i + 1, Event: runfile.Begin},
				runfile.Total{Load: e.Name, Repetition: i + 1, Probe: monitor, From: from, To: to, Values: values},
				runfile.LoadEvent{At: to, Load: e.Name, Repetition: i + 1, Event: runfile.End})
			if run.Start.IsZero() || from.Before(run.Start) {
				run.Start = from
			}
			if to.After(last) {
				last = to
			}
		}
	}
	return slices.Concat([]runfile.Record{run}, announced("postgres", names), records,
		[]runfile.Record{runfile.Ended{At: last, Status: runfile.Complete}})
}

// SIGMOD is the table of the paper on Aurora. Its servers are MySQL, so no run file is made of it.
type SIGMOD struct {
	Conditions struct{ Minutes float64 }
	Rows       []struct {
		Configuration string
		Transactions  float64
		IOs           float64 `json:"ios_per_transaction"`
	}
}

// ReadSIGMOD reads the source.
func ReadSIGMOD(t testing.TB, file string) (s SIGMOD) {
	t.Helper()
	read(t, file, &s)
	return s
}
