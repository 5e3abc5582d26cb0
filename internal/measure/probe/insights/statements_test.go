package insights_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/realiops/realiops/internal/runfile"
	"github.com/realiops/realiops/internal/test/accounttest"
	"github.com/realiops/realiops/internal/test/insightstest"
)

// counters are the per-SQL statistics that AWS documents for PostgreSQL and an observation asks for:
// https://docs.aws.amazon.com/AmazonRDS/latest/AuroraUserGuide/USER_PerfInsights.UsingDashboard.AnalyzeDBLoad.AdditionalMetrics.PostgreSQL.html
func counters() []string {
	return []string{
		"calls", "shared_blks_read", "shared_blks_written", "shared_blks_dirtied", "local_blks_read",
		"local_blks_written", "temp_blks_read", "temp_blks_written",
	}
}

// atWork makes a statement active for four minutes from noon on, with that many sessions for each
// type of wait, and these rates.
func atWork(s *insightstest.Service, id, text string, sessions, rates map[string]float64) {
	for minute := range 4 {
		from := noon.Add(time.Duration(minute) * time.Minute)
		for wait, load := range sessions {
			s.Tell(insightstest.Point{Metric: "db.load", From: from, To: from.Add(time.Minute), Value: load,
				Dimensions: map[string]string{
					"db.sql_tokenized.id": id, "db.sql_tokenized.statement": text, "db.wait_event_type.name": wait}})
		}
		for counter, rate := range rates {
			s.Tell(insightstest.Point{Metric: "db.sql_tokenized.stats." + counter + "_per_sec", From: from,
				To: from.Add(time.Minute), Value: rate, Dimensions: map[string]string{"db.sql_tokenized.id": id}})
		}
	}
}

func withStatements(t *testing.T, counted bool) *insightstest.Service {
	t.Helper()
	s := start(t, insightstest.Options{})
	for _, c := range counters() {
		if counted {
			s.Have(insightstest.Metric{Name: "db.sql_tokenized.stats." + c + "_per_sec"})
		}
	}
	atWork(s, "AAA", "select * from big where name = 'Jane Roe' -- her", map[string]float64{"CPU": 2, "IO": 0.5},
		map[string]float64{"calls": 3, "shared_blks_read": 10})
	atWork(s, "BBB", "insert into big select\x1b[31m $1", map[string]float64{"IO": 1},
		map[string]float64{"shared_blks_read": 1, "shared_blks_written": 40})
	return s
}

// TestStatements: the amounts are rates and sessions times the seconds asked about. Statements with the most reads
// and writes come first, and users' values are removed.
func TestStatements(t *testing.T) {
	s := withStatements(t, true)
	got, err := asking(s.URL(), aurora(), noon.Add(time.Hour)).Statements(t.Context(), noon, noon.Add(4*time.Minute))
	const seconds = 240
	want := runfile.Top{From: noon, At: noon.Add(4 * time.Minute), Of: runfile.Digests, Total: map[string]float64{
		"load": 3.5 * seconds, "load_io": 1.5 * seconds}}
	add := func(name, text string, grew map[string]float64) {
		for _, c := range counters() {
			grew[c] += 0
		}
		want.Items = append(want.Items, runfile.TopItem{Name: name, Text: text, Grew: grew})
	}
	add("BBB", "insert into big select\x1b[?m $1", map[string]float64{"load": 1 * seconds, "load_io": 1 * seconds,
		"shared_blks_read": 1 * seconds, "shared_blks_written": 40 * seconds})
	add("AAA", "select * from big where name = ?", map[string]float64{"load": 2.5 * seconds, "load_io": 0.5 * seconds,
		"calls": 3 * seconds, "shared_blks_read": 10 * seconds})
	if diff := cmp.Diff(want, got, cmpopts.EquateApprox(0, 1e-6)); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	s.Check(t)
}

