//go:build unix

package main

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/realiops/realiops/internal/measure/server/embedded"
	"github.com/realiops/realiops/internal/test/servertest"
)

var update = flag.Bool("update", false, "write the statements that servers saw into docs/reference/statements.md")

// The statements are between these lines of the page.
const (
	statementsBegin = "<!-- what servers saw -->\n```sql\n"
	statementsEnd   = "```\n<!-- end -->\n"
)

// docs/reference/statements.md lists every statement that servers of all versions log for the commands.
func TestDocsListEveryStatement(t *testing.T) {
	t.Parallel()
	seen, versions := sightings{of: map[string]map[string][]string{}}, servertest.Matrix("17", servertest.Released()...)
	t.Run("versions", func(t *testing.T) {
		for _, version := range versions {
			t.Run(version, func(t *testing.T) {
				t.Parallel()
				seen.look(t, version)
			})
		}
	})
	const page = "../../docs/reference/statements.md"
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, begun := strings.Cut(string(text), statementsBegin)
	listed, after, ended := strings.Cut(rest, statementsEnd)
	if !begun || !ended {
		t.Fatal("the page has no place for the statements")
	}
	if !servertest.Thorough() {
		listed = listedOf(t, listed, versions[0])
	}
	sent := seen.list(after)
	if *update {
		if !servertest.Thorough() {
			t.Fatal("scripts/test-versions -update asks all versions, which the page is of")
		}
		if err := os.WriteFile(page, []byte(before+statementsBegin+sent+statementsEnd+after), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(strings.Split(listed, "\n"), strings.Split(sent, "\n")); diff != "" {
		t.Errorf("scripts/test-versions -update writes them (-listed +seen):\n%s", diff)
	}
}

// listedOf returns the list for one version alone.
func listedOf(t *testing.T, list, version string) string {
	t.Helper()
	of := sightings{of: map[string]map[string][]string{}}
	for group := range strings.SplitSeq(strings.TrimSuffix(list, "\n\n"), "\n\n") {
		where, statements, _ := strings.Cut(strings.TrimPrefix(group, "-- "), "\n")
		for part := range strings.SplitSeq(where, "; ") {
			commands, versions, said := strings.Cut(part, ": ")
			if !said {
				t.Fatalf("%q does not say of which versions", part)
			}
			if !spans(versions, version) {
				continue
			}
			for command := range strings.SplitSeq(commands, ", ") {
				of.add(command, version, strings.Split(statements, "\n"))
			}
		}
	}
	return of.list("")
}

// spans reports whether a list of versions, «13 to 18» or «13, 15», contains a version.
func spans(list, version string) bool {
	if first, last, is := strings.Cut(list, " to "); is {
		return first <= version && version <= last
	}
	return slices.Contains(strings.Split(list, ", "), version)
}

// sightings holds the versions in which each statement was seen, by command.
type sightings struct {
	mu sync.Mutex
	of map[string]map[string][]string
}

// theirs is a statement of the user's, for measure.
const theirs = "select 'theirs'"

// look makes a server of the version log the statements of each command.
func (s *sightings) look(t *testing.T, version string) {
	server := servertest.Start(t, embedded.Options{
		Version: version, Settings: []string{"log_statement=all", "log_line_prefix=@%a@", "autovacuum=off"}})
	log, place, dsn := filepath.Join(filepath.Dir(server.Target().Storage.Directory), "server.log"),
		t.TempDir(), server.DSN()
	plan := planFile(t,
		`{"name": "async", "method": "insert", "rows_per_tx": 2, "synchronous_commit": "off", "clients": 1},
		{"name": "values", "method": "insert-values", "rows_per_tx": 2, "clients": 1},
		{"name": "bulk", "method": "insert-select", "rows_per_tx": 10, "indexes": 2, "width": 100, "clients": 1},
		{"name": "copy", "method": "copy", "rows_per_tx": 10, "clients": 1},
		{"name": "lookup", "method": "lookup", "rows_per_tx": 1, "indexes": 2, "width": 100, "table_rows": 5000, "cold": true, "clients": 1},
		{"name": "range", "method": "range", "rows_per_tx": 100, "indexes": 2, "width": 100, "table_rows": 5000, "clients": 1},
		{"name": "bitmap", "method": "bitmap", "rows_per_tx": 200, "indexes": 2, "width": 100, "table_rows": 5000, "clients": 1},
		{"name": "join", "method": "join", "rows_per_tx": 100, "indexes": 2, "width": 100, "table_rows": 5000, "clients": 1},
		{"name": "scan", "method": "scan", "rows_per_tx": 1, "indexes": 2, "width": 100, "table_rows": 5000, "clients": 1},
		{"name": "sort", "method": "sort", "rows_per_tx": 1, "indexes": 2, "width": 100, "table_rows": 5000, "clients": 1},
		{"name": "change", "method": "lookup-update", "rows_per_tx": 1, "indexes": 2, "width": 100, "table_rows": 5000, "clients": 1},
		{"name": "replace", "method": "replace", "rows_per_tx": 10, "indexes": 1, "width": 100, "table_rows": 5000, "clients": 1}`, "1")
	for _, command := range [][]string{
		{"doctor", "--dsn", dsn},
		{"observe", "--dsn", dsn, "--for", "3s", "-o", filepath.Join(place, "observed.jsonl")},
		{"run", "--dsn", dsn, "--plan", plan, "-o", filepath.Join(place, "run.jsonl")},
		{"measure", "--dsn", dsn, "-r", "1", "--sql", theirs},
		{"load", "-i", "-I", "dtgvpf", "--dsn", dsn},
		{"load", "-i", "-I", "dtGvpf", "--dsn", dsn},
		{"load", "-t", "1", "-b", "tpcb-like@1", "-b", "simple-update@1", "-b", "select-only@1", "-c", "9",
			"--random-seed", "1", "--dsn", dsn},
	} {
		known := entriesOf(t, log)
		runs(t, command...)
		s.add(command[0], version, statementsIn(entriesOf(t, log)[len(known):]))
	}
}

func (s *sightings) add(command, version string, statements []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, statement := range statements {
		if s.of[statement] == nil {
			s.of[statement] = map[string][]string{}
		}
		if versions := s.of[statement][command]; !slices.Contains(versions, version) {
			s.of[statement][command] = append(versions, version)
		}
	}
}

// list groups statements by version, the most versions first. It leaves out statements that the page lists by hand,
// since servers see them only at times.
func (s *sightings) list(byHand string) string {
	groups := map[string][]string{}
	for statement, commands := range s.of {
		if where := seenIn(commands); !strings.Contains(byHand, "\n"+statement+"\n") {
			groups[where] = append(groups[where], statement)
		}
	}
	var b strings.Builder
	for _, where := range slices.Sorted(maps.Keys(groups)) {
		slices.Sort(groups[where])
		fmt.Fprintf(&b, "-- %s\n%s\n\n", where, strings.Join(groups[where], "\n"))
	}
	return b.String()
}

// seenIn says which commands sent a statement to which versions: «doctor, run: 13 to 18; observe: 14».
func seenIn(commands map[string][]string) string {
	byVersions := map[string][]string{}
	for _, command := range slices.Sorted(maps.Keys(commands)) {
		versions := commands[command]
		slices.Sort(versions)
		said := strings.Join(versions, ", ")
		if all := servertest.Versions(); len(versions) > 1 && strings.Contains(strings.Join(all, ", "), said) {
			said = versions[0] + " to " + versions[len(versions)-1]
		}
		byVersions[said] = append(byVersions[said], command)
	}
	var parts []string
	for _, versions := range slices.Sorted(maps.Keys(byVersions)) {
		parts = append(parts, strings.Join(byVersions[versions], ", ")+": "+versions)
	}
	return strings.Join(parts, "; ")
}

var (
	logged   = regexp.MustCompile(`(?s)^realiops[^@]*@LOG:  (?:statement|execute [^:]*): (.*)$`)
	literals = regexp.MustCompile(`-?\b\d+(\.\d+)?\b`)
)

func entriesOf(t *testing.T, log string) []string {
	t.Helper()
	text, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(string(text), "\n@")
}

// statementsIn returns our sessions' statements in entries of a server's log, with N for numbers, which vary.
func statementsIn(entries []string) (all []string) {
	for _, entry := range entries {
		found := logged.FindStringSubmatch(strings.TrimPrefix(entry, "@"))
		if found != nil && !strings.Contains(found[1], theirs) {
			all = append(all, literals.ReplaceAllString(strings.Join(strings.Fields(found[1]), " "), "N"))
		}
	}
	return all
}
