package exported

import (
	"testing"
	"time"
)

// FuzzRead: whatever a file holds, the result has finished periods of a minute or more, with possible amounts.
func FuzzRead(f *testing.F) {
	f.Add([]byte(
		`{"MetricDataResults": [{"Id": "a", "Label": "VolumeReadIOPs Sum shop", "Timestamps": ["2026-10-01T00:00:00+00:00", "2026-10-01T01:00:00+00:00"], "Values": [1, 2], "StatusCode": "Complete"}]}`))
	f.Add([]byte(
		`{"MetricDataResults": [{"Label": "CPUUtilization", "Timestamps": ["2026-10-01T00:00:00Z"], "Values": []}], "Messages": [{}]}`))
	f.Add([]byte(
		`{"DBClusters": [{"DBClusterIdentifier": "shop", "StorageType": "aurora"}], "DBInstances": [{"DBInstanceIdentifier": "a"}]}`))
	now := time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)
	f.Fuzz(func(t *testing.T, text []byte) {
		var e Export
		err := e.Read(text, now)
		for _, p := range e.Periods {
			if err == nil && (p.To.After(now) || p.To.Sub(p.From) < time.Minute || !(p.Value >= 0)) {
				t.Errorf("%+v", p)
			}
		}
		_, _ = e.Cluster("")
	})
}