// TestStatementsWithoutBlocks: an instance without pg_stat_statements rejects the counters, and
// sessions are returned without them.
func TestStatementsWithoutBlocks(t *testing.T) {
	s := withStatements(t, false)
	got, err := asking(s.URL(), aurora(), noon.Add(time.Hour)).Statements(t.Context(), noon, noon.Add(4*time.Minute))
	want := map[string]float64{"load": 600, "load_io": 120}
	if err != nil || len(got.Items) != 2 || got.Items[0].Name != "AAA" ||
		cmp.Diff(want, got.Items[0].Grew, cmpopts.EquateApprox(0, 1e-6)) != "" {
		t.Errorf("%v: %+v", err, got)
	}
	s.Check(t)
}

// TestManyStatements: the service names at most 25, and a run file's record has ten.
func TestManyStatements(t *testing.T) {
	s := withStatements(t, true)
	for i := range 40 {
		atWork(s, fmt.Sprintf("C%d", i), "select "+strings.Repeat("é, ", 300),
			map[string]float64{"CPU": float64(i + 10)}, nil)
	}
	got, err := asking(s.URL(), aurora(), noon.Add(time.Hour)).Statements(t.Context(), noon, noon.Add(4*time.Minute))
	if err != nil || len(got.Items) != runfile.MostTopItems || got.Items[0].Name != "C39" {
		t.Errorf("%v: %+v", err, got.Items)
	} // 500 bytes as documented; botocore's model says 256, which nobody checks
}

// TestLongStretches: they use longer periods, since an answer has some hundred points at most.
func TestLongStretches(t *testing.T) {
	for length, seconds := range map[time.Duration]string{time.Hour: "60", 24 * time.Hour: "300",
		6 * 24 * time.Hour: "3600"} {
		s := withStatements(t, true)
		s.Change(func(o *insightstest.Options) { o.Now = func() time.Time { return noon.Add(length) } })
		_, err := asking(s.URL(), aurora(), noon.Add(length)).Statements(t.Context(), noon, noon.Add(length))
		if asked := string(s.Exchanges()[0].Request); err != nil ||
			!strings.Contains(asked, `"PeriodInSeconds":`+seconds) {
			t.Errorf("%v: %v, %s", length, err, asked)
		}
	}
}

// TestDamagedStatements: an invalid answer is an error, and no ranking.
func TestDamagedStatements(t *testing.T) {
	change := func(old, with string) accounttest.Fault {
		return accounttest.Text(func(s string) string { return strings.ReplaceAll(s, old, with) })
	}
	for words, fault := range map[string]accounttest.Fault{
		"returned statements without confirming that they are from": change(`"Aligned`, `"Other`),
		"with the value -1":      change(`"Total":1,`, `"Total":-1,`),
		"with the value NaN":     change(`"Total":1,`, `"Total":"NaN",`),
		"without a total":        change(`"Total":`, `"Sum":`),
		"with 0 of 2 partitions": change(`"Partitions":`, `"Others":`),

		"does not allow these credentials pi:": accounttest.Denied(),
		"is still throttling":                  accounttest.Throttled(),
		"it is off there":                      accounttest.Refused(http.StatusBadRequest, "NotAuthorizedException", "db-ABC is not known"),
	} {
		proxy, url := behind(t, withStatements(t, true))
		proxy.On("DescribeDimensionKeys", fault)
		got, err := asking(url, aurora(), noon.Add(time.Hour)).Statements(t.Context(), noon, noon.Add(4*time.Minute))
		if err == nil || !strings.Contains(err.Error(), words) || strings.Contains(err.Error(), "\n") ||
			len(got.Items) != 0 {
			t.Errorf("%q is not said: %v, %v", words, err, got.Items)
		}
	}
}

// TestCannotRank: if Performance Insights is off, no call is made.
func TestCannotRank(t *testing.T) {
	off := aurora()
	off.Insights = false
	if err := asking("http://127.0.0.1:1", off, noon).CanRank(); err == nil ||
		!strings.Contains(err.Error(), "Performance Insights is off on db-1") {
		t.Error(err)
	}
	if err := asking("http://127.0.0.1:1", aurora(), noon).CanRank(); err != nil {
		t.Error(err)
	}
}
