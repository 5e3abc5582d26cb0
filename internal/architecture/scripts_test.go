package architecture

import (
	"os"
	"regexp"
	"slices"
	"testing"
)

// TestScriptsAreIndexed: scripts/README.md names exactly the existing scripts.
func TestScriptsAreIndexed(t *testing.T) {
	text, err := os.ReadFile("../../scripts/README.md")
	if err != nil {
		t.Fatal(err)
	}
	var indexed []string
	for _, row := range regexp.MustCompile("(?m)^\\| (`.*?) \\|").FindAllStringSubmatch(string(text), -1) {
		for _, name := range regexp.MustCompile("`([a-z0-9.-]+)`").FindAllStringSubmatch(row[1], -1) {
			indexed = append(indexed, name[1])
		}
	}
	entries, err := os.ReadDir("../../scripts")
	if err != nil {
		t.Fatal(err)
	}
	var there []string
	for _, entry := range entries {
		if entry.Name() != "README.md" {
			there = append(there, entry.Name())
		}
	}
	slices.Sort(indexed)
	if !slices.Equal(indexed, there) {
		t.Errorf("scripts/README.md has %q, and there are %q", indexed, there)
	}
}
