package probe

import (
	"os"
	"strings"
	"testing"
)

// TestDocumentedNeeds: the page about kernels has exactly the probes' versions.
func TestDocumentedNeeds(t *testing.T) {
	text, err := os.ReadFile("../../../docs/reference/kernels.md")
	if err != nil {
		t.Fatal(err)
	}
	page := string(text)
	for _, n := range []Need{Discards, Flushes, ByFile} {
		row := "| " + n.What + " | Linux " + n.Linux + n.Beside + " | " + n.Without + " |\n"
		if !strings.Contains(page, row) {
			t.Errorf("the page lacks\n%s", row)
		}
		page = strings.Replace(page, row, "", 1)
	}
	if before, _, _ := strings.Cut(page, "| distribution |"); strings.Contains(before, "| Linux ") {
		t.Errorf("the page has a version that no probe knows:\n%s", before)
	}
}
