package prometheus_test

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/realiops/realiops/internal/measure/history/prometheus"
	"github.com/realiops/realiops/internal/test/prometheustest"
)

// begin is when the planted history begins, and now when it is read. Samples are a minute apart.
var (
	begin = time.Date(2026, 11, 2, 10, 0, 0, 0, time.UTC)
	now   = begin.Add(10 * time.Minute)
)

// minutes returns samples a minute apart; NaN: the scrape failed.
func minutes(values ...float64) (all []prometheustest.Sample) {
	for i, v := range values {
		if !math.IsNaN(v) {
			all = append(all, prometheustest.Sample{At: begin.Add(time.Duration(i) * time.Minute), Value: v})
		}
	}
	return all
}

const (
	commits = "pg_stat_database_xact_commit"
	ours    = "pgstat.cluster/xact_commit"
	wal     = "cnpg_collector_wal_records"
)

var missed = math.NaN()

// planted returns a store's typical problems, each at its own instance.
func planted() []prometheustest.Series {
	s := func(name, labels string, values ...float64) prometheustest.Series {
		return prometheustest.Series{Name: name, Labels: labels, Samples: minutes(values...)}
	}
	return []prometheustest.Series{
		s(commits, `instance="plain:9187",datname="a"`, 10, 20, 30),
		s(commits, `instance="plain:9187",datname="b"`, 1, 2, 4),
		// a restarted server: the counter falls, and is passed on as it was read
		s(commits, `instance="restarted:9187",datname="a"`, 10, 20, 3, 5),
		// a hole of two scrapes stays a hole, without zeros
		s(commits, `instance="hole:9187",datname="a"`, 10, missed, missed, 40),
		// a database is created, and another dropped: the sum is reset both times
		s(commits, `instance="databases:9187",datname="a"`, 10, 20, 30, 40, 50),
		s(commits, `instance="databases:9187",datname="b"`, missed, missed, 5, 6, missed),
		// a sample that is no number, and a missing one, of one database: there is no sum
		s(commits, `instance="skips:9187",datname="a"`, 10, 20, 30, 40, 50),
		{Name: commits, Labels: `instance="skips:9187",datname="b"`, Samples: []prometheustest.Sample{{At: begin, Value: 1},
			{At: begin.Add(time.Minute), Value: math.NaN()}, {At: begin.Add(2 * time.Minute), Value: 3},
			{At: begin.Add(4 * time.Minute), Value: 5}}},
		// the statistics were reset, which changes a label
		s(wal, `instance="reset:9187",stats_reset="1"`, 100, 200), s(wal, `instance="reset:9187",stats_reset="2"`,
			missed, missed, 5, 9),
		// two replicas of a Prometheus scrape one exporter, each with its own holes
		s(commits, `instance="twice:9187",datname="a",replica="0"`, 10, 20, 30, 40),
		s(commits, `instance="twice:9187",datname="a",replica="1"`, 10, missed, 30),
		// a clock ahead of ours
		s(commits, `instance="ahead:9187",datname="a"`, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13),
		// two exporters of one server, of which one is enough
		s(wal, `instance="both:9187",stats_reset="1"`, 100, 200), s("pg_wal_records", `instance="both:9630"`, 100, 200),
		// two disks
		s("node_disk_writes_completed_total", `instance="disks:9100",device="sda"`, 1, 2),
		s("node_disk_writes_completed_total", `instance="disks:9100",device="sdb"`, 3, 4),
		s("node_disk_writes_completed_total", `instance="one:9100",device="sda"`, 1, 2),
		// pgwatch monitors two databases of a server, and repeats the server's metrics under both
		s("pgwatch_db_stats_xact_commit", `instance="watch:8080",dbname="shop",sys_id="7"`, 10, 20),
		s("pgwatch_db_stats_xact_commit", `instance="watch:8080",dbname="crm",sys_id="7"`, 1, 2),
		s("pgwatch_wal_stats_wal_bytes_kb", `instance="watch:8080",dbname="shop"`, 100, 300),
		s("pgwatch_wal_stats_wal_bytes_kb", `instance="watch:8080",dbname="crm"`, 100, 300),
		// one address in two clusters, and one scraped by two jobs
		s(commits, `instance="same:9187",datname="a",cluster="eu"`, 10, 20, 30),
		s(commits, `instance="same:9187",datname="a",cluster="us"`, 1000, 3000, 5000),
		s(commits, `instance="others:9187",datname="a",cluster="eu"`, 10, 20, 30),
		s(commits, `instance="others:9187",datname="b",cluster="us"`, 1000, 3000, 5000),
		s(commits, `instance="jobs:9187",datname="a",job="x"`, 10, 20, 30),
		s(commits, `instance="jobs:9187",datname="a",job="y"`, 10, 20, 30),
		s(commits, `instance="oid:9187",datname="a",datid="1"`, 10, 20, 30),
		s(commits, `instance="oid:9187",datname="b",datid="2"`, 1, 2, 3),
		s(commits, `instance="[fd00::1]:9187",datname="a"`, 10, 20, 30),
		s(wal, `instance="[fd00::2]:9187",stats_reset="1"`, 1, 2, 3),
		// names with special characters
		s(commits, `instance="odd \"quoted\":9187",datname="a{b}\\c"`, 1, 2),
	}
}

