package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/realiops/realiops/internal/cli/command"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"
	"github.com/klauspost/compress/zstd"

	"github.com/realiops/realiops/internal/analyze/attribution"
	"github.com/realiops/realiops/internal/analyze/report"
	"github.com/realiops/realiops/internal/analyze/sizing"
	"github.com/realiops/realiops/internal/analyze/tally"
	"github.com/realiops/realiops/internal/measure/collect"
	"github.com/realiops/realiops/internal/measure/experiment"
	"github.com/realiops/realiops/internal/measure/load"
	"github.com/realiops/realiops/internal/measure/postgres"
	"github.com/realiops/realiops/internal/measure/server/embedded"
	"github.com/realiops/realiops/internal/metric"
	"github.com/realiops/realiops/internal/runfile"
	"github.com/realiops/realiops/internal/test/accounttest"
	"github.com/realiops/realiops/internal/test/insightstest"
	"github.com/realiops/realiops/internal/test/process"
	"github.com/realiops/realiops/internal/test/servertest"
	"github.com/realiops/realiops/internal/test/standin"
)

// TestStandInAurora goes the whole way: realiops run puts a load on a server that answers like Aurora in SQL; a
// stand-in publishes its work as AWS does, late and wrong at first, with a failover; then a report is made. Two
// hundred seconds of the cloud pass in one, including the rests before and after the loads, so few loads run and
// few verdicts are reached: none may be wrong. With REALIOPS_STANDIN_RECORD it slowly runs all loads that the
// recorded test needs, and records them.
//
// Finding the stand-in's rules proves nothing about the real Aurora.
func TestStandInAurora(t *testing.T) {
	record, factor, plan := os.Getenv("REALIOPS_STANDIN_RECORD"), 200,
		[]string{"--plan", "published", "--repetitions", "1"}
	if record != "" {
		factor, plan = recordedFactor, []string{"--plan", allLoads(t)}
	}
	a := startAurora(t, factor)
	path := filepath.Join(t.ArtifactDir(), "run.jsonl")
	d := standin.New(1)
	if record == "" { // none of these loads reads
		d.Read, d.VolumeRead = nil, nil
	}
	a.live(t, d, path, record == "", plan)
	if record != "" {
		a.record(t, record, path)
	}
}

// TestRecordedAurora compares verdicts with rules drawn at random: each draw publishes a recorded run's work by its
// own counting rules, and the program aws collect reads it into a copy of the run from before its collection.
func TestRecordedAurora(t *testing.T) {
	draws, seed := fromEnvironment(t, "REALIOPS_STANDIN_DRAWS", 4),
		uint64(fromEnvironment(t, "REALIOPS_STANDIN_SEED", 1))
	a := recordedAurora(t)
	cloud := a.withoutLoads(t, "single")
	var rows []outcome
	for i := range draws {
		d := standin.New(seed + uint64(i))
		t.Run(fmt.Sprintf("draw %d", d.Seed), func(t *testing.T) { rows = append(rows, a.after(t, d, cloud)...) })
	}
	t.Run("blind", func(t *testing.T) { rows = append(rows, a.after(t, standin.NewBlind(seed), a.path)...) })
	t.Run("flagship", func(t *testing.T) { a.flagship(t, cloud) })
	t.Run("in steps", func(t *testing.T) { a.inSteps(t, cloud) })
	t.Logf("%d draws:\n%s", draws+1, table(rows))
}

// flagship publishes WriteIOPS as AWS documents it, and VolumeWriteIOPs as it was measured, with the published
// background of an idle cluster.
func (a *aurora) flagship(t *testing.T, path string) {
	d := standin.Draw{
		Write:  standin.Rule{{Kind: standin.Records, PerUnit: 1}},
		Volume: standin.Rule{{Kind: standin.Bytes, PerUnit: 0.33 / 4096}},
		Read:   standin.Rule{{Kind: standin.Missed, PerUnit: 1}}, VolumeRead: standin.Rule{
			{Kind: standin.Missed, PerUnit: 0.5}},
		Habits: standin.Habits{Noise: 0.01, Background: 7.66},
	}
	for _, o := range a.after(t, d, path) {
		named := o.metric != "cloudwatch/VolumeWriteIOPs" // WAL bytes get only a side
		if named && o.sort != standin.Right || o.sort == standin.CannotTell {
			t.Errorf("%s counts %s, and was said to be %s", o.metric, o.rule, o.said)
		}
	}
	mine := filepath.Join(t.ArtifactDir(), "run.jsonl")
	a.idleGaps(t, mine)
	a.evidence(t, mine)
}

