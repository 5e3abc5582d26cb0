package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/realiops/realiops/internal/measure/postgres"
	"github.com/realiops/realiops/internal/runfile"
	"github.com/realiops/realiops/internal/test/accounttest"
	"github.com/realiops/realiops/internal/test/insightstest"
	"github.com/realiops/realiops/internal/test/servertest"
)

// onAWS is a user at a prompt, with a database that answers like Aurora and an account that knows it. These tests
// check how realiops handles AWS's answers, as stand-ins give them; AWS is not reached.
type onAWS struct {
	account *accounttest.StandIn
	server  *postgres.Endpoint // as its superuser sees it
	dsn     string
	env     map[string]string
}

// version is one of Aurora's that the stand-in knows.
const version = "17.6"

// auroraCluster creates a cluster of a writer and a reader, and a database that says it is the writer.
func auroraCluster(t *testing.T) *onAWS {
	t.Helper()
	s := accounttest.Start(t)
	const ofShop = "DBClusterIdentifier=shop&Engine=aurora-postgresql&EngineVersion=" + version
	s.Create(t, "CreateDBCluster", ofShop)
	for _, name := range []string{"shop-1", "shop-2"} {
		s.Create(t, "CreateDBInstance", "DBInstanceIdentifier="+name+"&"+ofShop+"&DBInstanceClass=db.r6g.large&"+
			"EnablePerformanceInsights=true&PerformanceInsightsRetentionPeriod=7&MonitoringInterval=1")
	}
	s.Create(t, "CreateDBInstance", "DBInstanceIdentifier=alone&Engine=postgres&EngineVersion="+version+
		"&DBInstanceClass=db.m5.large&StorageType=gp3&AllocatedStorage=100")
	for dimension, name := range map[string]string{"DBInstanceIdentifier shop-1": "RDS CPUUtilization",
		"DBInstanceIdentifier alone": "RDS CPUUtilization",
		"VolumeId vol-1":             "EBS VolumeWriteOps"} {
		key, value, _ := strings.Cut(dimension, " ")
		space, metric, _ := strings.Cut(name, " ")
		s.Put(t, accounttest.Series{Namespace: "AWS/" + space, Metric: metric, Dimensions: map[string]string{key: value},
			From: time.Now().Truncate(time.Minute).Add(-5 * time.Minute), Step: time.Minute, Values: []float64{1, 2, 3}})
	}
	server := servertest.Alone(t, "17")
	database := servertest.Aurora(t, server, "shop-1")
	return &onAWS{account: s, server: server, dsn: database.Config().ConnString(), env: s.Environment()}
}

// withInsights makes the account answer for Performance Insights.
func (p *onAWS) withInsights(t *testing.T) {
	t.Helper()
	insights := insightstest.Start(t, insightstest.Options{})
	insights.Have(insightstest.Metric{Name: "db.load"}, insightstest.Metric{Name: "os.diskIO.auroraStorage.writeIOsPS"})
	from := time.Now().Truncate(time.Minute).Add(-5 * time.Minute)
	insights.Tell(insightstest.Point{Metric: "os.diskIO.auroraStorage.writeIOsPS", From: from,
		To: from.Add(time.Minute), Value: 1})
	p.env["AWS_ENDPOINT_URL_PI"] = insights.URL()
}

// types runs a command and returns its output and exit code.
func (p *onAWS) types(t *testing.T, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	var out, failed strings.Builder
	c := realiops(t, args...)
	c.Stdout, c.Stderr, c.Dir = &out, &failed, t.TempDir()
	c.Env = os.Environ()
	for name, value := range p.env {
		c.Env = append(c.Env, name+"="+value)
	}
	err := c.Run()
	if ended, ok := errors.AsType[*exec.ExitError](err); ok {
		return out.String(), failed.String(), ended.ExitCode()
	}
	if err != nil {
		t.Fatal(err)
	}
	return out.String(), failed.String(), 0
}

// with returns the same user with another environment.
func (p *onAWS) with(env map[string]string) *onAWS {
	other := *p
	other.env = maps.Clone(p.env)
	maps.Copy(other.env, env)
	return &other
}

