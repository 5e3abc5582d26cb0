package input

import "bytes"

// Separator returns what stands between the columns of CSV, by its first line: a comma, or the semicolon or tab that a
// spreadsheet writes where a comma is the decimal sign.
func Separator(text []byte) rune {
	first, _, _ := bytes.Cut(text, []byte("\n"))
	for _, other := range ";\t" {
		if bytes.ContainsRune(first, other) && !bytes.ContainsRune(first, ',') {
			return other
		}
	}
	return ','
}