// told is the answer to a query: our metric's values by the minute, the gaps, and the notices.
type told struct {
	Values map[string]float64
	Gaps   []string
	Said   []string
}

func ask(t *testing.T, store *prometheus.Store, q prometheus.Query, metric string) (told, error) {
	t.Helper()
	q.From, q.To = begin.Add(-time.Minute), begin.Add(time.Hour)
	found, err := store.Find(t.Context(), q)
	if err != nil {
		return told{}, err
	}
	h, err := store.Read(t.Context(), found, q, now)
	if err != nil {
		return told{}, err
	}
	all := told{Values: map[string]float64{}, Said: h.Notices}
	for _, r := range h.Readings {
		if v, is := r.Values[metric]; is {
			all.Values[minute(r.At)] = v
		}
	}
	for _, g := range h.Gaps {
		all.Gaps = append(all.Gaps, minute(g.At)+" "+string(g.Reason))
	}
	return all, nil
}

func minute(at time.Time) string { return at.Sub(begin).Round(time.Second).String() }

// TestTraps: a store's problems become data, a gap or a refusal, never a wrong number.
func TestTraps(t *testing.T) {
	for engine, start := range prometheustest.Engines() {
		t.Run(engine, func(t *testing.T) {
			store, err := prometheus.Open(prometheus.Options{URL: start(t, planted()...)})
			if err != nil {
				t.Fatal(err)
			}
			var odd []string
			if engine == "Prometheus" { // VictoriaMetrics drops NaN
				odd = []string{"Left out samples that are negative, infinite or not a number, of pg_stat_database_xact_commit."}
			}
			traps(t, store, odd)
		})
	}
}

