//go:build linux

// Command chaos subjects realiops to production's faults, and checks four promises: no measured data is lost, nothing
// is left behind, one clear line and the right status report the fault, and no number goes unmarked.
//
//	chaos [-class CLASS,...] [-name TEXT] [-pg VERSION] [-j N] [-write FILE]
//
// Each fault is a row of a table (a file for each class): a command, the fault and its moment, and the expected
// result. promises.go and left.go check it. Chaos prints each outcome, writes the tables of
// docs/reference/chaos.md with -write, and exits with 1 if a promise was broken. It wants Linux, and root for some
// faults, which are otherwise skipped.
package main

import (
	"cmp"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/realiops/realiops/internal/measure/role"
	"github.com/realiops/realiops/internal/measure/supervisor"
	"github.com/realiops/realiops/internal/test/process"
)

func main() {
	if status, played := role.Main(os.Args, supervisor.Role()); played {
		os.Exit(status)
	}
	class := flag.String("class", "", "only these classes of faults, with commas between")
	name := flag.String("name", "", "only faults whose name has this in it")
	version := flag.String("pg", "", "the version of PostgreSQL; empty: each fault on one, in turn")
	atOnce := flag.Int("j", 3, "how many faults are tried at a time")
	page := flag.String("write", "", "the page whose tables are written")
	flag.Parse()
	all := slices.DeleteFunc(faults(), func(f Fault) bool {
		return *class != "" && !slices.Contains(strings.Split(*class, ","), f.Class) || !strings.Contains(f.Name, *name)
	})
	if err := run(all, *version, *atOnce, *page); err != nil {
		fmt.Fprintln(os.Stderr, "chaos:", err)
		os.Exit(1)
	}
}

func run(all []Fault, version string, atOnce int, page string) error {
	program, work, err := build()
	defer os.RemoveAll(work)
	if err != nil {
		return err
	}
	begun := time.Now()
	results := tryAll(all, atOnce, func(i int) *place {
		pg := cmp.Or(version, versions[i%len(versions)])
		return &place{dir: filepath.Join(work, fmt.Sprint(i)), program: program, runs: shippedRuns(), version: pg}
	})
	fmt.Printf("%d faults in %v\n", len(results), time.Since(begun).Round(time.Second))
	if page != "" {
		if err := write(page, results, begun); err != nil {
			return err
		}
	}
	if broken := count(results, func(r result) bool { return len(r.broken) > 0 }); broken > 0 {
		return fmt.Errorf("%d faults broke a promise", broken)
	}
	return nil
}

// build builds the program, and makes a directory open to all users, as the faults' servers do not run as root.
func build() (program, work string, err error) {
	if work, err = os.MkdirTemp("", "realiops-chaos-"); err != nil {
		return "", "", err
	}
	if err := os.Chmod(work, 0o755); err != nil { //nolint:gosec // see above
		return "", work, err
	}
	program, err = process.Build(work)
	return program, work, err
}

func shippedRuns() string {
	root, err := process.Root()
	if err != nil {
		return ""
	}
	return filepath.Join(root, "testdata", "runs")
}

// versions lists the versions on which faults are tried in turn.
var versions = []string{"13", "14", "15", "16", "17", "18"}

// result is the outcome of a fault.
type result struct {
	Fault
	version string // of PostgreSQL, if it was tried with a server
	said    string
	broken  []string
	skipped string
}

// tryAll tries some faults in parallel, and reports each at its end.
func tryAll(all []Fault, atOnce int, at func(i int) *place) []result {
	results := make([]result, len(all))
	slots := make(chan struct{}, atOnce)
	var wait sync.WaitGroup
	for i, f := range all {
		slots <- struct{}{}
		wait.Go(func() {
			defer func() { <-slots }()
			begun := time.Now()
			results[i] = f.try(at(i))
			fmt.Printf("%-7s %5.1f s  %-2s %s: %s%s\n", results[i].mark(), time.Since(begun).Seconds(),
				results[i].version, f.Class, f.Name, results[i].why())
		})
	}
	wait.Wait()
	return results
}

func (r result) mark() string {
	switch {
	case len(r.broken) > 0:
		return "BROKEN"
	case r.skipped != "":
		return "skipped"
	default:
		return "kept"
	}
}

func (r result) why() string {
	switch {
	case len(r.broken) > 0:
		return ": " + strings.Join(r.broken, "; ")
	case r.skipped != "":
		return ": " + r.skipped
	default:
		return ""
	}
}

func count(results []result, what func(result) bool) (n int) {
	for _, r := range results {
		if what(r) {
			n++
		}
	}
	return n
}
