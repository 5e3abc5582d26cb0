package cli

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/realiops/realiops/internal/cli/command"
)

// impossible holds numbers that no figure of a database, a disk or a bill can have.
var impossible = []string{
	"NaN", "Inf", "-Inf", "1e308", "-1e308", "1e309", "1e-320", "-1", "1e18", "9223372036854775807",
	"-9223372036854775808", "18446744073709551615",
}

// noNumber matches text that no report may contain: invalid numbers, and times in package time's form.
var noNumber = regexp.MustCompile(`(?i)\bNaN\b|[+-]Inf\b|\d{1,3}(,\d{3}){7}|\d{25}|\dm\d+s\b`)

// numeric lists the types of flags that take a number.
var numeric = []string{"int", "uint64", "float64", "duration", "amount", "number", "time", "seconds", "milliseconds",
	"percent", "bytes", "size"}

// without adds arguments that keep a command from servers, storage and networks.
var without = map[string][]string{
	"run": {"--dsn", "host=/none"}, "doctor": {"--dsn", "host=/none"}, "observe": {"--dsn", "host=/none"},
	"measure": {"--dsn", "host=/none", "--sql", "select 1"},
	"load":    {"--dsn", "host=/none"}, "server": {"--pg-bin", "/none"}, "baseline": {"--dir", "/none"},
	"history": {"--prometheus", "http://127.0.0.1:1"},
	"fleet":   {"--prometheus", "http://127.0.0.1:1"}, "aws collect": {"/none"},
	"aws cost": {"--month", "reads=1,writes=1,gib=1", "--class", "db.r6g.large"},
	"size":     {shippedRuns + "/loads-pg17.jsonl"}, "report": {shippedRuns + "/loads-pg17.jsonl"},
}

// TestImpossibleNumbers passes impossible numbers to every numeric flag. The command may fail, but must
// not print an impossible figure.
func TestImpossibleNumbers(t *testing.T) {
	t.Parallel()
	tried := 0
	var try func(*cobra.Command, []string)
	try = func(c *cobra.Command, name []string) {
		given, known := without[strings.Join(name, " ")]
		c.Flags().VisitAll(func(f *pflag.Flag) {
			if !slices.Contains(numeric, f.Value.Type()) {
				return
			}
			if !known {
				t.Errorf("%s --%s takes a number, and is not tried", name, f.Name)
				return
			}
			for _, value := range impossible {
				tried++
				impossibleNumber(t, slices.Concat(name, []string{"--" + f.Name + "=" + value}, given)...)
				if f.Value.Type() == "duration" {
					impossibleNumber(t, slices.Concat(name, []string{"--" + f.Name + "=" + value + "s"}, given)...)
				}
			}
		})
		for _, below := range c.Commands() {
			try(below, append(slices.Clip(name), below.Name()))
		}
	}
	try(newRootCommand(command.Env{Out: &bytes.Buffer{}, Err: &bytes.Buffer{}, Getenv: func(string) string {
		return ""
	}, Now: time.Now}), nil)
	if tried < 300 {
		t.Errorf("%d were tried", tried)
	}
}

// TestImpossibleFigures: the same for numbers within a flag's text.
func TestImpossibleFigures(t *testing.T) {
	t.Parallel()
	for _, value := range impossible {
		for _, args := range []string{
			"size --need iops=%s,mbps=100", "size --need iops=1000,mbps=%s", "size --need iops=100,kb=%s",
			"size --need iops=100,mbps=1,reads=%s%%",
			"size --need iops=100,mbps=1,flushes=%s", "size --need iops=%[1]s,mbps=%[1]s",
			"size --from-metric WriteIOPS=%s --flavor aurora",
			"size --from-metric WriteIOPS=%[1]s,WriteThroughput=%[1]s --flavor rds",
			"size --check iops=%[1]s,kbps=100,kb=4,ms=%[1]s,queue=30",
			"size --check iops=100,kbps=%[1]s,ms=3,cap-iops=%[1]s", "size --check r/s=%[1]s,rkB/s=%[1]s,aqu-sz=%[1]s",
			"size --check iops=1 --latency-bands %s,2,3",
			"aws cost --month reads=%s,writes=1,gib=1 --class db.r6g.large",
			"aws cost --month reads=1,writes=%s,gib=1 --class db.r6g.large",
			"aws cost --month reads=1,writes=1,gib=%s --class db.r6g.large --format json",
			"aws cost --month reads=1,writes=1,gib=1 --reserved db.r6g.large=%s",
			"measure --dsn host=/none --sql x --max rows=%s", "measure --dsn host=/none --sql x --max rows=%sG",
			"size --need iops=100,mbps=1 --hours=%s",
			"size --need iops=100,mbps=1 --growth=%s", "size --need iops=100,mbps=1 --headroom=%s",
			"size --need iops=100,mbps=1 --gib=%s",
			"compare a.jsonl b.jsonl --fail-if rows>%s%%",
		} {
			impossibleNumber(t, strings.Fields(fmt.Sprintf(args, value))...)
		}
	}
}

