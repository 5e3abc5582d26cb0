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

// What is between these lines of the page is written by this program.
const (
	pageBegin = "<!-- written by scripts/chaos -->\n"
	pageEnd   = "<!-- end -->\n"
)

// write puts the tables into the page.
func write(path string, results []result, begun time.Time) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	before, rest, found := strings.Cut(string(text), pageBegin)
	_, after, ended := strings.Cut(rest, pageEnd)
	if !found || !ended {
		return errors.New(path + " does not say where the tables stand")
	}
	return os.WriteFile(path, []byte(before+pageBegin+tables(results, begun)+pageEnd+after), 0o644) //nolint:gosec // a page for all
}

func tables(results []result, begun time.Time) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Tried on %s in %v, on %s; with PostgreSQL %s in turn.\n\n", begun.Format(time.DateOnly), time.Since(begun).Round(time.Minute), machine(), strings.Join(versions, ", "))
	b.WriteString("| class | faults | kept | broken | skipped |\n|---|---|---|---|---|\n")
	for _, class := range append(classes(results), "") {
		of := slices.DeleteFunc(slices.Clone(results), func(r result) bool { return class != "" && r.Class != class })
		broken := count(of, func(r result) bool { return r.mark() == "BROKEN" })
		skipped := count(of, func(r result) bool { return r.mark() == "skipped" })
		name := titleOf(class)
		if class == "" {
			name = "all"
		}
		fmt.Fprintf(&b, "| %s | %d | %d | %d | %d |\n", name, len(of), len(of)-broken-skipped, broken, skipped)
	}
	for _, class := range classes(results) {
		fmt.Fprintf(&b, "\n### %s\n\n| fault | PostgreSQL | status | it says | |\n|---|---|---|---|---|\n", titleOf(class))
		for _, r := range results {
			if r.Class == class {
				b.WriteString(r.row())
			}
		}
	}
	return b.String()
}

// titleOf is what the page calls a class.
func titleOf(class string) string {
	if class == "neighbors" {
		return "other programs' files"
	}
	return class
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
	return fmt.Sprintf("| %s | %s | %s | %s | %s%s |\n", cell(r.Name), r.version, status, cell(said), r.mark(), cell(r.why()))
}

func cell(text string) string {
	return strings.NewReplacer("|", `\|`, "<", "&lt;", "\n", " ").Replace(text)
}

// machine is what the faults were tried on.
func machine() string {
	kernel, _ := exec.Command("uname", "-srm").Output()
	processors, _ := exec.Command("nproc").Output()
	return fmt.Sprintf("%s with %s processors", strings.TrimSpace(string(kernel)), strings.TrimSpace(string(processors)))
}
