package insights

import (
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/pi/types"

	"github.com/realiops/realiops/internal/runfile"
)

// counter is a metric of the service, and what makes its values ours.
type counter struct {
	name    string // of the service, without a statistic
	unit    string // base unit, after scale
	kind    runfile.MetricType
	scale   float64 // by which the service's values are multiplied
	help    string
	caveat  string
	seconds int  // its period
	waits   bool // by what sessions wait for
}

// What the service's units are multiplied by: https://docs.aws.amazon.com/AmazonRDS/latest/AuroraUserGuide/USER_PerfInsights_Counters.html
const (
	asIs         = 1
	milliseconds = 1e-3
	microseconds = 1e-6
	kilobytes    = 1024 // as iostat has them
	perMinute    = 1.0 / 60
)

// Where the meanings are documented.
const (
	auroraChapter = "https://docs.aws.amazon.com/AmazonRDS/latest/AuroraUserGuide/USER_PerfInsights_Counters.html"
	rdsChapter    = "https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/USER_PerfInsights_Counters.html"
)

// loadName is the load of the database: how many sessions were at work or waiting, on average.
const loadName = "db.load"

func load() runfile.Metric {
	return runfile.Metric{
		Name: Name + "/" + loadName, Unit: "sessions", Type: runfile.Gauge, Period: 60, Source: auroraChapter,
		Help: "sessions at work or waiting, on average; with dimensions: those that waited for that",
	}
}

func (c counter) metric() runfile.Metric {
	source := rdsChapter
	if strings.Contains(c.name, "aurora") || strings.Contains(c.name, "rdstemp") || strings.Contains(c.name, "commit_latency") {
		source = auroraChapter
	}
	return runfile.Metric{
		Name: Name + "/" + c.name, Unit: c.unit, Type: c.kind, Period: float64(c.seconds), Source: source, Help: c.help, Caveat: c.caveat,
	}
}

func (c counter) query() types.MetricQuery {
	q := types.MetricQuery{Metric: aws.String(c.name + ".avg")}
	if c.waits {
		q.GroupBy = &types.DimensionGroup{Group: aws.String("db.wait_event"), Limit: aws.Int32(mostParts)}
	}
	return q
}

// isAurora goes by the engine.
func isAurora(c runfile.Cloud) bool { return strings.HasPrefix(c.Engine, "aurora") }

// table is what an instance of an engine may have, of what bears on writing and on where time goes. Counters of the
// operating system come each second where Enhanced Monitoring reads them each second; those of PostgreSQL each minute.
func table(cloud runfile.Cloud) []counter {
	seconds := 60
	if cloud.MonitoringSeconds == 1 {
		seconds = 1
	}
	all := onDisks()
	if isAurora(cloud) {
		all = onAuroraStorage()
	}
	for i := range all {
		all[i].seconds = seconds
	}
	return append(all, ofPostgres(isAurora(cloud))...)
}

func perSecond(name, unit string, scale float64, help string) counter {
	return counter{name: name, unit: unit, kind: runfile.Rate, scale: scale, help: help, seconds: 60}
}

func level(name, unit string, scale float64, help string) counter {
	return counter{name: name, unit: unit, kind: runfile.Gauge, scale: scale, help: help, seconds: 60}
}

// but adds what to beware of.
func (c counter) but(caveat string) counter {
	c.caveat = caveat
	return c
}

func onAuroraStorage() []counter {
	const storage, temp = "os.diskIO.auroraStorage.", "os.diskIO.rdstemp."
	return []counter{
		perSecond(storage+"writeIOsPS", "operations", asIs, "write operations to the Aurora storage").but("others saw it follow the log, not a disk"),
		perSecond(storage+"readIOsPS", "operations", asIs, "read operations from the Aurora storage"),
		perSecond(storage+"auroraStorageBytesTx", "bytes", asIs, "bytes sent to the Aurora storage").but("copies may be in it"),
		perSecond(storage+"auroraStorageBytesRx", "bytes", asIs, "bytes received from the Aurora storage"),
		perSecond(storage+"writeThroughput", "bytes", asIs, "bytes on the network by responses from the storage").but("named as if it were bytes written"),
		perSecond(storage+"readThroughput", "bytes", asIs, "bytes on the network by requests to the storage").but("named as if it were bytes read"),
		level(storage+"writeLatency", "seconds", milliseconds, "average time of a write to the Aurora storage"),
		level(storage+"readLatency", "seconds", milliseconds, "average time of a read from the Aurora storage"),
		level(storage+"diskQueueDepth", "requests", asIs, "requests that wait for the Aurora storage"),
		perSecond(temp+"writeIOsPS", "operations", asIs, "writes to the instance's own disk for temporary files"),
		perSecond(temp+"readIOsPS", "operations", asIs, "reads from the instance's own disk for temporary files"),
		perSecond(temp+"writeKbPS", "bytes", kilobytes, "bytes written to the instance's own disk for temporary files"),
		perSecond(temp+"readKbPS", "bytes", kilobytes, "bytes read from the instance's own disk for temporary files"),
	}
}

func onDisks() []counter {
	const disk = "os.diskIO.rdsdev."
	return []counter{
		perSecond(disk+"writeIOsPS", "operations", asIs, "writes that the device completed"),
		perSecond(disk+"readIOsPS", "operations", asIs, "reads that the device completed"),
		perSecond(disk+"writeKbPS", "bytes", kilobytes, "bytes written to the device"),
		perSecond(disk+"readKbPS", "bytes", kilobytes, "bytes read from the device"),
		perSecond(disk+"wrqmPS", "operations", asIs, "writes merged with others before they reached the device"),
		level(disk+"await", "seconds", milliseconds, "average time of a request, its wait in the queue included"),
		level(disk+"avgQueueLen", "requests", asIs, "requests that wait for the device"),
	}
}

func ofPostgres(aurora bool) []counter {
	all := []counter{
		perSecond("db.SQL.tup_inserted", "rows", asIs, "rows inserted"),
		perSecond("db.SQL.tup_updated", "rows", asIs, "rows updated"),
		perSecond("db.SQL.tup_deleted", "rows", asIs, "rows deleted"),
		perSecond("db.Transactions.xact_commit", "transactions", asIs, "transactions committed"),
		perSecond("db.Transactions.xact_rollback", "transactions", asIs, "transactions rolled back"),
		perSecond("db.IO.blks_read", "blocks", asIs, "blocks that were not in shared buffers"),
		perSecond("db.IO.buffers_backend", "blocks", asIs, "blocks written by sessions"),
		perSecond("db.IO.buffers_clean", "blocks", asIs, "blocks written by the background writer"),
		perSecond("db.Checkpoint.buffers_checkpoint", "blocks", asIs, "blocks written by checkpoints"),
		perSecond("db.Checkpoint.checkpoints_timed", "checkpoints", perMinute, "checkpoints because checkpoint_timeout was over"),
		perSecond("db.Checkpoint.checkpoints_req", "checkpoints", perMinute, "checkpoints that were asked for"),
		perSecond("db.Temp.temp_bytes", "bytes", asIs, "bytes of temporary files"),
		perSecond("db.Temp.temp_files", "files", perMinute, "temporary files"),
		perSecond("db.WAL.archived_count", "files", perMinute, "files of the log that were archived"),
	}
	if aurora {
		all = append(all, level("db.Transactions.commit_latency", "seconds", microseconds, "average time of a commit"))
	}
	return all
}
