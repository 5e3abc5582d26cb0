package tally

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/realiops/realiops/internal/analyze/counts"
	"github.com/realiops/realiops/internal/runfile"
)

// TestWALOfObservation: partly read stretches are scaled up, and stretches of one table add up. What is missing at
// times is estimated from the rest.
func TestWALOfObservation(t *testing.T) {
	noon := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	item := func(name string, records, bytes, images int64) runfile.WALItem {
		return runfile.WALItem{Name: name, Is: runfile.WALIndex, Parts: map[string]runfile.WALPart{
			"btree_insert_leaf": {Records: records, Bytes: bytes, Images: images, ImageBytes: 100 * images}}}
	}
	c := newCollector()
	for _, w := range []runfile.WAL{
		{From: noon, To: noon.Add(time.Minute), Missing: "no answer"},
		{From: noon, To: noon.Add(time.Minute), Bytes: 4000, Read: 1000, Items: []runfile.WALItem{
			item("public.a", 5, 900, 2), item("public.b", 1, 50, 0)}},
		{From: noon.Add(time.Minute), To: noon.Add(2 * time.Minute), Missing: "no answer"},
		{From: noon.Add(2 * time.Minute), To: noon.Add(3 * time.Minute), Bytes: 500, Read: 500,
			Items: []runfile.WALItem{item("public.b", 2, 450, 1)}},
	} {
		c.take(w)
	}
	want := []counts.Top{{
		Of: counts.OfWAL, Seconds: 180,
		Items: []runfile.TopItem{
			{Name: "index public.a", Grew: map[string]float64{"wal_bytes": 3600, "wal_records": 20, "wal_fpi": 8,
				"image_bytes": 800}},
			{Name: "index public.b", Grew: map[string]float64{"wal_bytes": 4*50 + 450, "wal_records": 4*1 + 2,
				"wal_fpi": 1, "image_bytes": 100}},
		},
		Total: map[string]float64{"wal_bytes": 4250, "wal_records": 26, "wal_fpi": 9, "image_bytes": 900,
			"read_share": 1500.0 / 4500},
	}}
	if diff := cmp.Diff(want, c.wal.top("postgres")); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if none := newCollector().wal.top("postgres"); none != nil {
		t.Errorf("of a file that says nothing: %+v", none)
	}
}

// TestWhyNoWALOfManagedServers: remedies for one's own server are not suggested for servers run by AWS.
func TestWhyNoWALOfManagedServers(t *testing.T) {
	const (
		privilege = "pg_walinspect is not in this database, and only a superuser may make it (a superuser may: " +
			"create extension pg_walinspect; grant pg_read_server_files to the user of this connection)"
		execute = "this user may not execute pg_get_wal_records_info of pg_walinspect (a superuser may: " +
			"create extension pg_walinspect; grant pg_read_server_files to the user of this connection)"
		absent = "pg_walinspect is not installed on the server's machine (install PostgreSQL's contrib package on the " +
			"server's machine)"
		none   = "Aurora has no pg_walinspect, so its WAL records cannot be told apart"
		master = "pg_walinspect is not in this database; as the master user: create extension pg_walinspect; and " +
			"measure as that user"
	)
	for _, c := range []struct{ flavor, why, want string }{
		{"aurora", privilege, none}, {"aurora", execute, none}, {"aurora", absent, none},
		{"aurora", "no answer", "no answer"}, {"aurora", "", ""},
		{"rds", privilege, master},
		{"rds", execute, "this user may not execute pg_get_wal_records_info of pg_walinspect"},
		{"rds", absent, "pg_walinspect is not installed on the server's machine"}, {"rds", "no answer", "no answer"},
		{"postgres", privilege, privilege}, {"postgres", execute, execute}, {"postgres", absent, absent},
	} {
		s := &stretches{}
		s.join(runfile.WAL{Missing: c.why})
		if top := s.top(c.flavor); len(top) != 1 || top[0].Missing != c.want {
			t.Errorf("%s, %q: %+v, want %q", c.flavor, c.why, top, c.want)
		}
	}
}
