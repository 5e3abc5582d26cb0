// Package storage says what storage delivered when it was measured alone, as data and as a document.
package storage
