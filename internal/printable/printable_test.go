package printable

import (
	"encoding/json"
	"maps"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

func TestLineShowsHiddenCharacters(t *testing.T) {
	check := func(text, want string) {
		t.Helper()
		if got := Line(text); got != want {
			t.Errorf("%q is shown as %s, want %s", text, got, want)
		}
	}
	check("", "")
	check("orders_2026 (primary)", "orders_2026 (primary)")
	check(`C:\data\new`, `C:\data\new`)
	check("Bücher, 注文, ชื่อ, 🐘", "Bücher, 注文, ชื่อ, 🐘")
	check("a\x1b[2Jb", `a\x1B[2Jb`)                           // CSI: clears the screen
	check("\x1b]0;title\x07", `\x1B]0;title\x07`)             // OSC: sets the window's title
	check("\u009b2J", `\u009B2J`)                             // C1: CSI in one character
	check("a\nb\r\nc\td", `a\nb\r\nc\td`)                     // would forge a line
	check("a\u2028b\u2029c\u0085d", `a\u2028b\u2029c\u0085d`) // line ends of Unicode
	check("txt\u202Egpj\u202C", `txt\u202Egpj\u202C`)         // shown as "txtjpg"
	check("\u2066x\u2069\u200E\u200F\u061C", `\u2066x\u2069\u200E\u200F\u061C`)
	check("ad\u200Bmin\uFEFF\u00AD", `ad\u200Bmin\uFEFF\u00AD`)             // looks like admin
	check("ad\u3164\uFFA0\u115F\u034Fmin", `ad\u3164\uFFA0\u115F\u034Fmin`) // invisible letters and marks
	check("a\uFE0Fb\u180Bc\u2800d", `a\uFE0Fb\u180Bc\u2800d`)
	check("\U000E0041", `\U000E0041`)   // an invisible tag
	check("\x80caf\xe9", `\x80caf\xE9`) // LATIN1, or a cut
	check("\uFFFD", "\uFFFD")           // the replacement character itself is valid
	check("\x00\x7f", `\x00\x7F`)
}

// TestJSONKeepsItsMeaning: escaped JSON decodes to the same value.
func TestJSONKeepsItsMeaning(t *testing.T) {
	want := map[string]string{"a\u202Eb": "Bücher 🐘 \u009b2J \x7f \U000E0041 \u2028 \\ \" \x1b[31m", "plain": "注文"}
	encoded, err := json.MarshalIndent(want, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	shown := JSON(encoded)
	for line := range strings.Lines(string(shown)) {
		if line = strings.TrimSuffix(line, "\n"); Line(line) != line {
			t.Errorf("%q hides something", line)
		}
	}
	got := map[string]string{}
	if err := json.Unmarshal(shown, &got); err != nil || !maps.Equal(got, want) {
		t.Errorf("%q: %v", got, err)
	}
}

func FuzzLine(f *testing.F) {
	for _, seed := range []string{"", "plain", "\x1b[31m", "\u202E", "\xff\xfe", "a\nb"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		line := Line(text)
		if !utf8.ValidString(line) || strings.ContainsFunc(line, func(r rune) bool {
			return !unicode.IsPrint(r) && !unicode.Is(unicode.Zs, r)
		}) {
			t.Errorf("%q is shown as %q", text, line)
		}
		if again := Line(line); again != line {
			t.Errorf("%q is shown as %q, and that as %q", text, line, again)
		}
	})
}
