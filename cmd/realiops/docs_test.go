package main

import (
	"bytes"
	"fmt"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/realiops/realiops/internal/measure/server/embedded"
	"github.com/realiops/realiops/internal/test/accounttest"
	"github.com/realiops/realiops/internal/test/prometheustest"
	"github.com/realiops/realiops/internal/test/servertest"
)

// The documents are executed: every fenced block marked console is a session whose lines after "$ " are commands and
// whose other lines are their output, where "..." stands for any lines. A block that cannot run here says why in a
// comment before it: <!-- not run: reason -->.
//
// Commands run in a copy of the repository's testdata, where realiops is the program itself, made quick: a run has four
// loads of half a second unless the document names its plan. A user's server is at $DATABASE_URL, which only commands
// that name it can see.
//
// In aurora.md that server answers like Aurora in SQL, and a stand-in for AWS knows it. Its host is this machine, whose
// name has no region, so realiops is given one. A Prometheus is at $PROMETHEUS in history.md, and a stand-in for one in
// fleet.md.

const quickRealiops = `#!/bin/sh
case "$*" in *"--dsn"*) ;; *) unset DATABASE_URL ;; esac
if [ "$1" = doctor ] && [ -n "$STAND_IN_REGION" ]; then set -- "$@" --region "$STAND_IN_REGION"; fi
if [ "$1" = run ]; then shift; exec "$REALIOPS" run --plan published --load-seconds 0.5 --repetitions 1 "$@"; fi
exec "$REALIOPS" "$@"
`

func TestDocsAreTrue(t *testing.T) {
	t.Parallel()
	root := filepath.Join("..", "..")
	program := built(t)
	database := servertest.Start(t, embedded.Options{Version: "17"}).URL()
	documents := []string{filepath.Join(root, "README.md"), filepath.Join(root, "CONTRIBUTING.md")}
	for _, pages := range []string{"docs/*.md", "docs/reference/*.md"} {
		found, err := filepath.Glob(filepath.Join(root, pages))
		if err != nil || len(found) == 0 {
			t.Fatalf("%s: %v", pages, err)
		}
		documents = append(documents, found...)
	}
	for _, document := range documents {
		text, err := os.ReadFile(document)
		if err != nil {
			t.Fatal(err)
		}
		blocks := consoleBlocks(string(text))
		if len(blocks) == 0 {
			continue
		}
		t.Run(filepath.Base(document), func(t *testing.T) {
			place := newPlace(t, root, program, database)
			if filepath.Base(document) == "aurora.md" {
				place.moveToAWS(t)
			}
			if filepath.Base(document) == "history.md" {
				place.plantHistory(t)
			}
			if filepath.Base(document) == "fleet.md" {
				place.makeFleet(t)
			}
			for _, block := range blocks {
				for _, command := range commandsOf(block.text) {
					place.run(t, block.line, command)
				}
			}
		})
	}
}

type block struct {
	line int
	text string
}

var fence = regexp.MustCompile("(?ms)^(<!-- not run: [^\n]+ -->\n)?```console\n(.*?)^```$")

// consoleBlocks lists the blocks to run, with their first lines.
func consoleBlocks(text string) []block {
	var blocks []block
	for _, m := range fence.FindAllStringSubmatchIndex(text, -1) {
		if m[2] >= 0 {
			continue
		}
		blocks = append(blocks, block{1 + strings.Count(text[:m[0]], "\n"), text[m[4]:m[5]]})
	}
	return blocks
}

// example holds a command and its output in the document. An empty want promises nothing.
type example struct{ text, want string }

func commandsOf(block string) []example {
	var all []example
	for line := range strings.Lines(block) {
		typed, isCommand := strings.CutPrefix(line, "$ ")
		switch {
		case isCommand:
			all = append(all, example{text: typed})
		case len(all) > 0:
			all[len(all)-1].want += line
		}
	}
	return all
}

// place is a directory to type commands in.
type place struct {
	dir string
	env []string
}

func newPlace(t *testing.T, root, program, database string) place {
	dir := t.TempDir()
	for _, name := range []string{"testdata", "scripts", "packaging"} {
		if err := os.CopyFS(filepath.Join(dir, name), os.DirFS(filepath.Join(root, name))); err != nil {
			t.Fatal(err)
		}
	}
	bin := filepath.Join(dir, ".bin")
	if err := os.Mkdir(bin, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(bin, "realiops"), []byte(quickRealiops), 0o755); err != nil {
		t.Fatal(err)
	}
	return place{dir, append(os.Environ(), "REALIOPS="+program, "DATABASE_URL="+database, "PATH="+bin+":"+
		os.Getenv("PATH"))}
}

