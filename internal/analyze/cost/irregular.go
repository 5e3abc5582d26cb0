package cost

import (
	"fmt"
	"slices"
	"strings"

	"github.com/realiops/realiops/internal/analyze/counts"
	"github.com/realiops/realiops/internal/metric"
)

// Processes of the server that write and fsync the WAL without a request from the operation.
const (
	walWriter    = "the WAL writer"
	checkpointer = "the checkpointer"
)

// irregular names the process whose WAL writes and fsyncs made some repetitions differ.
func irregular(c Count, repetitions []counts.Repetition) string {
	if c.Missing != "" || c.Low == c.High {
		return ""
	}
	column, ok := map[string]string{Fsyncs: "fsyncs", "wal_writes": "writes"}[c.Name]
	if !ok {
		return ""
	}
	most := func(v float64) bool { return v == c.Median }
	if 2*len(slices.DeleteFunc(slices.Clone(c.Runs), most)) >= len(c.Runs) {
		return "" // they never repeat
	}
	in := map[string][]string{}
	var order []string
	for i, r := range repetitions {
		if c.Runs[i] == c.Median {
			continue
		}
		who := interferer(r, column, c.Runs[i] < c.Median)
		if !slices.Contains(order, who) {
			order = append(order, who)
		}
		in[who] = append(in[who], fmt.Sprint(r.Number))
	}
	var names []string
	for _, who := range order {
		names = append(names, fmt.Sprintf("%s (repetition %s)", who, strings.Join(in[who], ", ")))
	}
	return strings.Join(names, "; ")
}

// interferer returns the process that made a repetition differ. From version 18 on the server counts WAL writes by
// process. Before that only the times of checkpoints are known; apart from clients and the checkpointer, the WAL writer
// writes the WAL.
func interferer(r counts.Repetition, column string, fewer bool) string {
	all, known := grew(r, "pgstat.io/wal_"+column)
	clients, knownClients := grew(r, "pgstat.io/wal_client_"+column)
	writer, knownWriter := grew(r, "pgstat.io/wal_writer_"+column)
	timed, _ := grew(r, metric.CheckpointerCheckpointsTimed)
	asked, _ := grew(r, metric.CheckpointerCheckpointsReq)
	byProcess := known && knownClients && knownWriter
	switch {
	case byProcess && writer > 0:
		return walWriter
	case byProcess && all > clients, timed+asked > 0:
		return checkpointer
	case byProcess && fewer:
		return "sessions flushed the WAL of several commits together"
	case byProcess:
		return "the sessions themselves"
	case fewer:
		return "by what is left, " + walWriter + ", which wrote before the commit did"
	default:
		return "by what is left, " + walWriter + ": there was no checkpoint"
	}
}
