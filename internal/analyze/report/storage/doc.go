// Package storage shows the performance of storage alone, as data and as a document.
package storage
