package report

import (
	"strings"

	"github.com/realiops/realiops/internal/analyze/drivers"
)

// words are what people call a driver's units.
type words struct{ one, many string }

// noun names a driver for people.
func noun(driver string) words {
	switch driver {
	case drivers.Entries:
		return words{"row or index entry", "rows+index entries"}
	case drivers.WALRecords:
		return words{"log record", "log records"}
	case drivers.WALBytes:
		return words{"log byte", "log bytes"}
	case drivers.WALWrites:
		return words{"log write", "log writes"}
	case drivers.WALSyncs:
		return words{"log sync", "log syncs"}
	case drivers.PagesWritten:
		return words{"page written", "pages written"}
	case drivers.DeviceFlushes:
		return words{"device flush", "device flushes"}
	default: // rows, statements, commits, device_requests, device_bytes
		many := strings.ReplaceAll(driver, "_", " ")
		return words{strings.TrimSuffix(many, "s"), many}
	}
}

// alternatives writes drivers of which one is meant.
func alternatives(names []string) string { return listed(names, " or ") }

// conjunction writes drivers that are all meant.
func conjunction(names []string) string { return listed(names, " and ") }

func listed(names []string, last string) string {
	var many []string
	for _, driver := range names {
		many = append(many, noun(driver).many)
	}
	return enumerated(many, last)
}

// enumerated puts words into a sentence.
func enumerated(words []string, last string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	end := len(words) - 1
	return strings.Join(words[:end], ", ") + last + words[end]
}
