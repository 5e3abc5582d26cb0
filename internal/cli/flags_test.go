package cli

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/realiops/realiops/internal/cli/command"
)

// mistyped runs a command line that is refused, and returns its exit code and message.
func mistyped(args ...string) (code int, said string) {
	var out bytes.Buffer
	code = Main(command.Env{Out: &out, Err: &out, Getenv: func(string) string { return "" }}, args)
	return code, out.String()
}

// everyFlag calls do with each flag of each command of a new tree.
func everyFlag(t *testing.T, do func(*cobra.Command, *pflag.Flag)) {
	t.Helper()
	all := 0
	var walk func(*cobra.Command)
	walk = func(c *cobra.Command) {
		c.Flags().VisitAll(func(f *pflag.Flag) {
			if !f.Hidden && f.Name != "help" && c.Runnable() {
				all++
				do(c, f)
			}
		})
		for _, below := range c.Commands() {
			walk(below)
		}
	}
	walk(Command(command.Env{Out: io.Discard, Err: io.Discard, Getenv: func(string) string { return "" }}))
	if all < 200 {
		t.Fatalf("%d flags: are the commands gone?", all)
	}
}

// TestMistypedFlags: swapped letters, a missing letter, and one dash for two are answered with the intended flag.
func TestMistypedFlags(t *testing.T) {
	t.Parallel()
	everyFlag(t, func(c *cobra.Command, f *pflag.Flag) {
		if len(f.Name) < 3 {
			return
		}
		path := strings.Fields(c.CommandPath())[1:]
		swapped := f.Name[:1] + f.Name[2:3] + f.Name[1:2] + f.Name[3:]
		mistakes := []string{"-" + f.Name, "--" + swapped, "--" + f.Name[:len(f.Name)-1]}
		for _, typed := range mistakes {
			if name := strings.TrimLeft(typed, "-"); len(name) < 3 || typed[1] == '-' &&
				c.Flags().Lookup(name) != nil || name == "prin" {
				continue // too short, or another flag
			}
			code, errors := mistyped(append(path, typed, "1")...)
			if want := "did you mean --"; code != 1 || !strings.Contains(errors, want) || typed[1] != '-' &&
				!strings.Contains(errors, want+f.Name) {
				t.Errorf("%s %s: %d, %s", c.CommandPath(), typed, code, errors)
			}
		}
	})
}

// TestNumbersOfFlags: each numeric flag accepts thousands separators and k, and rejects a misplaced comma.
func TestNumbersOfFlags(t *testing.T) {
	t.Parallel()
	numbers := 0
	everyFlag(t, func(c *cobra.Command, f *pflag.Flag) {
		switch f.Value.Type() {
		case "int", "int64", "uint64", "float64", "number", "milliseconds":
		default:
			return
		}
		numbers++
		set := func(text string) (string, bool) {
			err := f.Value.Set(text)
			return f.Value.String(), err == nil
		}
		plain, taken := set("2000")
		for _, text := range []string{"2,000", "2k", "2K", " 2000 "} {
			if got, ok := set(text); got != plain || ok != taken {
				t.Errorf("%s --%s %q is %s (%t), and 2000 is %s (%t)", c.CommandPath(), f.Name, text, got, ok,
					plain, taken)
			}
		}
		for _, text := range []string{"2,0", "1,2,3", "2.000"} {
			if got, ok := set(text); ok {
				t.Errorf("%s --%s %q is taken for %s", c.CommandPath(), f.Name, text, got)
			}
		}
	})
	if numbers < 20 {
		t.Fatalf("%d flags take a number", numbers)
	}
}

