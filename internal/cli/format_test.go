package cli

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"image/png"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	"github.com/spf13/cobra"
	"golang.org/x/net/html"

	"github.com/realiops/realiops/internal/cli/command"
	"github.com/realiops/realiops/internal/test/servertest"
)

// TestEveryFormat makes every command write every format that it offers, and parses the output. A command refuses any
// other format before doing anything.
func TestEveryFormat(t *testing.T) {
	t.Parallel()
	dsn := servertest.Alone(t, "17").Config().ConnString()
	kept := t.TempDir()
	file := func(name string) string { return filepath.Join(kept, name) }
	measured := file("measured.jsonl")
	if out, code := formatted(t, "measure", "--dsn", dsn, "-r", "2", "--background", "100ms", "--sql", "select 1",
		"--save", measured); code != command.ExitDone {
		t.Fatalf("%d: %s", code, out)
	}
	observed := filepath.Join(shippedRuns, "observed-pg17.jsonl.zst")
	examples := map[string][][]string{ // a list for each kind of thing that the command writes
		"realiops report": {{shippedRuns + "/loads-pg17.jsonl"}, {observed}, {shippedRuns + "/baseline.jsonl.zst"},
			{measured}},
		"realiops compare":    {{shippedRuns + "/local-pg17.jsonl.zst", shippedRuns + "/local-pg18.jsonl.zst"}},
		"realiops size":       {{"--need", "iops=3000,kb=16", "--gib", "100"}},
		"realiops explain":    {{"WriteIOPS"}, {}},
		"realiops aws policy": {{}},
		"realiops aws cost":   {{"--month", "reads=1e9,writes=1e9,gib=500", "--class", "db.r6g.large"}},
		"realiops fleet":      {{"../../testdata/fleet/legacy-18.json", "--dir", file("fleet")}},
		"realiops history":    {{"../../testdata/history/orders.json", "-o", file("history-FORMAT.jsonl")}},
		"realiops doctor":     {{"--dsn", dsn}},
		"realiops measure":    {{"--dsn", dsn, "-r", "2", "--background", "100ms", "--sql", "select 1"}},
		"realiops load":       {{"--dsn", dsn, "-n", "-t", "1", "-f", file("one.sql")}},
		// These end with the same function as report.
		"realiops run": nil, "realiops observe": nil, "realiops aws collect": nil, "realiops baseline": nil,
	}
	if err := os.WriteFile(file("one.sql"), []byte("select 1;\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	walk(Command(command.Env{}), func(c *cobra.Command) {
		flag := c.Flags().Lookup("format")
		if flag == nil {
			return
		}
		all, known := examples[c.CommandPath()]
		if !known {
			t.Errorf("no example of %s", c.CommandPath())
		}
		path := strings.Fields(c.CommandPath())[1:]
		for _, f := range command.Formats() {
			if !slices.Contains(flag.Value.(*command.FormatFlag).Offered, f.Name) {
				out, code := formatted(t, append(path, "--format", f.Name)...)
				if code != command.ExitUsage || !strings.Contains(out, fmt.Sprintf("--format %q: want ", f.Name)) ||
					strings.Count(out, "\n") != 1 {
					t.Errorf("%s --format %s: exit status %d: %s", c.CommandPath(), f.Name, code, out)
				}
				continue
			}
			written := len(all) == 0
			for _, args := range all {
				what := strings.ReplaceAll(strings.Join(slices.Concat(path, args), "\n"), "FORMAT", f.Name)
				out, code := formatted(t, append(strings.Split(what, "\n"), "--format", f.Name)...)
				what = strings.ReplaceAll(what, "\n", " ")
				if strings.Contains(out, " cannot be written as "+f.Name) && code == command.ExitUsage {
					continue // of this kind
				}
				written = true
				if code != command.ExitDone && code != command.ExitCannotTell {
					t.Errorf("%s: exit status %d: %s", what, code, out)
				} else if err := parsers[f.Name](out); err != nil {
					t.Errorf("%s --format %s: %v\n%.600s", what, f.Name, err, out)
				}
			}
			if !written {
				t.Errorf("%s offers %s, and writes nothing so", c.CommandPath(), f.Name)
			}
		}
	})
}

