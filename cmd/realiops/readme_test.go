package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var link = regexp.MustCompile(`\]\(([^)#]+)(?:#[^)]*)?\)`)

// TestReadmeAnswers: the README, or a page linked from it, answers a newcomer's questions.
func TestReadmeAnswers(t *testing.T) {
	root := filepath.Join("..", "..")
	readme := reads(t, filepath.Join(root, "README.md"))
	if n := strings.Count(readme, "\n"); n > 120 {
		t.Errorf("it has %d lines: at most 120", n)
	}
	if n := len(strings.Fields(readme)); n > 800 {
		t.Errorf("it has %d words: at most 800", n)
	}
	linked := map[string]string{}
	for _, found := range link.FindAllStringSubmatch(readme, -1) {
		if !strings.Contains(found[1], "://") {
			linked[found[1]] = reads(t, filepath.Join(root, found[1]))
		}
	}
	for _, c := range []struct{ question, where, answer string }{
		{"can I run it on a Mac?", "", "| macOS | the same |"},
		{"and on Windows?", "", "| Windows | your servers"},
		{"how do I get it?", "", "go install ./cmd/realiops"},
		{"does it change my server?", "", "changes no setting and resets no counter"},
		{"what stays when it is done?", "", "It keeps the run file"},
		{"which server does it take?", "", "PGHOST, PGSERVICE or DATABASE_URL"},
		{"does it work on the real Aurora?", "docs/aurora.md", "VolumeWriteIOPs"},
		{"what does it cost on AWS?", "docs/aurora.md", "Asking AWS costs little"},
		{"may I watch production without a load?", "docs/observe.md", "no load"},
		{"what does a line of the report mean?", "docs/reading.md", "ratio"},
		{"what do I order?", "docs/sizing.md", "gp3"},
		{"how is a metric identified?", "docs/method.md", "interval"},
	} {
		text := readme
		if c.where != "" {
			text = linked[c.where]
		}
		if !strings.Contains(text, c.answer) {
			t.Errorf("%q: %q is not in %s", c.question, c.answer, c.where)
		}
	}
}

func reads(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestPagesAreShort: a page takes at most a quarter of an hour, and all of them two hours. A longer one has tables
// that belong in the reference. The page for developers may be longer.
func TestPagesAreShort(t *testing.T) {
	pages, err := filepath.Glob(filepath.Join("..", "..", "docs", "*.md"))
	if err != nil || len(pages) < 10 {
		t.Fatalf("%d pages, %v", len(pages), err)
	}
	all := len(strings.Fields(reads(t, filepath.Join("..", "..", "README.md"))))
	for _, page := range pages {
		if filepath.Base(page) == "architecture.md" {
			continue
		}
		n := len(strings.Fields(reads(t, page)))
		if n > 1500 {
			t.Errorf("%s has %d words: at most 1,500", filepath.Base(page), n)
		}
		all += n
	}
	if all > 20_000 {
		t.Errorf("the pages have %d words in all: at most 20,000", all)
	}
}