func traps(t *testing.T, store *prometheus.Store, odd []string) {
	check := func(instance, metric string, want told) {
		t.Helper()
		got, err := ask(t, store, prometheus.Query{Server: `instance="` + instance + `"`, Host: `instance="one:9100"`},
			metric)
		if err != nil {
			t.Errorf("%s: %v", instance, err)
			return
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", instance, diff)
		}
	}
	check("plain:9187", ours, told{Values: map[string]float64{"0s": 11, "1m0s": 22, "2m0s": 34}})
	check("restarted:9187", ours, told{Values: map[string]float64{"0s": 10, "1m0s": 20, "2m0s": 3, "3m0s": 5}})
	check("hole:9187", ours, told{Values: map[string]float64{"0s": 10, "3m0s": 40}})
	check("databases:9187", ours, told{Values: map[string]float64{"0s": 10, "1m0s": 20, "2m0s": 35, "3m0s": 46,
		"4m0s": 50}, Gaps: []string{"2m0s reset", "4m0s reset"}})
	check("skips:9187", ours, told{Values: map[string]float64{"0s": 11, "2m0s": 33, "4m0s": 55}, Said: odd})
	check("reset:9187", "pgstat.wal/wal_records",
		told{Values: map[string]float64{"0s": 100, "1m0s": 200, "2m0s": 5, "3m0s": 9}, Gaps: []string{"2m0s reset"}})
	check("twice:9187", ours, told{Values: map[string]float64{"0s": 10, "1m0s": 20, "2m0s": 30, "3m0s": 40},
		Said: []string{"Several replicas or jobs scraped the same server, and one of them counts: postgres_exporter."}})
	upToNow := map[string]float64{}
	for i := range 11 {
		upToNow[(time.Duration(i) * time.Minute).String()] = float64(i + 1)
	}
	check("ahead:9187", ours, told{Values: upToNow,
		Said: []string{"Skipped samples in the future by this machine's clock, of " + commits + "."}})
	check(`odd \"quoted\":9187`, ours, told{Values: map[string]float64{"0s": 1, "1m0s": 2}})

	for metric, want := range map[string]map[string]float64{"pgstat.database/xact_commit": {"0s": 10, "1m0s": 20},
		"pgstat.wal/wal_bytes": {"0s": 100 << 10, "1m0s": 300 << 10}} {
		watched, err := ask(t, store, prometheus.Query{Server: `dbname="shop"`, Host: `instance="one:9100"`}, metric)
		if diff := cmp.Diff(told{Values: want}, watched); diff != "" || err != nil {
			t.Errorf("pgwatch: %v (-want +got):\n%s", err, diff)
		}
	}
	both, err := ask(t, store, prometheus.Query{Server: `instance=~"both:.*"`, Host: `instance="one:9100"`},
		"pgstat.wal/wal_records")
	if diff := cmp.Diff(told{Values: map[string]float64{"0s": 100, "1m0s": 200}}, both); diff != "" || err != nil {
		t.Errorf("two exporters: %v (-want +got):\n%s", err, diff)
	}
	disk, err := ask(t, store, prometheus.Query{Server: `instance="plain:9187"`, Host: `instance="disks:9100"`,
		Device: "/dev/sdb"}, "block/writes")
	if diff := cmp.Diff(told{Values: map[string]float64{"0s": 3, "1m0s": 4}}, disk); diff != "" || err != nil {
		t.Errorf("the disk: %v (-want +got):\n%s", err, diff)
	}
	refused := func(q prometheus.Query, want string) {
		t.Helper()
		if _, err := ask(t, store, q, ours); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, want %s", q, err, want)
		}
	}
	check("jobs:9187", ours, told{Values: map[string]float64{"0s": 10, "1m0s": 20, "2m0s": 30},
		Said: []string{"Several replicas or jobs scraped the same server, and one of them counts: postgres_exporter."}})
	check("oid:9187", ours, told{Values: map[string]float64{"0s": 11, "1m0s": 22, "2m0s": 33}})
	refused(prometheus.Query{Server: `instance="same:9187"`, Host: `instance="one:9100"`},
		`has several servers at same:9187, which differ in cluster (us, eu); pick one with --server 'cluster="…"'`)
	refused(prometheus.Query{Server: `instance="others:9187"`, Host: `instance="one:9100"`}, `which differ in cluster`)
	refused(prometheus.Query{Server: `instance=~".fd00.*"`, Host: `instance="one:9100"`},
		"PostgreSQL exporters for several servers (fd00::1, fd00::2)")
	refused(prometheus.Query{},
		`has 13 instances; pick one with --server 'instance="…"' from [fd00::1]:9187, ahead:9187, databases:9187`)
	refused(prometheus.Query{Server: `instance=~"(plain|reset):9187"`, Host: `instance="one:9100"`},
		"exporters for several servers")
	refused(prometheus.Query{Server: `instance="plain:9187"`, Host: `instance="disks:9100"`},
		"choose PostgreSQL's with --device from sda, sdb")
	refused(prometheus.Query{Server: `instance="watch:8080"`},
		`pgwatch has 2 databases; pick one with --server 'dbname="…"' from crm, shop`)
	refused(prometheus.Query{Server: `instance="none"`, Host: `instance="none"`},
		"no metric of PostgreSQL or of a disk that realiops knows")
	// a name that selects nothing is a mistake, not a server without a disk
	refused(prometheus.Query{Server: `instance="plain:9187"`, Host: `instance="none"`},
		`has no disk with --host instance="none", from`)
	refused(prometheus.Query{Server: `instance="plain:9187"`, Host: `instance="disks:9100"`, Device: "sdc"},
		"has no disk sdc; choose PostgreSQL's with --device from sda, sdb")
	refused(prometheus.Query{Server: `instance="none"`, Host: `instance="one:9100"`},
		`has no PostgreSQL exporter with --server instance="none", from`)
	refused(prometheus.Query{Server: `instance=`}, "parse") // each engine words its error differently
}

