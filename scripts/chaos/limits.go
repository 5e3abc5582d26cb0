//go:build linux

package main

import (
	"slices"
	"strings"
	"syscall"
	"time"
)

// limits are inputs that ask for too much.
func limits() []Fault {
	metric := `{"kind":"metric","name":"pgstat.wal/m%d","unit":"records","type":"counter"}`
	event := `{"kind":"load","at":"2026-01-01T00:00:00Z","load":"a%d","repetition":1,"event":"begin"}`
	plan := func(p string) string { return `{"loads":[{"name":"a","method":"copy"` + p }
	all := []Fault{
		{Name: "40,000 metrics in a run file", Prepare: file(head+lines(40_000, metric), "report", "%"),
			Says: "more than 2000 metrics"},
		{Name: "3,000 loads in a run file", Prepare: file(head+lines(3_000, event), "report", "%"),
			Says: "more than 100 loads"},
		{Name: "2,000,000 empty lines", Prepare: file(head+strings.Repeat("\n", 2_000_000), "report", "%"),
			Says: "more than 1000000 empty lines"},
		{Name: "a line of 20 MB", Prepare: file(head+strings.Repeat("x", 20<<20), "report", "%"),
			Says: "longer than 16 MiB"},
		{Name: "a plan with 1e18 repetitions", Prepare: file(plan(`}],"repetitions":1000000000000000000}`), "run",
			"--plan", "%"), Says: "at most 1000"},
		{Name: "a plan with 1e9 clients", Prepare: file(plan(`,"clients":1000000000}]}`), "run", "--plan", "%"),
			Says: "at most 10,000"},
		{Name: "a plan with 1e300 s of rest", Prepare: file(plan(`}],"rest_seconds":1e300}`), "run", "--plan", "%"),
			Says: "use 0 to a day"},
		{Name: "an endless plan", Prepare: plain("run", "--plan", "/dev/zero"), Says: "longer than 4 MiB"},
		{Name: "an endless price file", Prepare: on("local-pg17.jsonl.zst", "size", "%", "--price", "/dev/zero"),
			Says: "longer than 4 MiB"},
		{Name: "endless limits", Prepare: on("local-pg17.jsonl.zst", "size", "%", "--limits", "/dev/zero"),
			Says: "longer than 4 MiB"},
		{Name: "an endless export", Prepare: plain("aws", "cost", "--from", "/dev/zero"), Says: "longer than 64 MiB"},
		{Name: "an endless token", Prepare: plain("history", "--prometheus", "http://127.0.0.1:1", "--token-file",
			"/dev/zero"), Says: "longer than 4 MiB"},
		{Name: "endless budgets", Prepare: plain("measure", "--max", "@/dev/zero", "--sql", "select 1"),
			Says: "longer than 4 MiB"},
		{Name: "an endless script of `measure`", Prepare: plain("measure", "-f", "/dev/zero"),
			Says: "longer than 4 MiB"},
		{Name: "`measure` with 1e18 repetitions", Prepare: plain("measure", "-r", "1000000000000000000", "--sql",
			"select 1"), Says: "at most 10,000"},
		{Name: "`measure` with 1e18 warm-ups", Prepare: plain("measure", "--warmup", "1000000000000000000", "--sql",
			"select 1"), Says: "at most 10,000"},
	}
	for i := range all {
		all[i].Class, all[i].Status = "limits", 1
	}
	return append(all, endlessWaits()...)
}

// endlessWaits are Ctrl-C while reading a pipe without a writer.
func endlessWaits() (all []Fault) {
	for name, args := range map[string][]string{
		"a plan": {"run", "--plan", "pipe"}, "a job file": {"baseline", "--job", "pipe"}, "a script of `load`": {
			"load", "-f", "pipe"},
		"a run for `size`": {"size", "pipe"}, "a run for `report`": {"report", "pipe"}, "a run for `compare`": {
			"compare", "pipe", "pipe"},
		"the prices of `size`": {"size", "%", "--price", "pipe"}, "the prices of `report`": {"report", "%", "-o",
			"page.html", "--price", "pipe"},
		"the limits of `size`": {"size", "%", "--limits", "pipe"}, "what `aws cost` is told": {"aws", "cost", "--from",
			"pipe"}, "the token of `history`": {"history", "--prometheus", "http://127.0.0.1:1", "--token-file", "pipe"},
		"budgets": {"measure", "--max", "@pipe", "--sql", "select 1"}, "a script of `measure`": {"measure", "-f",
			"pipe"}, "what `measure` compares with": {"measure", "--compare", "pipe", "--sql", "select 1"},
		"a run for `share`": {"share", "pipe"},
	} {
		makePipe := func(p *place) error { return syscall.Mkfifo(p.path("pipe"), 0o600) }
		all = append(all, Fault{
			Class: "limits", Name: name + " from a pipe that nobody writes to, and Ctrl-C",
			Prepare: first(makePipe, on("local-pg17.jsonl.zst", args...)),
			When:    after(time.Second), Strike: signal(syscall.SIGINT, program), Within: 5 * time.Second, Status: 1,
			Says: "stopped by SIGINT (Ctrl-C)",
		})
	}
	slices.SortFunc(all, byName)
	return all
}
