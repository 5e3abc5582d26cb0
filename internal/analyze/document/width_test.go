package document

import (
	"testing"

	"github.com/jedib0t/go-pretty/v6/text"
)

// TestDisplayWidth: the fast path gives the library's width, for each byte and beside others.
func TestDisplayWidth(t *testing.T) {
	for r := range rune(0x180) {
		for _, s := range []string{string(r), "requests/s" + string(r), "表" + string(r) + "µs "} {
			if got, want := displayWidth(s), text.StringWidth(s); got != want {
				t.Errorf("%q takes %d columns, want %d", s, got, want)
			}
		}
	}
}