// behind returns the same user behind a proxy that applies a fault.
func (p *onAWS) behind(t *testing.T, operation string, fault accounttest.Fault) *onAWS {
	t.Helper()
	s, proxy := p.account.Proxy(t)
	proxy.On(operation, fault)
	return p.with(map[string]string{"AWS_ENDPOINT_URL": s.URL})
}

// TestOnAWS groups tests, since creating a cluster takes longer than they do.
func TestOnAWS(t *testing.T) {
	here := auroraCluster(t)
	t.Run("doctor", func(t *testing.T) { testDoctor(t, here.with(nil)) })
	t.Run("target", func(t *testing.T) { testTarget(t, here) })
	t.Run("secrets", func(t *testing.T) { testSecrets(t, here.with(nil)) })
}

func testDoctor(t *testing.T, here *onAWS) {
	here.withInsights(t)
	check := func(name string, p *onAWS, code int, args []string, words ...string) {
		t.Helper()
		t.Run(name, func(t *testing.T) {
			stdout, stderr, got := p.types(t, append([]string{"doctor", "--dsn", here.dsn}, args...)...)
			said := strings.Join(strings.Fields(stdout+stderr), " ")
			for _, w := range words {
				if !strings.Contains(said, w) {
					t.Errorf("%q is not said", w)
				}
			}
			if got != code || t.Failed() {
				t.Errorf("exit code %d, want %d\n%s%s", got, code, stdout, stderr)
			}
		})
	}
	region := []string{"--region", accounttest.Region}
	check("all is well", here, 0, region,
		"AWS knows it as the writer shop-1 of the cluster shop in eu-central-1: aurora-postgresql "+version,
		"rds:DescribeDBClusters allowed", "cloudwatch:GetMetricData allowed", "pi:ListAvailableResourceMetrics allowed",
		"pi:GetResourceMetrics allowed", "pi:DescribeDimensionKeys allowed (only observe makes it)",
		"GetMetricData 1× (",
		"the price of pi:DescribeDimensionKeys, pi:GetResourceMetrics, pi:ListAvailableResourceMetrics "+
			"is not known here")
	check("another name", here, 2, []string{"--instance", "shop-2"},
		"the server is instance shop-1, but --instance is shop-2")
	reader := servertest.Aurora(t, servertest.Database(t, "17"), "shop-2").Config().ConnString()
	check("not the writer", here, 3, append(region, "--dsn", reader),
		"NO RUN WOULD BEGIN HERE: shop-2 is a reader of the cluster shop, which does not accept writes")
	check("a call not allowed", here.behind(t, "GetMetricData", accounttest.Denied()), 2, region,
		"cloudwatch:GetMetricData AWS does not allow these credentials cloudwatch:GetMetricData; realiops aws policy",
		"! AWS denies some of the calls that a run makes.")
	check("nothing allowed", here.behind(t, "DescribeDBInstances", accounttest.Denied()), 2, region,
		"AWS does not say which of its databases this is: AWS does not allow these credentials rds:DescribeDBInstances")
	check("expired", here.behind(t, "DescribeDBInstances", accounttest.Expired()), 2, region,
		"the credentials have expired; sign in again")
	check("another region", here, 2, []string{"--region", "us-east-1"},
		"instance shop-1 not found in us-east-1: it was deleted, or is in another account or region")
	check("no credentials", here.with(map[string]string{"AWS_ACCESS_KEY_ID": "", "AWS_SECRET_ACCESS_KEY": ""}), 2,
		region, "no AWS credentials found")

	check("gone", here, 1, []string{"--dsn", "postgres://127.0.0.1:1/x", "--instance", "gone"},
		"is the server running there?; AWS reports: instance gone not found in eu-central-1: it was deleted")
	check("a token in the clear", here, 1, []string{"--instance", "shop-1", "--iam-auth"},
		"tokens are only sent over TLS",
		"the instance shop-1 does not accept tokens; enable its IAM database authentication")
	check("a role", here, 0, append(region, "--role", "arn:aws:iam::"+here.env["AWS_ACCESS_KEY_ID"]+":role/reader"),
		"AWS knows it as the writer shop-1", "sts:AssumeRole 1×")
	check("a token without credentials", here.with(map[string]string{"AWS_ACCESS_KEY_ID": ""}), 1,
		[]string{"--instance", "shop-1", "--iam-auth"}, "realiops: --iam-auth: no AWS credentials found")

	plain := servertest.Database(t, "17").Config().ConnString()
	alone := []string{"--dsn", plain, "--instance", "alone"}
	check("everything switched off", here, 0, alone, "AWS knows it as the instance alone in eu-central-1: postgres "+
		version+" on db.m5.large, storage gp3",
		"pi:GetResourceMetrics Performance Insights is off", "! Performance Insights is off",
		"! Enhanced Monitoring is off")
	check("on EC2", here, 0, append(region, "--dsn", plain, "--volume", "vol-1", "--ec2-instance", "i-1"),
		"a server on vol-1, i-1 in eu-central-1", "cloudwatch:GetMetricData allowed",
		"only RDS and Aurora have Performance Insights")
	s, proxy := here.account.Proxy(t)
	for _, operation := range []string{"DescribeDBInstances", "GetMetricData"} {
		proxy.On(operation, dated(-90*time.Second))
	}
	ahead := here.with(map[string]string{"AWS_ENDPOINT_URL": s.URL})
	check("our clock is ahead", ahead, 0, alone, "! AWS's clock and ours differ by 1 min")
	_, refused, code := ahead.types(t, append([]string{"run", "--quick-aws", "--yes"}, alone...)...)
	if code != 1 || !strings.Contains(refused, "--aws: AWS's clock and ours differ by 1 min") {
		t.Errorf("a run with a clock that is off: exit code %d, %s", code, refused)
	}
}