// formatted runs a command, and returns its output, or else its message.
func formatted(t *testing.T, args ...string) (string, int) {
	t.Helper()
	var out, said bytes.Buffer
	env := command.Env{In: strings.NewReader(""), Out: &out, Err: &said, Getenv: func(string) string {
		return ""
	}, Now: time.Now}
	code := Main(env, args)
	if out.Len() == 0 {
		return said.String(), code
	}
	return out.String(), code
}

func walk(c *cobra.Command, visit func(*cobra.Command)) {
	visit(c)
	for _, below := range c.Commands() {
		walk(below, visit)
	}
}

// parsers parse each format as its users would.
var parsers = map[string]func(string) error{
	command.FormatText:      parsedText,
	command.FormatMarkdown:  parsedText,
	command.FormatHTML:      parsedPage,
	command.FormatCSV:       parsedTable,
	command.FormatJSON:      parsedObject,
	command.FormatBencher:   parsedObject,
	command.FormatSVG:       func(text string) error { return rootOf(text, "svg") },
	command.FormatJUnit:     func(text string) error { return rootOf(text, "testsuite") },
	command.FormatPNG:       func(text string) error { _, err := png.Decode(strings.NewReader(text)); return err },
	command.FormatGo:        func(text string) error { return everyLine(text, "Benchmark") },
	command.FormatBase:      func(text string) error { return startsWith(text, `{"schema":"realiops.base/1"`) },
	command.FormatGitHub:    func(text string) error { return everyLine(text, "::") },
	command.FormatTerraform: func(text string) error { return startsWith(text, `data "aws_iam_policy_document"`) },
	command.FormatOpenMetrics: func(text string) error {
		parser := expfmt.NewTextParser(model.UTF8Validation)
		_, err := parser.TextToMetricFamilies(strings.NewReader(text))
		if !strings.HasSuffix(text, "# EOF\n") {
			err = errors.Join(err, errors.New("it does not end with # EOF"))
		}
		return err
	},
}

// parsedText rejects output for programs.
func parsedText(text string) error {
	if text = strings.TrimSpace(text); text == "" || strings.ContainsAny(text[:1], "{[<") ||
		strings.Contains(text, "<html") {
		return errors.New("not for people")
	}
	return nil
}

func parsedPage(text string) error {
	if err := startsWith(strings.ToLower(text), "<!doctype html>"); err != nil {
		return err
	}
	_, err := html.Parse(strings.NewReader(text))
	return err
}

func parsedTable(text string) error {
	in := csv.NewReader(strings.NewReader(text))
	in.FieldsPerRecord = -1 // tables with different columns may follow each other
	lines, err := in.ReadAll()
	if err == nil && (len(lines) == 0 || len(lines[0]) < 2) {
		err = errors.New("no table")
	}
	return err
}

func parsedObject(text string) error {
	var object map[string]any
	err := json.Unmarshal([]byte(text), &object)
	if err == nil && len(object) == 0 {
		err = errors.New("an empty object")
	}
	return err
}

func rootOf(text, want string) error {
	var root struct{ XMLName xml.Name }
	if err := xml.Unmarshal([]byte(text), &root); err != nil || root.XMLName.Local != want {
		return fmt.Errorf("the root is %q: %w", root.XMLName.Local, err)
	}
	return nil
}

func everyLine(text, prefix string) error {
	for line := range strings.Lines(text) {
		if err := startsWith(line, prefix); err != nil {
			return err
		}
	}
	return nil
}

func startsWith(text, prefix string) error {
	if !strings.HasPrefix(text, prefix) {
		return fmt.Errorf("it does not begin with %s", prefix)
	}
	return nil
}