// idleGaps: DBLoad has no points at idle times, and no missing data is reported.
func (a *aurora) idleGaps(t *testing.T, path string) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(text, []byte(`"metric":"cloudwatch/DBLoad","dimensions"`)) {
		t.Error("DBLoad was not asked for")
	}
	if gap := regexp.MustCompile(`\{"kind":"gap"[^\n]*"metric":"cloudwatch/DBLoad"[^\n]*`).Find(text); gap != nil &&
		!bytes.Contains(gap, []byte("only under load")) {
		t.Errorf("a gap in DBLoad may be idleness: %s", gap)
	}
}

// evidence imports the run like one that a user sent.
func (a *aurora) evidence(t *testing.T, path string) {
	for _, needed := range []string{"bash", "jq"} {
		if _, err := exec.LookPath(needed); err != nil {
			t.Logf("no %s here, so nothing is taken in", needed)
			return
		}
	}
	program, err := process.Build(t.TempDir()) // otherwise each call of the script builds one
	if err != nil {
		t.Fatal(err)
	}
	shared := filepath.Join(t.TempDir(), "shared.jsonl")
	var out, failed bytes.Buffer
	env := command.Env{In: strings.NewReader(""), Out: &out, Err: &failed, Getenv: os.Getenv}
	if code := Main(env, []string{"share", path, "-o", shared}); code != command.ExitDone {
		t.Fatalf("share: %d, %s", code, &failed)
	}
	text, err := os.ReadFile(shared)
	if err != nil {
		t.Fatal(err)
	}
	takes := func(page string, want string, ok bool, args ...string) {
		t.Helper()
		c := exec.CommandContext(t.Context(), "bash", append([]string{"../../scripts/evidence"}, args...)...)
		c.Env = append(os.Environ(), "EVIDENCE_PAGE="+page, "REALIOPS="+program)
		said, err := c.CombinedOutput()
		if (err == nil) != ok || !strings.Contains(string(said), want) {
			t.Errorf("evidence %v: %v, %s does not say: %s", args, err, said, want)
		}
		t.Logf("%s", said)
	}
	id := regexp.MustCompile(`"id":"(run-[0-9a-f]{12})"`).FindSubmatch(text)
	if id == nil {
		t.Fatal("the copy has no id of copies")
	}
	has := filepath.Join(t.TempDir(), "page.md")
	if err := os.WriteFile(has, fmt.Appendf(nil, "| 2026-11-25, %s | another row |\n", id[1]), 0o600); err != nil {
		t.Fatal(err)
	}
	const again = "the page already has a row of this run, "
	takes("", "WriteIOPS counts WAL records: confirmed", true, "--rehearse", shared)
	takes("", again+string(id[1]), false, "--rehearse", shared, shared)
	takes(has, again+string(id[1]), false, "--rehearse", shared)
	takes("", "it was made on a stand-in", false, "--check", shared)
	takes("", "it is not scrubbed", false, "--rehearse", path)
}

// allLoads returns a plan of all loads of any plan for AWS's periods, and of single rows.
func allLoads(t *testing.T) string {
	t.Helper()
	plan := experiment.Cloud()
	plan.Name = "recorded"
	for _, l := range load.Loads() {
		if l.Name == "single" {
			plan.Loads = append(plan.Loads, l)
		}
	}
	text, err := json.Marshal(plan)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "plan.json")
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// The files of a recording, and how many times faster than ours its cloud's clock ran.
const (
	recordedFactor = 120
	recordedRun    = "run.jsonl.zst"
	recordedCourse = "course.jsonl.zst"
	recordings     = "../testdata/stand-in"
)

