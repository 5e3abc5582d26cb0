package pgstat

import (
	"fmt"
	"strings"
	"testing"

	"github.com/realiops/realiops/internal/measure/server/embedded"
	"github.com/realiops/realiops/internal/runfile"
	"github.com/realiops/realiops/internal/test/servertest"
)

// TestRankingTellsWhatIsNotListed: no statement is listed because the server's settings hide all, or not all are,
// because the extension dropped some.
func TestRankingTellsWhatIsNotListed(t *testing.T) {
	const most = 100 // the least that the extension allows
	s := servertest.DatabaseOn(t, servertest.Start(t, embedded.Options{Version: "17", Settings: []string{
		"shared_preload_libraries=pg_stat_statements", fmt.Sprintf("pg_stat_statements.max=%d", most)}}), "")
	control := servertest.Connect(t, s)
	servertest.Exec(t, control, "create extension pg_stat_statements; create table rows (id int)")
	look := func(setting, value string, work func(n int) string, times int) runfile.Top {
		t.Helper()
		servertest.Exec(t, control, "select pg_stat_statements_reset()")
		worker, config := servertest.Connect(t, s), s.Config().Copy()
		config.RuntimeParams[setting] = value
		servertest.Exec(t, worker, fmt.Sprintf("set %s = %s", setting, value))
		ranking := NewRanking(config)
		ranking.Read(t.Context())
		for n := range times {
			servertest.Exec(t, worker, work(n))
		}
		return awaitTop(t, ranking, rankedStatements, "wal_records", float64(times))
	}
	same := func(int) string { return "insert into rows values (1)" }
	for setting, off := range map[string]string{"compute_query_id": "off", "pg_stat_statements.track": "none"} {
		if top := look(setting, off, same, 3); !strings.Contains(top.Missing, setting+"="+off) || len(top.Items) > 0 {
			t.Errorf("%s: %+v, want it as the reason why there are none", setting, top)
		}
	}
	if top := look("compute_query_id", "auto", same, 3); top.Missing != "" || top.Total[runfile.Evictions] != 0 || len(top.Items) == 0 {
		t.Errorf("%+v, want a statement, and none evicted", top)
	}
	different := func(n int) string { return "insert into rows values (1)" + strings.Repeat(", (1)", n) }
	if top := look("compute_query_id", "auto", different, 2*most); top.Total[runfile.Evictions] < 1 {
		t.Errorf("%+v, want evictions: %d statements do not fit", top, 2*most)
	}
}