// TestFlagsOfOtherPrograms: other programs' names of a flag lead to ours.
func TestFlagsOfOtherPrograms(t *testing.T) {
	t.Parallel()
	for typed, want := range map[string]string{
		"run --dns x":                        "--dsn",
		"run -dsn x":                         "--dsn",
		"run --duration 5s":                  "--budget",
		"observe --duration 5s":              "--for",
		"load --threads 2":                   "--jobs",
		"measure --host x":                   "--dsn",
		"fleet --output x":                   "--dir",
		"size --instance-type x":             "--class",
		"size --storage 5":                   "--gib",
		"report x -output y":                 "--output",
		"measure --runs 5":                   "--repetitions",
		"aws collect --instance-class large": "--",
	} {
		code, errors := mistyped(strings.Fields(typed)...)
		if code != 1 || !strings.Contains(errors, "did you mean "+want) && want != "--" {
			t.Errorf("%s: %d, %s", typed, code, errors)
		}
	}
	for _, typed := range []string{"measure psql -c x", "measure psql -X", "measure --sql x psql",
		"measure pgbench -c 4 -T 5"} {
		code, errors := mistyped(strings.Fields(typed)...)
		if code != 1 || !strings.Contains(errors, "put -- before") {
			t.Errorf("%s: %d, %s", typed, code, errors)
		}
	}
}

// TestDocsNameExistingFlags: if the docs name a command with a flag, the command has it.
func TestDocsNameExistingFlags(t *testing.T) {
	t.Parallel()
	pages, err := filepath.Glob("../../docs/*.md")
	reference, errReference := filepath.Glob("../../docs/reference/*.md")
	if err := errors.Join(err, errReference); err != nil {
		t.Fatal(err)
	}
	code := regexp.MustCompile("`(?:realiops )?([a-z]+)( [a-z]+)?([^`]*)`")
	flag := regexp.MustCompile(`(?:^|\s)--([a-z][a-z-]+)`)
	root, seen := Command(command.Env{Getenv: os.Getenv}), 0
	for _, page := range append(pages, reference...) {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, named := range code.FindAllStringSubmatch(string(text), -1) {
			of, _, err := root.Find([]string{named[1]})
			if err != nil || of == root {
				continue
			}
			if below, _, err := of.Find([]string{strings.TrimSpace(named[2])}); err == nil {
				of = below
			}
			for _, f := range flag.FindAllStringSubmatch(named[3], -1) {
				if seen++; of.Flags().Lookup(f[1]) == nil {
					t.Errorf("%s: %s has no --%s: %s", page, of.CommandPath(), f[1], named[0])
				}
			}
		}
	}
	if seen < 50 {
		t.Errorf("%d flags on the pages: are they found?", seen)
	}
}

// TestTimesAreOfOneKind: every duration flag accepts days and weeks, alone and with hours, and rejects other text.
func TestTimesAreOfOneKind(t *testing.T) {
	t.Parallel()
	kinds := map[string]int{}
	everyFlag(t, func(c *cobra.Command, f *pflag.Flag) {
		if kind := f.Value.Type(); kind != "duration" && kind != "time" && kind != "seconds" {
			return
		}
		kinds[f.Value.Type()]++
		for text, hours := range map[string]string{"7d": "168h", "2w": "336h", "1w1.5d3h": "207h", "1d30m": "24h30m"} {
			if err := f.Value.Set(hours); err != nil {
				t.Errorf("%s --%s %s: %v", c.CommandPath(), f.Name, hours, err)
			}
			want := f.Value.String()
			if err := f.Value.Set(text); err != nil || f.Value.String() != want {
				t.Errorf("%s --%s %s: %s, %v, want %s", c.CommandPath(), f.Name, text, f.Value, err, want)
			}
		}
		for _, text := range []string{"d", "7dd", "7 days", "9999999999999999d", "1e3d", "-", "1.2.3d"} {
			if f.Value.Set(text) == nil {
				t.Errorf("%s --%s %s: %s", c.CommandPath(), f.Name, text, f.Value)
			}
		}
	})
	if kinds["duration"] < 8 || kinds["time"] < 4 || kinds["seconds"] < 2 {
		t.Errorf("%v: are the flags gone?", kinds)
	}
}