// record saves the server's work, and the run from before its collection.
func (a *aurora) record(t *testing.T, directory, path string) {
	t.Helper()
	text, err := os.ReadFile(withoutPeriods(t, path))
	if err != nil {
		t.Fatal(err)
	}
	var course bytes.Buffer
	if err := a.course.Save(&course); err != nil {
		t.Fatal(err)
	}
	encoder, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedBestCompression))
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string][]byte{recordedRun: text, recordedCourse: course.Bytes()} {
		if err := os.WriteFile(filepath.Join(directory, name), encoder.EncodeAll(content, nil), 0o644); err !=
			nil { //nolint:gosec // part of the source
			t.Fatal(err)
		}
	}
}

// recordedAurora is the server of a recording. Its clock starts where the recording ended.
func recordedAurora(t *testing.T) *aurora {
	t.Helper()
	accounttest.Start(t) // skips if there is none
	path := filepath.Join(t.TempDir(), "run.jsonl")
	if err := os.WriteFile(path, unpacked(t, recordedRun), 0o600); err != nil {
		t.Fatal(err)
	}
	course, err := standin.Load(bytes.NewReader(unpacked(t, recordedCourse)))
	if err != nil {
		t.Fatal(err)
	}
	file, err := collect.Read(path)
	if err != nil {
		t.Fatal(err)
	}

	began := time.Now()
	over := file.Span.To.Add(time.Hour / recordedFactor * 2)
	a := &aurora{
		course: course, path: path, now: func() time.Time { return over.Add(time.Since(began)) },
		clock: standin.Clock{Here: file.Span.From.Truncate(time.Minute),
			There: file.Span.From.Add(-24 * time.Hour).Truncate(time.Hour), Factor: recordedFactor},
	}
	a.resources = [len(instances)]string{file.Header.Target.Cloud.Resource, "db-" + instances[1]}
	return a
}

