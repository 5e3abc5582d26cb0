package report_test

import (
	"github.com/realiops/realiops/internal/analyze/attribution"
	"github.com/realiops/realiops/internal/analyze/drivers"
	"github.com/realiops/realiops/internal/runfile"
)

// verdictsByHand have one of each kind, with figures that nobody computed, so that a test sees what is shown of them.
func verdictsByHand() attribution.Verdicts {
	metric := func(name string) runfile.Metric { return runfile.Metric{Name: name} }
	one := func(value, lo, hi float64) *attribution.Estimate {
		return &attribution.Estimate{Value: value, Lo: lo, Hi: hi, Level: 0.95, N: 2}
	}
	rival := func(driver string, status attribution.Status, spread *attribution.Estimate, arms ...attribution.ArmRatio) attribution.Rival {
		d, _ := drivers.Named(driver)
		return attribution.Rival{Driver: driver, Side: d.Side, Status: status, Spread: spread, Arms: arms}
	}
	return attribution.Verdicts{Metrics: []attribution.Verdict{
		{Metric: metric("block/flushes"), Kind: attribution.Physical, Between: []string{drivers.WALWrites, drivers.WALSyncs},
			SettleWith: &attribution.Settle{Arm: "async", Between: []string{drivers.WALWrites, drivers.WALSyncs}, Factor: 2.5}},
		{Metric: metric("block/requests"), Kind: attribution.Physical, Mixture: &attribution.Mixture{Off: 1.1, Terms: []attribution.Term{
			{Driver: drivers.WALWrites, Side: drivers.Physical, PerUnit: *one(0.98, 0.90, 1.06), Share: 0.9},
			{Driver: drivers.PagesWritten, Side: drivers.Physical, PerUnit: *one(0.013, 0.0105, 0.0152), Share: 0.1, Or: []string{drivers.WALBytes}},
		}}},
		{Metric: metric("block/writes"), Kind: attribution.Mixed, Mixture: &attribution.Mixture{Off: 1.2, Terms: []attribution.Term{
			{Driver: drivers.DeviceFlushes, Side: drivers.Physical, PerUnit: *one(2, 1.9, 2.1), Share: 0.9},
			{Driver: drivers.Commits, Side: drivers.Logical, PerUnit: *one(0.3, 0.2, 0.4), Share: 0.1},
		}}},
		{Metric: metric("block/write_bytes"), Kind: attribution.Undetermined, Why: "its replicates lie too far apart",
			Warnings: []attribution.Warning{{Code: "noise", Text: "Its replicates lie too far apart."}}},
		{Metric: metric("pgstat.wal/wal_sync"), Kind: attribution.Logical, Counts: drivers.Entries, PerUnit: one(1.01, 0.972, 1.049),
			Rivals: []attribution.Rival{
				rival(drivers.Rows, attribution.Excluded, one(2, 1.9, 2.1), attribution.ArmRatio{Arm: "bulk", Value: 1, Lowest: 0.99, Highest: 1.01, N: 3}),
				rival(drivers.Entries, attribution.Consistent, one(1.02, 1, 1.05), attribution.ArmRatio{Arm: "bulk", Value: 1, Lowest: 0.99, Highest: 1.01, N: 3}),
			}},
		{Metric: metric("pgstat.wal/wal_write"), Kind: attribution.Undetermined,
			Between: []string{drivers.Rows, drivers.Entries, drivers.WALWrites}},
		{Metric: metric("pgstat.database/tup_inserted"), Kind: attribution.Logical, Counts: drivers.Rows, PerUnit: one(1, 1, 1), Exact: true},
		{Metric: metric("pgstat.database/deadlocks"), Kind: attribution.Silent, Why: "load does not move it"},
		{Metric: metric("pgstat.wal/wal_records"), Kind: attribution.Logical, Counts: drivers.WALRecords,
			Rivals: []attribution.Rival{rival(drivers.WALRecords, attribution.Itself, nil)}},
		{Metric: metric("pgstat.lsn/insert"), Kind: attribution.Physical, Counts: drivers.WALBytes,
			Rivals: []attribution.Rival{rival(drivers.WALBytes, attribution.Itself, nil)}},
	}}
}
