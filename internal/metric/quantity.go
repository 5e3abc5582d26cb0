package metric

import (
	"slices"
	"strings"
)

// Quantity is one way to count the work of a load, by its name in run files and JSON.
type Quantity string

// The sides of quantities and metrics.
const (
	Logical   = "logical"
	Requested = "requested" // from the operating system or a storage service, whose cache may answer
	Physical  = "physical"
	NoSide    = "none"
)

// The quantities, from requests to the database down to the work of its device.
const (
	RowsWritten    Quantity = "rows"
	RowsUpdated    Quantity = "rows_updated"
	HOTUpdates     Quantity = "hot_updates"
	RowsDeleted    Quantity = "rows_deleted"
	Entries        Quantity = "entries"
	RowsReturned   Quantity = "rows_returned"
	Lookups        Quantity = "lookups"
	Statements     Quantity = "statements"
	Commits        Quantity = "commits"
	BuffersTouched Quantity = "buffers_touched"
	WALRecords     Quantity = "wal_records"
	PageImages     Quantity = "page_images"
	PageImageBytes Quantity = "page_image_bytes"
	PagesMissed    Quantity = "pages_missed"
	ReadCalls      Quantity = "read_calls"
	BytesAsked     Quantity = "bytes_asked"
	TempRead       Quantity = "temp_blocks_read"
	TempWritten    Quantity = "temp_blocks_written"
	WALBytes       Quantity = "wal_bytes"
	WALWrites      Quantity = "wal_writes"
	WALSyncs       Quantity = "wal_syncs"
	PagesWritten   Quantity = "pages_written"
	DeviceRequests Quantity = "device_requests"
	DeviceFlushes  Quantity = "device_flushes"
	DeviceBytes    Quantity = "device_bytes"
	DeviceReads    Quantity = "device_reads"
	DeviceReadSize Quantity = "device_read_bytes"
)

// quantity describes a quantity: its singular and plural, its unit, and what it counts.
type quantity struct {
	name                        Quantity
	side, one, many, unit, help string
	inserts                     bool // loads that only insert rows separate it from the others
}

var quantities = []quantity{
	{RowsWritten, Logical, "row", "rows", "rows", "rows that our clients wrote", true},
	{RowsUpdated, Logical, "row updated", "rows updated", "rows", "rows that our clients updated", false},
	{HOTUpdates, Logical, "HOT update", "HOT updates", "rows",
		"rows updated within their page, without new index entries", false},
	{RowsDeleted, Logical, "row deleted", "rows deleted", "rows", "rows that our clients deleted", false},
	{Entries, Logical, "row or index entry", "rows+index entries", "entries",
		"rows and their index entries: rows x (1 + indexes); a HOT update or a deletion makes no entry", true},
	{RowsReturned, Logical, "row returned", "rows returned", "rows",
		"rows that statements of our clients looked at and answered with", false},
	{Lookups, Logical, "index lookup", "index lookups", "lookups",
		"descents of an index that statements of our clients made", false},
	{Statements, Logical, "statement", "statements", "statements", "statements of our clients", true},
	{Commits, Logical, "commit", "commits", "transactions", "transactions that our clients committed", true},
	{BuffersTouched, Logical, "buffer touched", "buffers touched", "blocks",
		"blocks of tables and indexes that sessions looked at, in shared buffers or not: hits + misses", false},
	{WALRecords, Logical, "WAL record", "WAL records", "records", "records in the WAL", true},
	{PageImages, Logical, "page image", "page images", "images", "full-page images in the WAL", false},
	{PageImageBytes, Physical, "byte of page images", "bytes of page images", "bytes",
		"bytes of the WAL that are images of whole pages; 19 and later count them", false},
	{PagesMissed, Requested, "page missed", "pages missed", "blocks",
		"blocks that were not in shared buffers, and so were asked of the operating system; before PostgreSQL 16 new " +
			"blocks are among them", false},
	{ReadCalls, Requested, "read call", "read calls", "operations",
		"calls that ask the operating system for one or several blocks", false},
	{BytesAsked, Requested, "byte asked for", "bytes asked for", "bytes",
		"bytes that were asked of the operating system", false},
	{TempRead, Requested, "temporary block read", "temporary blocks read", "blocks",
		"blocks of temporary files that statements read", false},
	{TempWritten, Requested, "temporary block written", "temporary blocks written", "blocks",
		"blocks of temporary files that statements wrote", false},
	{WALBytes, Physical, "WAL byte", "WAL bytes", "bytes", "bytes of the WAL, by its insert position", true},
	{WALWrites, Physical, "WAL write", "WAL writes", "operations", "writes of the WAL to its files", true},
	{WALSyncs, Physical, "WAL fsync", "WAL fsyncs", "operations", "fsyncs of the WAL's files", true},
	{PagesWritten, Requested, "page written", "pages written", "operations",
		"writes of table and index pages to their files, without growth of the files, which before PostgreSQL 16 is " +
			"estimated from loads that only add rows", true},
	{DeviceRequests, Physical, "device request", "device requests", "operations",
		"write requests of the device that carry data: writes - flushes", true},
	{DeviceFlushes, Physical, "device flush", "device flushes", "operations", "flushes of the device's cache", true},
	{DeviceBytes, Physical, "device byte", "device bytes", "bytes", "bytes written to the device", true},
	{DeviceReads, Physical, "device read", "device reads", "operations", "read requests of the device", false},
	{DeviceReadSize, Physical, "device byte read", "device bytes read", "bytes", "bytes read from the device", false},
}

// Quantities returns all quantities, from the top down.
func Quantities() (all []Quantity) {
	for _, known := range quantities {
		all = append(all, known.name)
	}
	return all
}

// OfInserts reports whether loads that only insert rows separate the quantity from the others. Quantities of reads,
// updates or deletes need loads that do them.
func (q Quantity) OfInserts() bool { return q.words().inserts }

// OfReads reports whether only reads count in the quantity.
func (q Quantity) OfReads() bool {
	return slices.Contains([]Quantity{RowsReturned, PagesMissed, ReadCalls, BytesAsked, TempRead, DeviceReads,
		DeviceReadSize}, q)
}

// OfWrites reports whether only work that writes counts in the quantity.
func (q Quantity) OfWrites() bool {
	return !q.OfReads() && !slices.Contains([]Quantity{Lookups, Statements, Commits, BuffersTouched, TempWritten}, q)
}

// Side returns Logical, for work requested from the database, which it records in its WAL; Requested, for requests to
// the operating system, whose cache may answer; or Physical, for what storage has to do.
func (q Quantity) Side() string { return q.words().side }

// One returns the singular: WAL fsync.
func (q Quantity) One() string { return q.words().one }

// Many returns the plural: WAL fsyncs.
func (q Quantity) Many() string { return q.words().many }

// Unit returns the base unit.
func (q Quantity) Unit() string { return q.words().unit }

// Help says what the quantity counts.
func (q Quantity) Help() string { return q.words().help }

func (q Quantity) words() quantity {
	if i := slices.IndexFunc(quantities, func(known quantity) bool { return known.name == q }); i >= 0 {
		return quantities[i]
	}
	many := strings.ReplaceAll(string(q), "_", " ")
	return quantity{name: q, side: Physical, one: strings.TrimSuffix(many, "s"), many: many}
}

// QuantityNamed returns the quantity that people typed: WAL fsyncs, wal_syncs, wal-fsyncs, in any case.
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