// TestImpossibleFiles: the same for numbers in files: of a store, of prices, of limits, and of runs.
func TestImpossibleFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := func(text string) string {
		path := filepath.Join(dir, "file.json")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	metrics, err := os.ReadFile(shopFiles + "metrics.json")
	if err != nil {
		t.Fatal(err)
	}
	run, err := os.ReadFile(filepath.Join(shippedRuns, "loads-pg17.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	values := regexp.MustCompile(`("Values": *\[\s*)[0-9.e+]+`)
	readings := regexp.MustCompile(`("values":\{"[^"]*":)[0-9.]+`)
	for _, value := range impossible {
		bill := file(string(values.ReplaceAll(metrics, []byte("${1}"+value))))
		if status := impossibleNumber(t, "aws", "cost", "--from", bill, "--from", shopFiles+"instances.json", "--from",
			shopFiles+"cluster.json", "--price", shopFiles+"prices.json"); status == 0 && value != "1e-320" {
			t.Errorf("%s in a file of CloudWatch's is a figure of a bill", value)
		}
		price := `[{"volume":"gp3","per":"gib","from":%s,"region":"us-east-1","currency":"USD","price":%s,"source":"x"}]`
		for _, text := range []string{fmt.Sprintf(price, value, "0.1"), fmt.Sprintf(price, "0", value)} {
			impossibleNumber(t, "size", filepath.Join(shippedRuns, "loads-pg17.jsonl"), "--price", file(text))
		}
		limits := `[{"class":"m5.xlarge","provider":"ebs","base_iops":%[1]s,"base_mb":%[1]s,"most_iops":%[1]s,"most_mb":%[1]s}]`
		impossibleNumber(t, "size", filepath.Join(shippedRuns, "loads-pg17.jsonl"), "--class", "m5.xlarge", "--limits",
			file(fmt.Sprintf(limits, value)))
		for _, text := range []string{
			string(readings.ReplaceAll(run, []byte("${1}"+value))),
			strings.ReplaceAll(string(run), `"rows":2958000`, `"rows":`+value),
			strings.ReplaceAll(string(run), `"load_seconds":5`, `"load_seconds":`+value),
		} {
			path := file(text)
			for _, command := range []string{"report", "size"} {
				impossibleNumber(t, command, path)
			}
		}
	}
}

// impossibleNumber runs a command and checks that it prints no impossible figure, apart from its arguments.
func impossibleNumber(t *testing.T, args ...string) (status int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var out, messages bytes.Buffer
	done := make(chan int, 1)
	go func() {
		done <- Main(command.Env{Out: &out, Err: &messages, In: strings.NewReader(""), Getenv: func(string) string {
			return ""
		}, Now: time.Now}, args)
	}()
	select {
	case status = <-done:
	case <-ctx.Done():
		t.Fatalf("%s does not end", strings.Join(args, " "))
	}
	if found := noNumber.FindString(out.String()); found != "" {
		t.Errorf("%s, status %d, tells of %s", strings.Join(args, " "), status, found)
	}
	if status != 0 && strings.Count(strings.TrimSpace(messages.String()), "\n") > 3 {
		t.Errorf("%s: %s", strings.Join(args, " "), messages.String())
	}
	return status
}