func unpacked(t *testing.T, name string) []byte {
	t.Helper()
	packed, err := os.ReadFile(filepath.Join(recordings, name))
	if err != nil {
		t.Fatal(err)
	}
	decoder, err := zstd.NewReader(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer decoder.Close()
	text, err := decoder.DecodeAll(packed, nil)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func fromEnvironment(t *testing.T, name string, otherwise int) int {
	t.Helper()
	text := os.Getenv(name)
	if text == "" {
		return otherwise
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		t.Fatalf("%s is %q", name, text)
	}
	return n
}

// aurora is a server, its work, and the clock of its cloud.
type aurora struct {
	dsn    string
	behind *postgres.Endpoint // of the superuser
	course *standin.Course
	clock  standin.Clock
	moved  atomic.Pointer[time.Time] // when a failover moved the load to the second instance
	path   string                    // of a recorded run
	now    func() time.Time

	resources [len(instances)]string // Performance Insights' IDs of the instances
}

const (
	cluster    = "stand-in"
	clientName = "realiops load" // application_name of the load's sessions
)

// instances of the cluster: the writer, and its replacement after a failover.
var instances = [2]string{cluster + "-1", cluster + "-2"}

// writer returns which instance was the writer at a time by the cloud's clock.
func (a *aurora) writer(at time.Time) int {
	if moved := a.moved.Load(); moved != nil && !at.Before(a.clock.ToThere(*moved)) {
		return 1
	}
	return 0
}

func startAurora(t *testing.T, factor int) *aurora {
	t.Helper()
	accounttest.Start(t) // skips if there is none
	server := servertest.Start(t, embedded.Options{Version: "17", Settings: []string{
		"shared_preload_libraries=pg_stat_statements", "autovacuum=off", "max_wal_size=16GB", "checkpoint_timeout=1h",
		"wal_keep_size=0"}})
	boss := servertest.Connect(t, servertest.Endpoint(t, server.DSN()))
	servertest.Exec(t, boss, "create database shop")
	address, err := url.Parse(server.DSN())
	if err != nil {
		t.Fatal(err)
	}
	address.Path = "/shop"
	behind := servertest.Endpoint(t, address.String())
	servertest.Exec(t, servertest.Connect(t, behind), "create extension pg_stat_statements")
	endpoint := servertest.Aurora(t, behind, instances[0])
	c := endpoint.Config()
	now := time.Now()
	a := &aurora{
		behind: behind,
		dsn: fmt.Sprintf("host=%s port=%d dbname=%s user=%s password=%s", c.Host, c.Port, c.Database,
			c.User, c.Password),
		course: &standin.Course{Clients: clientName},
		clock: standin.Clock{Here: now.Truncate(time.Minute), There: now.Add(-24 * time.Hour).Truncate(time.Hour),
			Factor: float64(factor)},
		now: time.Now,
	}
	a.watch(t, servertest.Connect(t, behind))
	return a
}

// watch reads the server's counters until the test ends.
func (a *aurora) watch(t *testing.T, conn *pgx.Conn) {
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- a.course.Watch(ctx, conn) }()
	t.Cleanup(func() {
		stop()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
}

// realiops runs the program by the cloud's clock, and returns its report and its messages.
func (a *aurora) realiops(t *testing.T, args ...string) (report.Report, string) {
	t.Helper()
	var out, said bytes.Buffer
	env := command.Env{
		In: strings.NewReader(""), Out: &out, Err: &said, Getenv: os.Getenv, Now: a.now, Width: func() int {
			return 80
		},
		Tempo: collect.Tempo{Here: a.clock.Here, There: a.clock.There, Factor: a.clock.Factor},
	}
	code := Main(env, append(args, "--format", "json", "--progress", "plain"))
	t.Logf("realiops %s\n%s", strings.Join(args, " "), &said)
	if code != command.ExitDone {
		t.Fatalf("exit code %d", code)
	}
	var r report.Report
	if err := json.Unmarshal(out.Bytes(), &r); err != nil {
		t.Fatal(err)
	}
	return r, said.String()
}

// failOver makes the other instance the writer during a load, once the run file has some loads.
func (a *aurora) failOver(ctx context.Context, t *testing.T, path string) {
	boss := servertest.Connect(t, a.behind)
	for clients := 0; ctx.Err() == nil; {
		_ = experiment.Wait(ctx, time.Second)
		const begun = 2
		if text, err := os.ReadFile(path); err != nil || bytes.Count(text, []byte(`"event":"begin"`)) < begun {
			continue
		}
		if err := boss.QueryRow(ctx, "select count(*) from pg_stat_activity where application_name = $1 and state = "+
			"'active'", clientName).Scan(&clients); err != nil || clients == 0 {
			continue
		}
		a.moved.Store(new(time.Now()))
		servertest.FailOver(t, a.behind, instances[1])
		return
	}
}

// live makes the program measure the server while a draw publishes its work, late and wrong at first.
func (a *aurora) live(t *testing.T, d standin.Draw, path string, failover bool, plan []string) {
	s := newCloud(t)
	s.database(t, a)
	ctx, stop := context.WithCancel(t.Context())
	var publishing sync.WaitGroup
	publishing.Go(func() { s.publish(ctx, t, a, d) })
	if failover {
		publishing.Go(func() { a.failOver(ctx, t, path) })
	}
	defer publishing.Wait()
	defer stop()
	r, said := a.realiops(t, append([]string{"run", "--dsn", a.dsn, "--instance", instances[0], "--aws", "--yes",
		"--clients", "4", "-o", path}, plan...)...)
	if err := a.course.Check(); err != nil {
		t.Fatal(err)
	}
	s.insights.Check(t)
	if diff := cmp.Diff(s.asked.called(), allowedTo("run", func(string) bool { return true })); diff != "" {
		t.Errorf("run calls, and the policy allows (-calls +policy):\n%s", diff)
	}
	a.keepsNoSecrets(t, path, said)
	judged(t, d, r)
	if !failover {
		return
	}
	if !strings.Contains(said, "is run again: its repetition") {
		t.Error("the load that lost its server was not run again")
	}
	if !slices.ContainsFunc(r.Warnings, func(w report.Warning) bool { return w.Code == "failed-over" }) {
		t.Error("the report says nothing of the failover")
	}
}

// keepsNoSecrets checks that keys, passwords and the account's number appear nowhere.
func (a *aurora) keepsNoSecrets(t *testing.T, path, said string) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"} {
		if secret := os.Getenv(name); bytes.Contains(text, []byte(secret)) || strings.Contains(said, secret) {
			t.Errorf("%s is in the run file or in what was said", name)
		}
	}
}

// asksNoMore makes the program aws collect run again after everything has settled.
func (a *aurora) asksNoMore(t *testing.T, path string) {
	t.Helper()
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	_, said := a.realiops(t, "aws", "collect", path)
	after, err := os.ReadFile(path)
	if err != nil || !bytes.Equal(before, after) || strings.Contains(said, "AWS was asked") {
		t.Errorf("collecting what has settled asks AWS, or adds %d bytes: %v", len(after)-len(before), err)
	}
}

// after publishes the same work by a draw afterwards, and makes the program aws collect
// read it into a copy of the run.
func (a *aurora) after(t *testing.T, d standin.Draw, path string) []outcome {
	s := newCloud(t)
	mine := withoutPeriods(t, path)
	text, err := os.ReadFile(mine)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(mine, announced.ReplaceAll(text, nil), 0o600); err != nil {
		t.Fatal(err)
	}
	span := a.rested(t, mine)
	s.tellLoad(a, span)
	s.publishAll(t, a, d, span)
	r, _ := a.realiops(t, "aws", "collect", mine)
	a.asksNoMore(t, mine)
	return judged(t, d, r)
}

// inSteps publishes VolumeWriteIOPs in whole hours, as Aurora has been seen to: it then
// judges the whole run, but no load.
func (a *aurora) inSteps(t *testing.T, path string) {
	d := standin.Draw{
		Write:  standin.Rule{{Kind: standin.Rows, PerUnit: 1}},
		Volume: standin.Rule{{Kind: standin.Bytes, PerUnit: 0.34 / 4096}},
		Habits: standin.Habits{Step: time.Hour},
	}
	s, mine := newCloud(t), withoutPeriods(t, path)
	s.publishAll(t, a, d, a.rested(t, mine))
	r, _ := a.realiops(t, "aws", "collect", mine)
	volume := r.Metrics[slices.IndexFunc(r.Metrics, func(m report.Metric) bool {
		return m.Metric == "cloudwatch/VolumeWriteIOPs"
	})]
	if volume.Kind != attribution.CannotTell {
		t.Errorf("of a source that has not moved during any load it is said that it is %s", volume.Kind)
	}
	still := slices.IndexFunc(r.Warnings, func(w report.Warning) bool { return w.Code == "not-moved" })
	if still < 0 || !strings.Contains(r.Warnings[still].Text, "For all loads together") {
		t.Errorf("no warning says that the source did not move, and what it shows of the whole run: %+v", r.Warnings)
	}
	run, err := tally.FromFile(mine)
	if err != nil {
		t.Fatal(err)
	}
	c, err := sizing.Calibrate(run, "")
	if err != nil {
		t.Fatal(err)
	}
	// WAL from before the first reading is billed but not counted: up to 3 % on a busy machine.
	if c.OfWALUnits == nil || math.Abs(c.OfWALUnits.Value/0.34-1) > 0.08 {
		t.Errorf("a unit of WAL comes to %+v billed writes, and was counted as 0.34", c.OfWALUnits)
	}
}

// rested returns the run's time with the rests before and after it, in whole periods by the cloud's clock.
func (a *aurora) rested(t *testing.T, path string) runfile.Stretch {
	t.Helper()
	file, err := collect.Read(path)
	if err != nil {
		t.Fatal(err)
	}
	rest := file.Header.Plan.RestSeconds * a.clock.Factor
	if rest != metric.Hour {
		t.Errorf("%g s of the cloud's are rested, want an hour", rest)
	}
	hour := time.Duration(rest) * time.Second
	return runfile.Stretch{
		From: a.clock.ToThere(file.Span.From).Add(-hour).Truncate(standin.FiveMinutes),
		To:   a.clock.ToThere(file.Span.To).Add(hour).Truncate(standin.FiveMinutes).Add(standin.FiveMinutes),
	}
}

// withoutLoads returns the recorded run without some loads.
func (a *aurora) withoutLoads(t *testing.T, names ...string) string {
	t.Helper()
	text, err := os.ReadFile(a.path)
	if err != nil {
		t.Fatal(err)
	}
	var kept []byte
	for line := range bytes.Lines(text) {
		var of struct {
			Load string `json:"load"`
			Plan struct {
				Loads []json.RawMessage `json:"loads"`
			} `json:"plan"`
		}
		if err := json.Unmarshal(line, &of); err != nil {
			t.Fatal(err)
		}
		if slices.Contains(names, of.Load) {
			continue
		}
		for _, planned := range of.Plan.Loads {
			if slices.ContainsFunc(names, func(name string) bool {
				return bytes.Contains(planned, fmt.Appendf(nil, "%q", name))
			}) {
				line = bytes.Replace(line, append(bytes.Clone(planned), ','), nil, 1)
				line = bytes.Replace(line, append([]byte{','}, planned...), nil, 1)
			}
		}
		kept = append(kept, line...)
	}
	path := filepath.Join(t.TempDir(), "run.jsonl")
	if err := os.WriteFile(path, kept, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// announced matches the lines that announce AWS's metrics: without them, a collection asks for all that it knows.
var announced = regexp.MustCompile(`(?m)^\{"kind":"metric","name":"(cloudwatch|insights)/.*\n`)

// withoutPeriods returns the run file from before its collection.
func withoutPeriods(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var kept []byte
	for line := range bytes.Lines(text) {
		kept = append(kept, line...)
		if bytes.HasPrefix(line, []byte(`{"kind":"end"`)) {
			break
		}
	}
	mine := filepath.Join(t.ArtifactDir(), "run.jsonl")
	if err := os.WriteFile(mine, kept, 0o666); err != nil {
		t.Fatal(err)
	}
	return mine
}

// cloud is an account into which Aurora's metrics are published.
type cloud struct {
	account  *accounttest.StandIn
	insights *insightstest.Service
	asked    called
	waiting  []accounttest.Series // not published yet
}

func newCloud(t *testing.T) *cloud {
	t.Helper()
	s := &cloud{account: accounttest.Start(t), insights: insightstest.Start(t, insightstest.Options{})}
	s.insights.Have(insightstest.Metric{Name: storageIO + "writeIOsPS", Unit: "Requests per second"},
		insightstest.Metric{Name: storageIO + "readIOsPS", Unit: "Requests per second"},
		insightstest.Metric{Name: "db.IO.storage_blks_read", Unit: "Blocks per second"},
		insightstest.Metric{Name: "db.load", Unit: "Sessions"})
	asked, before := s.account.Proxy(t)
	asked.Setenv(t)
	insights := accounttest.NewProxy(s.insights)
	server := httptest.NewServer(insights)
	t.Cleanup(server.Close)
	t.Setenv("AWS_ENDPOINT_URL_PI", server.URL)
	s.asked = called{proxies: []*accounttest.Proxy{before, insights}}
	return s
}

// database creates the cluster that the run should find.
func (s *cloud) database(t *testing.T, a *aurora) {
	t.Helper()
	const of = "DBClusterIdentifier=" + cluster + "&Engine=aurora-postgresql&EngineVersion=17.4"
	s.account.Create(t, "CreateDBCluster", of)
	for i, name := range instances {
		a.resources[i] = s.account.Create(t, "CreateDBInstance", "DBInstanceIdentifier="+name+"&"+of+
			"&DBInstanceClass=db.r6g.large&EnablePerformanceInsights=true&PerformanceInsightsRetentionPeriod=7").Resource
	}
}

// storageIO is the prefix of Performance Insights' counters of an instance's requests to Aurora's storage.
const storageIO = "os.diskIO.auroraStorage."

// names returns AWS's name of a stream.
func names(stream standin.Stream) (metric string, inInsights bool) {
	switch stream {
	case standin.InInsights:
		return storageIO + "writeIOsPS", true
	case standin.StorageReads:
		return "db.IO.storage_blks_read", true
	case standin.ReadsInInsights:
		return storageIO + "readIOsPS", true
	case standin.VolumeWriteIOPs:
		return "VolumeWriteIOPs", false
	case standin.VolumeReadIOPs:
		return "VolumeReadIOPs", false
	case standin.ReadIOPS:
		return "ReadIOPS", false
	default:
		return "WriteIOPS", false
	}
}

// tell publishes a value, for an instance's metric on the one that was the writer.
// CloudWatch's values wait for flush.
func (s *cloud) tell(t *testing.T, a *aurora, stream standin.Stream, p standin.Point, value float64) {
	t.Helper()
	metric, inInsights := names(stream)
	if stream.OfVolume() {
		s.wait(p, metric, "DBClusterIdentifier", cluster, value)
		return
	}
	for i, name := range instances {
		had := value
		if i != a.writer(p.From) {
			had = 0
		}
		if inInsights {
			s.insights.Tell(insightstest.Point{Instance: a.resources[i], Metric: metric, From: p.From, To: p.To,
				Value: had, Known: p.To})
			continue
		}
		s.wait(p, metric, "DBInstanceIdentifier", name, had)
	}
}

func (s *cloud) wait(p standin.Point, metric, dimension, of string, value float64) {
	s.waiting = append(s.waiting, accounttest.Series{Namespace: "AWS/RDS", Metric: metric,
		Dimensions: map[string]string{dimension: of},
		From:       p.From, Step: p.To.Sub(p.From), Values: []float64{value}})
}

func (s *cloud) flush(t *testing.T) {
	t.Helper()
	s.account.Put(t, s.waiting...)
	s.waiting = nil
}

// publishAll publishes all of a draw's final points in a stretch.
func (s *cloud) publishAll(t *testing.T, a *aurora, d standin.Draw, span runfile.Stretch) {
	t.Helper()
	for _, stream := range standin.Streams() {
		for _, p := range d.Points(a.course, a.clock, stream, span.From, span.To) {
			s.tell(t, a, stream, p, p.Value)
		}
	}
	s.flush(t)
}

// tellLoad publishes DBLoad, the first chart of CloudWatch Database Insights, only for
// minutes with work, as AWS does.
func (s *cloud) tellLoad(a *aurora, span runfile.Stretch) {
	for from := span.From; from.Before(span.To); from = from.Add(time.Minute) {
		p := standin.Point{From: from, To: from.Add(time.Minute)}
		done := a.course.Between(a.clock.ToHere(p.From), a.clock.ToHere(p.To))
		if done[standin.Records]+done[standin.Lookups] > 0 {
			s.wait(p, "DBLoad", "DBInstanceIdentifier", instances[a.writer(p.From)], 8)
		}
	}
}

// published is the state of a point being published.
type published struct {
	first float64
	told  bool
	done  bool
}

// publish publishes every period late and too low, and corrects it later.
func (s *cloud) publish(ctx context.Context, t *testing.T, a *aurora, d standin.Draw) {
	began := a.clock.ToThere(time.Now()).Truncate(standin.FiveMinutes)
	states := map[string]*published{}
	for ctx.Err() == nil {
		now := a.clock.ToThere(time.Now())
		for _, stream := range standin.Streams() {
			step := stream.Period()
			for from := began; from.Add(step).Before(now); from = from.Add(step) {
				key := fmt.Sprint(stream, from.Unix())
				if states[key] == nil {
					states[key] = &published{}
				}
				s.further(t, a, d, stream, from, step, now, states[key])
			}
		}
		s.flush(t)
		_ = experiment.Wait(ctx, 200*time.Millisecond)
	}
}

// further publishes a point's value that is due now.
func (s *cloud) further(t *testing.T, a *aurora, d standin.Draw, stream standin.Stream, from time.Time,
	step time.Duration, now time.Time, p *published) {
	late, to := d.Late(stream, from), from.Add(step)
	point, there := d.Point(a.course, a.clock, stream, from)
	switch {
	case p.done || !there:
	case !p.told && now.After(to.Add(late.First)):
		p.first, p.told = point.Value*late.Low, true
		s.tell(t, a, stream, point, p.first)
	case p.told && now.After(to.Add(late.Final)) && a.course.Known(a.clock.ToHere(to)):
		p.done = true
		corrected := point.Value
		switch _, inInsights := names(stream); {
		case stream.OfVolume(): // the sum of two samples
			corrected = point.Value - p.first
		case !inInsights: // their average
			corrected = 2*point.Value - p.first
		}
		s.tell(t, a, stream, point, corrected)
	}
}

// outcome is the verdict on one metric of a draw.
type outcome struct {
	seed   uint64
	metric string
	rule   standin.Rule
	habits standin.Habits
	said   standin.Said
	sort   standin.Sort
}

// judged compares the verdicts of a report with the rules.
func judged(t *testing.T, d standin.Draw, r report.Report) []outcome {
	t.Helper()
	var all []outcome
	for _, stream := range standin.Streams() {
		name, inInsights := names(stream)
		if inInsights {
			name = "insights/" + name
		} else {
			name = "cloudwatch/" + name
		}
		rule := d.Of(stream)
		i := slices.IndexFunc(r.Metrics, func(m report.Metric) bool { return m.Metric == name })
		if i < 0 {
			t.Errorf("nothing is said of %s", name)
			continue
		}
		o := outcome{d.Seed, name, rule, d.Habits, saidOf(r.Metrics[i]), ""}
		if o.sort = rule.Judge(o.said); o.sort == standin.Wrong {
			t.Errorf("%s counts %s, and was said to be %s", name, rule, o.said)
		}
		all = append(all, o)
	}
	slices.SortFunc(all, func(a, b outcome) int { return strings.Compare(a.metric, b.metric) })
	return all
}

func saidOf(m report.Metric) standin.Said {
	s := standin.Said{Verdict: string(m.Kind), Counts: string(m.Counts)}
	for _, quantity := range m.Between {
		s.Between = append(s.Between, string(quantity))
	}
	if m.PerUnit != nil {
		s.PerUnit = m.PerUnit.Value
	}
	if m.Mixture != nil {
		for _, term := range m.Mixture.Terms {
			s.Mixture = append(s.Mixture, string(term.Quantity))
		}
	}
	return s
}

// table returns the output of scripts/stand-in-aurora: each verdict, and the number of results by sort of rule.
func table(rows []outcome) string {
	var text strings.Builder
	text.WriteString("| seed | metric | counts | noise | was said to be | |\n|---|---|---|---|---|---|\n")
	sorts := map[string]map[standin.Sort]int{}
	wrong := map[uint64]bool{}
	for _, o := range rows {
		_, name, _ := strings.Cut(o.metric, "/")
		fmt.Fprintf(&text, "| %d | `%s` | %s | %.1f%% | %s | %s |\n", o.seed,
			name[strings.LastIndexByte(name, '.')+1:], o.rule, 100*o.habits.Noise, o.said, o.sort)
		sort := "a sum of two"
		if len(o.rule) == 1 {
			sort = "`" + string(o.rule[0].Kind) + "`"
		}
		if sorts[sort] == nil {
			sorts[sort] = map[standin.Sort]int{}
		}
		sorts[sort][o.sort]++
		wrong[o.seed] = wrong[o.seed] || o.sort == standin.Wrong
	}
	text.WriteString("| the metric counts | named | side alone | cannot tell | wrong |\n|---|---|---|---|---|\n")
	for _, sort := range slices.Sorted(maps.Keys(sorts)) {
		of := sorts[sort]
		fmt.Fprintf(&text, "| %s | %d | %d | %d | %d |\n", sort, of[standin.Right], of[standin.OneSide],
			of[standin.CannotTell], of[standin.Wrong])
	}
	draws := slices.DeleteFunc(slices.Collect(maps.Keys(wrong)), func(seed uint64) bool { return wrong[seed] })
	if len(rows) == 0 { // only the flagship was requested
		return ""
	}
	fmt.Fprintf(&text, "Of %d draws, from seed %d on, %d have no wrong verdict.", len(wrong), rows[0].seed, len(draws))
	return text.String()
}
