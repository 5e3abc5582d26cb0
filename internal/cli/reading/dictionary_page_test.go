package reading

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/realiops/realiops/internal/metric"
)

var updateDictionary = flag.Bool("update-dictionary", false,
	"write docs/reference/dictionary.md anew; then read the difference")

// TestDictionaryPage: the page has every name of others' metrics in explain, with its answer.
func TestDictionaryPage(t *testing.T) {
	const page = "../../../docs/reference/dictionary.md"
	want := dictionaryPage()
	if *updateDictionary {
		if err := os.WriteFile(page, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Error("write it anew with: go test ./internal/cli/reading -run TestDictionaryPage -update-dictionary")
	}
}

func dictionaryPage() string {
	var page strings.Builder
	page.WriteString(`# What does each I/O metric count?

Consoles, exporters and tools show numbers that are called IOPS, reads, writes or blocks. Some are storage I/O, some are asked of the operating
system, and some are work of the database. ` + "`realiops explain NAME`" + ` says the same on a terminal. What realiops reads itself is on
[its own page](metrics.md).
`)
	anchors := map[string]int{}
	item := func(names []string, side, counts string, said entry) {
		var anchored []string
		for _, name := range names {
			anchor := strings.Trim(strings.Map(func(r rune) rune {
				if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' || r == '.' {
					return r
				}
				return '-'
			}, name), "-")
			if anchors[anchor]++; anchors[anchor] > 1 {
				anchor = fmt.Sprintf("%s-%d", anchor, anchors[anchor])
			}
			anchored = append(anchored, fmt.Sprintf(`<a id="%s"></a>%s`, anchor, "`"+name+"`"))
		}
		var text strings.Builder
		text.WriteString(counting(side, counts) + ".")
		for _, term := range said {
			switch term.Name {
			case "means", "trap", "shown":
				text.WriteString(" " + strings.Join(term.Texts, " "))
			default:
				text.WriteString(" " + strings.ToUpper(term.Name[:1]) + term.Name[1:] + ": " +
					strings.Join(term.Texts, "; ") + ".")
			}
		}
		fmt.Fprintf(&page, "- %s: %s\n", strings.Join(anchored, ", "), strings.NewReplacer("*", `\*`, "..", ".", "<",
			"&lt;").Replace(text.String()))
	}
	heading := func(system string) {
		fmt.Fprintf(&page, "\n## %s\n\n", system)
	}
	last := ""
	for _, m := range metric.Meanings() {
		if now := metric.Service(m.Service) + ", " + metric.Flavor(m.On) + ", of the " + m.Level; now != last {
			heading(now)
			last = now
		}
		item([]string{m.Metric}, m.Side, m.Counts, ofMeaning(m))
	}
	bySystem := map[string][]metric.Entry{}
	var systems []string
	for _, e := range metric.Dictionary() {
		if bySystem[e.System] == nil {
			systems = append(systems, e.System)
		}
		bySystem[e.System] = append(bySystem[e.System], e)
	}
	for _, system := range systems {
		heading(system)
		for _, e := range bySystem[system] {
			item(e.Names, e.Side, e.Counts, ofEntry(e))
		}
	}
	return page.String()
}
