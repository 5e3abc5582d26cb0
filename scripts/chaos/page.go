//go:build linux

package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"
)

// This program writes the part of the page between these lines.
const (
	pageBegin = "<!-- written by scripts/chaos -->\n"
	pageEnd   = "<!-- end -->\n"
)

// write puts the tables into the page, and keeps those of untried classes.
func write(path string, results []result, begun time.Time) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	before, rest, found := strings.Cut(string(text), pageBegin)
	there, after, ended := strings.Cut(rest, pageEnd)
	if !found || !ended {
		return errors.New(path + " does not say where the tables stand")
	}
	return os.WriteFile(path, []byte(before+pageBegin+merged(there, results, begun)+pageEnd+after),
		0o644) //nolint:gosec // a page for all
}

// merged returns the tables of all classes, each under its heading, in the order of the faults.
func merged(there string, results []result, begun time.Time) string {
	const heading = "\n## "
	sections := map[string]string{}
	for section := range strings.SplitSeq(there, heading) {
		class, _, _ := strings.Cut(section, "\n")
		sections[class] = section
	}
	for _, class := range classes(results) {
		sections[class] = table(class, results, begun)
	}
	var b strings.Builder
	for _, class := range classes(asResults(faults())) {
		if section := sections[class]; section != "" {
			b.WriteString(heading + section)
		}
	}
	return b.String()
}

func asResults(all []Fault) []result {
	results := make([]result, len(all))
	for i, f := range all {
		results[i].Fault = f
	}
	return results
}

func table(class string, results []result, begun time.Time) string {
	of := slices.DeleteFunc(slices.Clone(results), func(r result) bool { return r.Class != class })
	broken := count(of, func(r result) bool { return r.mark() == "BROKEN" })
	skipped := count(of, func(r result) bool { return r.mark() == "skipped" })
	var b strings.Builder
	fmt.Fprintf(&b,
		"%s\n\n%d faults: %d kept, %d broken, %d skipped. Tried on %s, on %s; with PostgreSQL %s in turn.\n\n", class,
		len(of), len(of)-broken-skipped, broken, skipped, begun.Format(time.DateOnly), machine(),
		strings.Join(versions, ", "))
	b.WriteString("| fault | PostgreSQL | status | it says | |\n|---|---|---|---|---|\n")
	for _, r := range of {
		b.WriteString(r.row())
	}
	return b.String()
}

// classes are in the order of the table.
func classes(results []result) (all []string) {
	for _, r := range results {
		if !slices.Contains(all, r.Class) {
			all = append(all, r.Class)
		}
	}
	return all
}

func (r result) row() string {
	status := fmt.Sprint(r.Status)
	if r.Status < 0 {
		status = "signal"
	}
	said := strings.TrimPrefix(strings.Join(strings.Fields(r.said), " "), "realiops: ")
	const longest = 120
	if letters := []rune(said); len(letters) > longest {
		said = string(letters[:longest]) + " ..."
	}
	return fmt.Sprintf("| %s | %s | %s | %s | %s%s |\n", cell(r.Name), r.version, status, cell(said), r.mark(),
		cell(r.why()))
}

func cell(text string) string {
	return strings.NewReplacer("|", `\|`, "<", "&lt;", "\n", " ").Replace(text)
}

// machine describes the machine of the trial.
func machine() string {
	kernel, _ := exec.Command("uname", "-srm").Output()
	processors, _ := exec.Command("nproc").Output()
	return fmt.Sprintf("%s with %s processors", strings.TrimSpace(string(kernel)), strings.TrimSpace(string(processors)))
}
