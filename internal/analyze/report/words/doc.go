// Package words has what all reports are written with: names and lists in sentences, columns of tables, lines of
// pictures.
package words