// TestOtherMachine: the disks of an only machine count even under another name, but not in silence.
func TestOtherMachine(t *testing.T) {
	s := func(name, labels string) prometheustest.Series {
		return prometheustest.Series{Name: name, Labels: labels, Samples: minutes(10, 20, 30)}
	}
	store, err := prometheus.Open(prometheus.Options{URL: prometheustest.Start(t,
		s(commits, `instance="db1:9187",datname="a"`),
		s("node_disk_writes_completed_total", `instance="bastion:9100",device="sda"`),
		s("node_disk_reads_completed_total", `instance="bastion:9100",device="sda"`))})
	if err != nil {
		t.Fatal(err)
	}
	for host, want := range map[string][]string{
		"": {"The disk is of bastion:9100, the store's only machine, but PostgreSQL's exporter is db1:9187; " +
			"confirm the machine with --host"},
		`instance="bastion:9100"`: nil,
	} {
		got, err := ask(t, store, prometheus.Query{Host: host}, "block/writes")
		if diff := cmp.Diff(want, got.Said); diff != "" || err != nil {
			t.Errorf("--host %s: %v (-want +got):\n%s", host, err, diff)
		}
	}
}

// TestAnswers tries stores that are down, lie, refuse, cut off or answer partially, and other servers in their place.
func TestAnswers(t *testing.T) {
	const found = `{"status":"success","data":[{"__name__":"pg_stat_database_xact_commit","instance":"db1:9187","datname":"a"}]}`
	samples := `{"status":"success","data":{"resultType":"matrix","result":[{"metric":{"datname":"a"},"values":[[1793613600,"1"],[1793613660,"2"]]}]}}`
	answering := func(series, query string, status int) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			if strings.HasSuffix(r.URL.Path, "/series") && strings.Contains(r.FormValue("match[]"), commits) {
				fmt.Fprint(w, series)
				return
			}
			if strings.HasSuffix(r.URL.Path, "/series") {
				fmt.Fprint(w, `{"status":"success","data":[]}`)
				return
			}
			w.WriteHeader(status)
			fmt.Fprint(w, query)
		}
	}
	check := func(name string, handler http.HandlerFunc, want string) {
		t.Helper()
		server := httptest.NewServer(handler)
		defer server.Close()
		store, err := prometheus.Open(prometheus.Options{
			URL:   strings.Replace(server.URL, "://", "://me:planted-password@", 1) + "?token=planted-token",
			Pause: func(context.Context, time.Duration) error { return nil }})
		if err != nil {
			t.Fatal(err)
		}
		_, err = ask(t, store, prometheus.Query{}, ours)
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "planted") ||
			strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v, want %s", name, err, want)
		}
	}
	check("a page", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, "<html><body>Sign in</body></html>")
	}, "or not at this path")
	check("a page for samples", answering(found, "<html>", http.StatusOK), "or not at this path")
	check("refused", func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, "no", http.StatusUnauthorized)
	}, "denied access")
	check("moved", func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasPrefix(r.URL.Path, "/x/") {
			http.Redirect(w, r, "/x"+r.URL.Path, http.StatusFound)
			return
		}
		answering(found, "slow down", http.StatusTooManyRequests)(w, r)
	}, "429 slow down); try again later")
	check("nothing whole", answering(found, strings.Replace(samples, "{", `{"warnings":["a store is down"],`, 1),
		http.StatusOK), "returned only part of pg_stat_database_xact_commit at times, which is left out: a store is down")
	check("not there", func(w http.ResponseWriter, _ *http.Request) {
		http.NotFound(w, nil)
	}, "does the address include the store's path?")
	check("too often", answering(found, "slow down", http.StatusTooManyRequests), "429 slow down); try again later")
	check("broken", func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, "oops", http.StatusBadGateway)
	}, "failed (502 oops); try again later")
	check("too much", answering(found,
		`{"status":"error","errorType":"execution","error":"query processing would load too many samples into memory"}`,
		http.StatusUnprocessableEntity), "too many samples")
	check("cut off", answering(found, samples[:len(samples)/2], http.StatusOK), "was cut off")
	check("endless", func(w http.ResponseWriter, _ *http.Request) {
		_, err := fmt.Fprint(w, `{"status":"success","data":["`)
		for more := bytes.Repeat([]byte("a"), 1<<16); err == nil; {
			_, err = w.Write(more)
		}
	}, " is longer than 32 MiB; ask for less with --for")
	check("ended", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "1000")
		fmt.Fprint(w, `{"status":`)
	}, "was cut off")
	check("resampled", answering(found, `{"status":"success","data":{"resultType":"vector","result":[]}}`,
		http.StatusOK), "returned a vector instead of samples")

	// partial answers are rejected, in the form of Prometheus, Thanos and Mimir, and of VictoriaMetrics' cluster
	for _, said := range []string{`"warnings":["store-2 unavailable"],`, `"isPartial":true,`} {
		partly := func(answer string) string {
			return strings.Replace(answer, `"status":"success",`, `"status":"success",`+said, 1)
		}
		check(said, answering(found, partly(samples), http.StatusOK), "no two samples of any metric")
		check(said, answering(partly(found), samples, http.StatusOK), "returned only part of its data")
	}
	whole := strings.Replace(samples, `"status":"success",`, `"status":"success","isPartial":false,`, 1)
	server := httptest.NewServer(answering(found, whole, http.StatusOK))
	defer server.Close()
	store, err := prometheus.Open(prometheus.Options{URL: server.URL})
	if err != nil {
		t.Fatal(err)
	}
	if got, err := ask(t, store, prometheus.Query{}, ours); err != nil || len(got.Values) != 2 {
		t.Errorf("%v, %v", got, err)
	}
}

