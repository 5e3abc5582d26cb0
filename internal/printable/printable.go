// Package printable writes values for people: lengths of time with their units, numbers of things, and text of others
// made safe. That is names and messages from servers, files, AWS and users, in which escape sequences would drive the
// terminal, direction marks would reorder a line, and line ends would forge one.
//
// What cannot be seen is written as psql writes it: \n, \x1B, \u202E. Nothing is left out, and what can be seen stays
// as it is, so two names that differ never look the same for what they hide. Quoting for HTML, markdown or CSV is not
// done here; those who write these formats do it, on what comes from here.
package printable

import (
	"bytes"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// Line returns the text as one line of what can be seen: letters, marks, numbers, punctuation, symbols and spaces, as
// Unicode defines them. Control characters and those that only steer how others are shown are escaped, and so are bytes
// that are no UTF-8.
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

// JSON is encoded JSON of the same meaning, in which no string holds what [Line] escapes.
func JSON(encoded []byte) []byte {
	hides := func(r rune) bool { return r >= 0x7F && hidden(r) } // the encoder has escaped what comes before
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

// hidden characters have no shape of their own. Of Unicode's format characters (Cf) none is spared: the joiners that
// some scripts need are also what makes two names look alike.
// Neither are the letters and marks that Unicode has shown as nothing: fillers, selectors of variants, and an empty
// pattern of Braille.
func hidden(r rune) bool {
	const emptyBraille = '\u2800'
	return !unicode.IsGraphic(r) || r == emptyBraille ||
		unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
}
