//go:build linux

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
)

// complaint returns a command's complaint. Like pgbench, a load reports each client that gives up before itself.
func complaint(stderr string) string {
	var lines []string
	for line := range strings.Lines(stderr) {
		if strings.HasPrefix(line, "realiops:") && !aClients.MatchString(line) {
			lines = append(lines, strings.TrimSpace(line))
		}
	}
	return strings.Join(lines, "\n")
}

var aClients = regexp.MustCompile(`^realiops: (waiting for |error: (client|worker) \d|LINE \d|DETAIL|HINT|CONTEXT)`)

// waiting is the line printed at once if a command takes a while to stop.
const waiting = "realiops: stopping; waiting"

// clear: one line reports the fault, and the status is right.
func (f Fault) clear(s *scene) (broken []string) {
	check := func(kept bool, format string, values ...any) {
		if !kept {
			broken = append(broken, fmt.Sprintf(format, values...))
		}
	}
	all, line := s.command.Err.String(), complaint(s.command.Err.String())
	check(!s.late, "takes longer than %v", f.within())
	check(s.late || s.status() == f.Status, "status %d instead of %d", s.status(), f.Status)
	said := strings.Split(line, "\n")
	last := slices.DeleteFunc(slices.Clone(said), func(l string) bool {
		return l == "" || strings.HasPrefix(l, waiting)
	})
	check(strings.Contains(line, f.Says), "says %q instead of %q", line, f.Says)
	check(len(last) <= 1, "says it in %d lines", len(last))
	check(f.Says != "" || len(last) == 0, "says %q", line)
	for _, trace := range []string{"goroutine ", "panic:", "runtime error"} {
		check(!strings.Contains(all+s.command.Out.String(), trace), "prints a trace: %s", all)
	}
	check(f.Never == "" || !strings.Contains(s.command.Out.String()+all, f.Never), "prints what must not be printed")
	used := memoryOf(s.command.ProcessState)
	check(used <= max(f.MemoryMB, 300), "takes %d MB", used)
	return broken
}

// lost: the record still has all its content from before the fault.
func (f Fault) lost(s *scene) []string {
	now, err := os.ReadFile(s.path(record))
	if len(s.kept) == 0 || !bytes.Contains(s.kept, []byte(`"kind":"run"`)) {
		return nil
	}
	if err != nil || !bytes.HasPrefix(now, s.kept) {
		return []string{fmt.Sprintf("loses of the record what was there: %d bytes of %d are left", len(now),
			len(s.kept))}
	}
	return nil
}

// unmarked: every report names the faults of its numbers, and verifiable numbers are possible.
func (f Fault) unmarked(s *scene) (broken []string) {
	text, err := os.ReadFile(s.path(record))
	if err != nil || !bytes.Contains(text, []byte(`"kind":"load"`)) && !bytes.Contains(text, []byte(`"kind":"read"`)) {
		return nil
	}
	marks := []string{f.Marks}
	if s.status() != 0 && s.status() != 3 && f.Marks == "" {
		marks = []string{"The run was interrupted", "The run failed", "The run was cut off"}
	}
	for _, format := range []string{"text", "json"} {
		report := exec.Command(s.program, "report", record, "--format", format) //nolint:gosec // see [place.start]
		report.Dir = s.dir
		out, err := report.CombinedOutput()
		if err != nil {
			return append(broken, fmt.Sprintf("report: %v: %s", err, out))
		}
		flat := strings.Join(strings.Fields(string(out)), " ")
		if !slices.ContainsFunc(marks, func(mark string) bool { return strings.Contains(flat, mark) }) {
			broken = append(broken, fmt.Sprintf("the report in %s does not say %q: %.3000s", format, marks, flat))
		}
		if format == "json" {
			broken = append(broken, impossible(out)...)
		}
	}
	return broken
}

// impossible finds loads with more or fewer rows than their server inserted, unless a warning mentions others.
func impossible(report []byte) (broken []string) {
	type figure struct{ Value *float64 }
	var r struct {
		Loads []struct {
			Load string
			Work []struct {
				Quantity  string
				PerSecond figure `json:"per_second"`
			}
		}
		Metrics []struct {
			Metric string
			Loads  []struct {
				Load      string
				PerSecond figure `json:"per_second"`
			}
		}
		Warnings []json.RawMessage
	}
	if err := json.Unmarshal(report, &r); err != nil {
		return []string{"the report is no JSON: " + err.Error()}
	}
	for _, w := range r.Warnings {
		if bytes.Contains(w, []byte(`"others-worked"`)) || bytes.Contains(w, []byte(`"uncontrolled"`)) {
			return nil
		}
	}
	inserted := map[string]float64{}
	for _, m := range r.Metrics {
		if m.Metric != "pgstat.cluster/tup_inserted" {
			continue
		}
		for _, a := range m.Loads {
			if a.PerSecond.Value != nil {
				inserted[a.Load] = *a.PerSecond.Value
			}
		}
	}
	for _, a := range r.Loads {
		for _, w := range a.Work {
			counted, known := inserted[a.Load]
			if w.Quantity == "rows" && w.PerSecond.Value != nil && known &&
				math.Abs(counted-*w.PerSecond.Value) > 0.02*counted+50 {
				broken = append(broken, fmt.Sprintf("%s: %g rows/s, and the server inserted %g", a.Load,
					*w.PerSecond.Value, counted))
			}
		}
	}
	return broken
}
