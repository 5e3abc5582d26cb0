// Package printable formats values for people: durations with units, numbers of things, and foreign text made safe.
// Names and messages from servers, files, AWS and users may contain escape sequences, which would drive the terminal,
// direction marks, which would reorder a line, and line ends, which would forge one.
//
// Invisible characters are written like in psql: \n, \x1B, \u202E. Nothing is left out, and visible characters stay the
// same, so two different names never look the same. Quoting for HTML, markdown or CSV is done by the writers of these
// formats, on the results of this package.
package printable

import (
	"bytes"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// Line returns the text as one line of visible characters: letters, marks, numbers, punctuation, symbols and spaces, as
// Unicode defines them. It escapes control characters, characters that only affect the display of others, and bytes
// that are not UTF-8.
func Line(text string) string {
	if !strings.ContainsFunc(text, hidden) && utf8.ValidString(text) {
		return text
	}
	var out strings.Builder
	for len(text) > 0 {
		r, size := utf8.DecodeRuneInString(text)
		switch {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&out, `\x%02X`, text[0])
		case !hidden(r):
			out.WriteRune(r)
		case r == '\n':
			out.WriteString(`\n`)
		case r == '\r':
			out.WriteString(`\r`)
		case r == '\t':
			out.WriteString(`\t`)
		case r < 0x80:
			fmt.Fprintf(&out, `\x%02X`, r)
		case r > 0xFFFF:
			fmt.Fprintf(&out, `\U%08X`, r)
		default:
			fmt.Fprintf(&out, `\u%04X`, r)
		}
		text = text[size:]
	}
	return out.String()
}

// JSON returns encoded JSON with the same meaning, in which no string holds a character that [Line] escapes.
func JSON(encoded []byte) []byte {
	hides := func(r rune) bool { return r >= 0x7F && hidden(r) } // the encoder has escaped those below
	if !bytes.ContainsFunc(encoded, hides) {
		return encoded
	}
	out := make([]byte, 0, len(encoded)+64)
	for _, r := range string(encoded) {
		switch high, low := utf16.EncodeRune(r); {
		case !hides(r):
			out = utf8.AppendRune(out, r)
		case r > 0xFFFF:
			out = fmt.Appendf(out, `\u%04x\u%04x`, high, low)
		default:
			out = fmt.Appendf(out, `\u%04x`, r)
		}
	}
	return out
}

// hidden reports whether a character has no shape of its own. This includes all format characters of Unicode (Cf): the
// joiners that some scripts need can also make two names look alike. It includes letters and marks that are displayed
// as nothing: fillers, variation selectors, and the empty Braille pattern.
func hidden(r rune) bool {
	const emptyBraille = '\u2800'
	return !unicode.IsGraphic(r) || r == emptyBraille ||
		unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
}