// moveToAWS provides an Aurora database from stand-ins.
func (p *place) moveToAWS(t *testing.T) {
	t.Helper()
	here := auroraCluster(t)
	here.withInsights(t)
	for name, value := range here.env {
		p.env = append(p.env, name+"="+value)
	}
	c := servertest.Endpoint(t, here.dsn).Config()
	url := fmt.Sprintf("postgres://%s:%s@%s:%d/%s", c.User, c.Password, "127.0.0.1", c.Port, c.Database)
	p.env = append(p.env, "DATABASE_URL="+url, "STAND_IN_REGION="+accounttest.Region)
}

// plantHistory starts a Prometheus with the shipped observation, at $PROMETHEUS.
func (p *place) plantHistory(t *testing.T) {
	t.Helper()
	planted, _, _ := prometheustest.Observation(t, filepath.Join(p.dir, "testdata", "runs", "observed-pg17.jsonl.zst"))
	p.env = append(p.env, "PROMETHEUS="+prometheustest.Start(t, planted...))
}

// makeFleet starts a store of several instances with computed series, at $PROMETHEUS.
func (p *place) makeFleet(t *testing.T) {
	t.Helper()
	store := httptest.NewServer(&prometheustest.Made{Instances: 8})
	t.Cleanup(store.Close)
	p.env = append(p.env, "PROMETHEUS="+store.URL)
}

func (p place) run(t *testing.T, line int, c example) {
	t.Helper()
	shell := exec.CommandContext(t.Context(), "bash", "-c", "set -o pipefail; "+
		strings.ReplaceAll(c.text, "go run ./cmd/realiops", "realiops"))
	shell.Dir, shell.Env = p.dir, p.env
	var stdout, stderr bytes.Buffer
	shell.Stdout, shell.Stderr = &stdout, &stderr
	// A program ended by SIGPIPE from head or grep -m is fine: users' shells do not set pipefail.
	if err := shell.Run(); err != nil && shell.ProcessState.ExitCode() != 128+int(syscall.SIGPIPE) {
		t.Errorf("line %d: $ %s%v\n%s%s", line, c.text, err, &stdout, &stderr)
		return
	}
	if c.want != "" && !promised(c.want, stdout.String()) {
		t.Errorf("line %d: $ %sprints\n%s\nand the document says\n%s", line, c.text, &stdout, c.want)
	}
}

// promised compares output with a promise in which a line "..." stands for any lines. Columns may be wider than there:
// a rare number below the dots widens them.
func promised(want, got string) bool {
	var pattern strings.Builder
	for line := range strings.Lines(want) {
		if strings.TrimSpace(line) == "..." {
			pattern.WriteString(`(?:.*\n)*`)
			continue
		}
		text := strings.TrimRight(line, " \n")
		words := strings.FieldsFunc(text, func(r rune) bool { return r == ' ' })
		for i, word := range words {
			words[i] = regexp.QuoteMeta(word)
		}
		indent := strings.Repeat(" ", len(text)-len(strings.TrimLeft(text, " ")))
		fmt.Fprintf(&pattern, "%s%s[ ]*\n", indent, strings.Join(words, "[ ]+"))
	}
	return regexp.MustCompile(`\A` + pattern.String() + `\z`).MatchString(got)
}

func TestPromised(t *testing.T) {
	check := func(want, got string, kept bool) {
		t.Helper()
		if promised(want, got) != kept {
			t.Errorf("%q promised, %q printed: kept is %v", want, got, !kept)
		}
	}
	check("a\nb\n", "a\nb\n", true)
	check("a\nb\n", "a\nc\n", false)
	check("a\n...\nz\n", "a\nb\nc\nz\n", true)
	check("a\n...\nz\n", "a\nb\n", false)
	check("1.5 (x)\n", "1x5 (x)\n", false)
	check("a  b\n", "a    b\n", true)
	check("a b\n", "ab\n", false)
	check("  a\n", "a\n", false)
}

func TestConsoleBlocks(t *testing.T) {
	text := "one\n```console\n$ realiops report x\nout\n$ second\n```\n\n<!-- not run: needs an account " +
		"-->\n```console\n$ third\n```\n```sh\nfourth\n```\n"
	blocks := consoleBlocks(text)
	if len(blocks) != 1 || blocks[0].line != 2 {
		t.Fatalf("blocks %v", blocks)
	}
	commands := commandsOf(blocks[0].text)
	want := []example{{"realiops report x\n", "out\n"}, {"second\n", ""}}
	if fmt.Sprint(commands) != fmt.Sprint(want) {
		t.Errorf("commands %v, want %v", commands, want)
	}
}
