package metric

import (
	"strings"
)

// Quantity is one way to count the work of a load, by its name in run files and JSON.
type Quantity string

// The counted quantities, from what is asked of the database down to what its device does.
const (
	RowsWritten    Quantity = "rows"
	Entries        Quantity = "entries"
	Statements     Quantity = "statements"
	Commits        Quantity = "commits"
	WALRecords     Quantity = "wal_records"
	WALBytes       Quantity = "wal_bytes"
	WALWrites      Quantity = "wal_writes"
	WALSyncs       Quantity = "wal_syncs"
	PagesWritten   Quantity = "pages_written"
	DeviceRequests Quantity = "device_requests"
	DeviceFlushes  Quantity = "device_flushes"
	DeviceBytes    Quantity = "device_bytes"
)

// Quantities lists them, from the top down.
func Quantities() []Quantity {
	return []Quantity{
		RowsWritten, Entries, Statements, Commits, WALRecords, WALBytes, WALWrites, WALSyncs, PagesWritten,
		DeviceRequests, DeviceFlushes, DeviceBytes,
	}
}

// Side is logical, work that the database was asked to do and notes in its WAL, or physical, what storage has to do for it.
func (q Quantity) Side() string {
	switch q {
	case RowsWritten, Entries, Statements, Commits, WALRecords:
		return Logical
	default:
		return Physical
	}
}

// quantityWords are what a quantity is called: one of it, many of it, its unit, and what it counts.
type quantityWords struct{ one, many, unit, help string }

var quantities = map[Quantity]quantityWords{
	RowsWritten:    {"row", "rows", "rows", "rows that our clients wrote"},
	Entries:        {"row or index entry", "rows+index entries", "entries", "rows and their index entries: rows x (1 + indexes)"},
	Statements:     {"statement", "statements", "statements", "statements of our clients"},
	Commits:        {"commit", "commits", "transactions", "transactions that our clients committed"},
	WALRecords:     {"WAL record", "WAL records", "records", "records in the WAL"},
	WALBytes:       {"WAL byte", "WAL bytes", "bytes", "bytes of the WAL, by its insert position"},
	WALWrites:      {"WAL write", "WAL writes", "operations", "writes of the WAL to its files"},
	WALSyncs:       {"WAL fsync", "WAL fsyncs", "operations", "fsyncs of the WAL's files"},
	PagesWritten:   {"page written", "pages written", "operations", "writes of table and index pages to their files, not the growth of these; up to 15 the growth is taken off as far as loads that only add rows show it"},
	DeviceRequests: {"device request", "device requests", "operations", "write requests of the device that carry data: writes - flushes"},
	DeviceFlushes:  {"device flush", "device flushes", "operations", "flushes of the device's cache"},
	DeviceBytes:    {"device byte", "device bytes", "bytes", "bytes written to the device"},
}

// One is what people call one of it: WAL fsync.
func (q Quantity) One() string { return q.words().one }

// Many is what people call many of it: WAL fsyncs.
func (q Quantity) Many() string { return q.words().many }

// Unit is its base unit.
func (q Quantity) Unit() string { return q.words().unit }

// Help says what it counts.
func (q Quantity) Help() string { return q.words().help }

func (q Quantity) words() quantityWords {
	if known, ok := quantities[q]; ok {
		return known
	}
	many := strings.ReplaceAll(string(q), "_", " ")
	return quantityWords{one: strings.TrimSuffix(many, "s"), many: many}
}

// QuantityNamed finds the quantity that people typed: WAL fsyncs, wal_syncs, wal-fsyncs, in whatever case.
func QuantityNamed(typed string) (Quantity, bool) {
	plain := strings.NewReplacer("_", "", "-", "", " ", "", "+", "")
	for _, q := range Quantities() {
		for _, name := range []string{string(q), q.Many(), q.One()} {
			if strings.EqualFold(plain.Replace(name), plain.Replace(typed)) {
				return q, true
			}
		}
	}
	return "", false
}

// Making are the rows that make a quantity, the preferred first.
func (t Table) Making(q Quantity) []Metric {
	return t.those(func(m *Metric) bool { return m.Makes == q })
}

// Adding are the rows whose sum makes a quantity in versions that have none which makes it alone.
func (t Table) Adding(q Quantity) []Metric {
	return t.those(func(m *Metric) bool { return m.Adds == q })
}