// dated answers with a date that is off by that time.
func dated(by time.Duration) accounttest.Fault {
	return func(w http.ResponseWriter, r *http.Request, service http.Handler) {
		service.ServeHTTP(&redated{w, by}, r)
	}
}

type redated struct {
	http.ResponseWriter
	by time.Duration
}

func (w *redated) WriteHeader(status int) {
	w.Header().Set("Date", time.Now().Add(w.by).UTC().Format(http.TimeFormat))
	w.ResponseWriter.WriteHeader(status)
}

// testTarget compares the target in the diagnosis with the head of a run file.
func testTarget(t *testing.T, here *onAWS) {
	stdout, stderr, code := here.types(t, "doctor", "--dsn", here.dsn, "--region", accounttest.Region,
		"--format", "json")
	var told struct {
		Target runfile.Target
		AWS    struct{ Clock runfile.Clock }
	}
	// The stand-in has no Performance Insights, and a script must notice that part of AWS is missing.
	if err := json.Unmarshal([]byte(stdout), &told); err != nil || code != 2 {
		t.Fatalf("%v, exit code %d: %s%s", err, code, stdout, stderr)
	}
	if !strings.HasPrefix(told.Target.Cloud.Resource, "db-") || told.AWS.Clock.Source != "aws" ||
		told.Target.Flavor != postgres.FlavorAurora {
		t.Errorf("told %+v", told)
	}
	told.Target.Cloud.Resource = ""
	want := &runfile.Cloud{Provider: "aws", Region: accounttest.Region, Instance: "shop-1", Cluster: "shop",
		Role:   "writer",
		Engine: "aurora-postgresql", Version: version, Class: "db.r6g.large", Storage: "aurora", Insights: true,
		InsightsDays: 7, MonitoringSeconds: 1}
	if diff := cmp.Diff(want, told.Target.Cloud); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// planted holds secrets that realiops must not store: a password, AWS keys, and an account's number,
// alone and in a resource's name.
var planted = map[string]string{
	"the password of the database": "planted-password-of-dsn",
	"the secret key":               "planted-secret-key",
	"the session token":            "planted-session-token",
	"the number in a refusal":      "123456789012",
	"the role":                     "210987654321",
	"a token":                      "X-Amz-", // the prefix of its parameters
}

// encrypted returns the same database over TLS, without the password.
func encrypted(t *testing.T, dsn string) string {
	t.Helper()
	config := servertest.Endpoint(t, dsn).Config()
	root, sign := servertest.Authority(t)
	port := servertest.Encrypting(t, fmt.Sprintf("127.0.0.1:%d", config.Port), sign("localhost"))
	return fmt.Sprintf("host=127.0.0.1 port=%d dbname=%s user=%s sslmode=verify-ca sslrootcert=%s", port,
		config.Database, config.User, root)
}

func testSecrets(t *testing.T, here *onAWS) {
	here.env["AWS_SESSION_TOKEN"] = planted["the session token"]
	dsn := here.dsn + " password='" + planted["the password of the database"] + "'"
	boss := servertest.Connect(t, here.server)
	config := servertest.Endpoint(t, here.dsn).Config()
	servertest.Exec(t, boss, fmt.Sprintf("alter role %s password '%s'", config.User,
		planted["the password of the database"]))
	plan := filepath.Join(t.TempDir(), "plan.json")
	loads := `{"loads": [{"name": "idle"}, {"name": "bulk", "method": "insert-select", "rows_per_tx": 100, "clients": 1}], "repetitions": 1, "load_seconds": 0.5}`
	if err := os.WriteFile(plan, []byte(loads), 0o644); err != nil {
		t.Fatal(err)
	}
	role := "arn:aws:iam::" + planted["the role"] + ":role/reader"
	left := map[string]string{}
	leaves := func(name string, p *onAWS, args ...string) {
		t.Helper()
		file := filepath.Join(t.TempDir(), "run.jsonl")
		args = slices.Clone(args)
		for i, arg := range args {
			args[i] = strings.ReplaceAll(arg, "FILE", file)
		}
		stdout, stderr, _ := p.types(t, args...)
		text, _ := os.ReadFile(file) // not all leave one
		left[name] = stdout + stderr + string(text)
		if args[0] == "run" && len(text) == 0 && !slices.Contains(args, "--iam-auth") {
			t.Errorf("%s left no run file: %s", name, stderr)
		}
	}
	denied := here.behind(t, "DescribeDBInstances", accounttest.Denied())
	strange := here.behind(t, "DescribeDBInstances", accounttest.Refused(http.StatusBadRequest, "Strange",
		"arn:aws:rds:eu-central-1:123456789012:db:shop-1 of the account 123456789012"))
	run := []string{"run", "--dsn", dsn, "--region", accounttest.Region, "--plan", plan, "--yes", "-o", "FILE"}
	leaves("a run", denied, run...)
	leaves("a run after strange words", strange, run...)
	leaves("a diagnosis with a role", here.behind(t, "AssumeRole", accounttest.Denied()), "doctor", "--dsn", dsn,
		"--role", role)
	leaves("a diagnosis", denied, "doctor", "--dsn", dsn, "--region", accounttest.Region)
	leaves("a diagnosis as JSON", strange, "doctor", "--dsn", dsn, "--region", accounttest.Region, "--format", "json")
	leaves("a wrong password", here, "doctor", "--dsn", dsn+"x", "--iam-auth", "--instance", "shop-1")
	leaves("a diagnosis with all allowed", here, "doctor", "--dsn", dsn, "--region", accounttest.Region)
	signIn := []string{"--dsn", encrypted(t, dsn), "--iam-auth", "--instance", "shop-1"}
	leaves("a token that is refused", here, append([]string{"doctor"}, signIn...)...)
	leaves("a load with a token that is refused", here, append([]string{"load", "-t", "1"}, signIn...)...)
	leaves("a run with a token that is refused", here, append([]string{"run", "-o", "FILE", "--yes"}, signIn...)...)
	for _, name := range []string{"a token that is refused", "a load with a token that is refused",
		"a run with a token that is refused"} {
		if !strings.Contains(left[name], "password authentication failed") {
			t.Errorf("%s: %s", name, left[name])
		}
	}
	leaves("a wrong role", here, "doctor", "--dsn", dsn, "--role", planted["the role"])
	for name, text := range left {
		for line := range strings.Lines(text) {
			shows(t, name, line, here.env["AWS_ACCESS_KEY_ID"])
		}
	}
}

// shows finds planted secrets in a line.
func shows(t *testing.T, name, line, key string) {
	t.Helper()
	for what, secret := range planted {
		if strings.Contains(line, secret) {
			t.Errorf("%s shows %s: %s", name, what, line)
		}
	}
	if strings.Contains(line, key) {
		t.Errorf("%s shows the access key: %s", name, line)
	}
}