// TestLettingIn: every call has the token and the tenant, but none to another host.
func TestLettingIn(t *testing.T) {
	calls := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		calls++
		if r.Header.Get("Authorization") != "Bearer planted-token" || r.Header.Get("X-Scope-OrgID") != "shop" ||
			!strings.HasPrefix(r.URL.Path, "/prometheus/api/v1/") {
			t.Errorf("%s with %v", r.URL.Path, r.Header)
		}
		fmt.Fprint(w, `{"status":"success","data":[]}`)
	}))
	defer server.Close()
	store, err := prometheus.Open(prometheus.Options{URL: server.URL + "/prometheus/", Token: "planted-token",
		Tenant: "shop"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := store.Find(t.Context(), prometheus.Query{From: begin, To: now}); err == nil || calls == 0 {
		t.Errorf("%d calls, %v", calls, err)
	}
	onward := httptest.NewServer(http.RedirectHandler(server.URL, http.StatusTemporaryRedirect))
	defer onward.Close()
	calls = 0
	store, err = prometheus.Open(prometheus.Options{URL: onward.URL, Token: "planted-token"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := store.Find(t.Context(), prometheus.Query{From: begin, To: now}); err == nil || calls > 0 ||
		!strings.Contains(err.Error(), "redirects to "+server.URL) {
		t.Errorf("%d calls where the store sent us, %v", calls, err)
	}
	for _, address := range []string{"", "prometheus:9090", "ftp://x", "http://"} {
		if _, err := prometheus.Open(prometheus.Options{URL: address}); err == nil {
			t.Errorf("%q is taken", address)
		}
	}
}

// TestUnreachableStore: only the address's host is shown, since it may contain a password.
func TestUnreachableStore(t *testing.T) {
	store, err := prometheus.Open(prometheus.Options{
		URL: "http://me:planted-password@127.0.0.1:1/?token=planted-token"})
	if err != nil {
		t.Fatal(err)
	}
	_, err = store.Find(t.Context(), prometheus.Query{From: begin, To: now})
	const refused = "127.0.0.1:1 does not answer: connect: connection refused"
	if err == nil || err.Error() != refused {
		t.Errorf("%v, want %s", err, refused)
	}
}

// TestAPodMoves: a pod that is restarted at another address is one server, and its samples are joined with a remark.
// Two servers that one exporter's pod shows together are not, even if they share no database.
func TestAPodMoves(t *testing.T) {
	of := func(labels string, values ...float64) prometheustest.Series {
		return prometheustest.Series{Name: commits, Labels: labels, Samples: minutes(values...)}
	}
	store, err := prometheus.Open(prometheus.Options{URL: prometheustest.Start(t,
		of(`instance="10.0.0.1:9187",namespace="db",pod="shop-0",datname="a"`, 10, 20, 30),
		of(`instance="10.0.0.7:9187",namespace="db",pod="shop-0",datname="a"`, missed, missed, missed, 45, 60),
		of(`instance="10.0.0.2:9187",server="db2:5432",pod="old",datname="a"`, 10, 20, 30),
		of(`instance="10.0.0.3:9187",server="db2:5432",pod="new",datname="a"`, missed, missed, missed, 45, 60),
		of(`instance="db3:5432",pod="exporter",datname="a"`, 1, 2, 3, 4, 5, 6, 7),
		of(`instance="db4:5432",pod="exporter",datname="b"`, 9, 19, 29, 39, 49, 59, 69),
		of(`instance="10.0.0.5:9187",job="x",datname="a"`, 1, 2, 3),
		of(`instance="10.0.0.6:9187",job="x",datname="a"`, missed, missed, missed, 4, 5))})
	if err != nil {
		t.Fatal(err)
	}
	for server, addresses := range map[string]string{`pod="shop-0"`: "10.0.0.1:9187, 10.0.0.7:9187",
		`server="db2:5432"`: "10.0.0.2:9187, 10.0.0.3:9187"} {
		got, err := ask(t, store, prometheus.Query{Server: server}, ours)
		want := told{Values: map[string]float64{"0s": 10, "1m0s": 20, "2m0s": 30, "3m0s": 45, "4m0s": 60},
			Gaps: []string{"3m0s reset"}, Said: []string{"postgres_exporter has changed its address, and the samples " +
				"of all addresses are joined: " + addresses + "."}}
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("%s: %v (-want +got):\n%s", server, err, diff)
		}
	}
	for server, says := range map[string]string{`pod="exporter"`: `pick one with --server 'instance="…"'`,
		`job="x"`: `pick one with --server 'instance="…"'`} {
		if _, err := ask(t, store, prometheus.Query{Server: server}, ours); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v, want %s", server, err, says)
		}
	}
}

// TestAMachineMoves: its disk and its server are joined by its name.
func TestAMachineMoves(t *testing.T) {
	var planted []prometheustest.Series
	for exporter, port := range map[string]string{commits: `9187",datname="a"`,
		"node_disk_writes_completed_total": `9100",device="sda"`} {
		planted = append(planted, prometheustest.Series{Name: exporter, Labels: `name="db8",instance="10.0.0.8:` + port,
			Samples: minutes(10, 20, 30)}, prometheustest.Series{Name: exporter, Labels: `name="db8",instance="10.0.0.9:` +
			port, Samples: minutes(missed, missed, missed, 45, 60)})
	}
	store, err := prometheus.Open(prometheus.Options{URL: prometheustest.Start(t, planted...)})
	if err != nil {
		t.Fatal(err)
	}
	got, err := ask(t, store, prometheus.Query{}, "block/writes")
	if err != nil || len(got.Values) != 5 || len(got.Said) != 2 || !strings.HasPrefix(got.Said[0],
		"node_exporter has changed its address") {
		t.Errorf("%+v, %v", got, err)
	}
}
