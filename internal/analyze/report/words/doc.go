// Package words formats what all reports share: names and lists in sentences, columns of tables, lines of pictures.
package words
