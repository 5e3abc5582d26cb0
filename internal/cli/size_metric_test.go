package cli

import (
	"bytes"
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/realiops/realiops/internal/cli/command"
)

// converted runs size --from-metric.
func converted(t *testing.T, amount string, args ...string) (out, said string, code int) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	env := command.Env{Out: &stdout, Err: &stderr, Getenv: func(string) string { return "" }}
	code = Main(env, append([]string{"size", "--from-metric", amount}, args...))
	return stdout.String(), stderr.String(), code
}

// TestSumsOfAPeriod: a sum over a time is converted to a rate, in the units that users write.
func TestSumsOfAPeriod(t *testing.T) {
	t.Parallel()
	const month = 730 * 3600
	for text, want := range map[string]float64{ // per second
		"VolumeReadIOPs=2.43e9/month":        2.43e9 / month, // the Open Reaction Database's month: 925 a second
		"VolumeReadIOPs=2,430,000,000/month": 2.43e9 / month,
		"VolumeReadIOPs=13686/5min":          45.62, // AWS's own example
		"VolumeReadIOPs=13,686/5min":         45.62,
		"VolumeReadIOPs=13686/300s":          45.62,
		"VolumeWriteIOPs=246,000/5min":       820,
		"VolumeWriteIOPs=2952000/h":          820,
		"VolumeWriteIOPs=2952000/hour":       820,
		"VolumeWriteIOPs=70848000/day":       820,
		"VolumeWriteIOPs=495936000/week":     820,
		"VolumeWriteIOPs=820/s":              820,
		"VolumeWriteIOPs=820 / s":            820,
		"volumewriteiops=49200/min":          820,
		"VolumeWriteOps=60000/min":           1000, // of an EBS volume
		"VolumeReadOps=300000/5min":          1000,
		"EBSReadOps=3600000/1h":              1000,
		"WriteIOPS=800000/s":                 800000, // a rate of Aurora
	} {
		args := []string{"--format", "json"}
		if strings.HasPrefix(text, "WriteIOPS") {
			args = append(args, "--flavor", "aurora")
		}
		out, said, code := converted(t, text, args...)
		var answer struct {
			PerSecond float64 `json:"per_second"`
		}
		if err := json.Unmarshal([]byte(out), &answer); err != nil || code != command.ExitDone ||
			!(math.Abs(answer.PerSecond-want) < 1e-9*want) {
			t.Errorf("%s: %g a second, want %g (exit status %d, %v)\n%s", text, answer.PerSecond, want, code, err, said)
		}
	}
}

// TestSumOfAMonth: 2.43 billion reads in a month are 486 USD.
func TestSumOfAMonth(t *testing.T) {
	t.Parallel()
	out, said, _ := converted(t, "VolumeReadIOPs=2.43e9/month")
	if days, _, _ := converted(t, "VolumeReadIOPs=2.43e9/30d"); !strings.HasPrefix(days,
		"2,430,000,000 VolumeReadIOPs in 30 days on Aurora") {
		t.Errorf("of thirty days it says %.80s", days)
	}
	for _, want := range []string{"2,430,000,000 VolumeReadIOPs in a month on Aurora", "925 a second",
		"486 USD a month"} {
		if !strings.Contains(strings.Join(strings.Fields(out), " "), want) {
			t.Errorf("it does not say %q:\n%s%s", want, out, said)
		}
	}
}

// TestBareSum: a sum without its time is refused, with its rate for each possible one, however small it is.
func TestBareSum(t *testing.T) {
	t.Parallel()
	const ask = ": over what time was it summed? "
	for text, want := range map[string]string{
		"VolumeReadIOPs=2.43e9": ask +
			"8,100,000 a second if in 5 minutes, 675,000 if in an hour, 28,125 if in a day, 925 if in a month: " +
			"write VolumeReadIOPs=2.43e9/month, or /day, /h, /5min",
		"VolumeWriteIOPs=5e7": ask +
			"166,667 a second if in 5 minutes, 13,889 if in an hour, 579 if in a day, 19 if in a month: " +
			"write VolumeWriteIOPs=5e7/month, or /day, /h, /5min",
		"VolumeReadOps=246,000": ask +
			"4,100 a second if in a minute, 820 if in 5 minutes, 68 if in an hour, 2.8 if in a day, 0.09 " +
			"if in a month: " +
			"write VolumeReadOps=246,000/month, or /day, /h, /5min, /min",
		"VolumeReadIOPs=13,686": ask +
			"46 a second if in 5 minutes, 3.8 if in an hour, 0.2 if in a day, 0.005 if in a month: " +
			"write VolumeReadIOPs=13,686/month, or /day, /h, /5min",
		"VolumeReadIOPs=2.43e9/s": ": 2,430,000,000 a second are more than an Aurora cluster can read: " +
			"24,414,062 pages of 8 KiB, if each of its 16 instances passed 100 Gbit/s",
		"VolumeWriteIOPs=2.43e9/5min": ": 8,100,000 a second are more than an Aurora cluster can write: 3,051,758 " +
			"units of 4 KiB, if its writer passed 100 Gbit/s",
		"VolumeWriteOps=600000000/min": ": 10,000,000 a second are more than an EBS volume can do, 256,000",
		"VolumeReadIOPs=1/fortnight":   ": after the / want s, min, 5min, h, day, week or month",
		"VolumeReadIOPs=1/m":           ": after the / want s, min, 5min, h, day, week or month",
		"VolumeReadIOPs=1/0s":          ": after the / want s, min, 5min, h, day, week or month",
		"VolumeReadIOPs=1/":            ": after the / want s, min, 5min, h, day, week or month",
	} {
		_, said, code := converted(t, text)
		if code != command.ExitUsage || said != "realiops: --from-metric "+text+want+"\n" {
			t.Errorf("%s: exit status %d: %swant %s", text, code, said, want)
		}
	}
	for text, want := range map[string]string{
		"WriteIOPS=1e12": "1,000,000,000,000 a second are more than an RDS instance can do: " +
			"1,024,000, if each of its four volumes were io2",
		"ReadThroughput=1e14": "100,000,000,000,000 a second are more than an instance can pass: " +
			"12,500,000,000 bytes, at 100 Gbit/s",
		"WriteIOPS=3000,writeiops=4000": "writeiops= is given twice",
	} {
		if _, said, code := converted(t, text, "--flavor", "RDS"); code != command.ExitUsage ||
			!strings.Contains(said, want) {
			t.Errorf("%s: exit status %d: %swant %s", text, code, said, want)
		}
	}
	if _, said, _ := converted(t, "WriteIOPS=1e12", "--flavor", "aurora"); !strings.Contains(said,
		"520,833,333 records of 24 bytes") {
		t.Errorf("of Aurora it says %s", said)
	}
	if _, said, _ := converted(t, "WriteIOPS=3", "--flavor", "mysql"); said !=
		"realiops: --flavor mysql: want one of aurora, rds, ebs\n" {
		t.Errorf("of a flavor that there is not it says %s", said)
	}
	_, said, code := converted(t, "WriteIOPS=800000/month", "--flavor", "aurora")
	if want := "realiops: --from-metric WriteIOPS=800000/month: WriteIOPS is a mean per second, not a sum; leave out " +
		"/month\n"; code != command.ExitUsage || said != want {
		t.Errorf("%swant %s", said, want)
	}
	out, _, _ := converted(t, "VolumeWriteIOPs=246,000/5min")
	if first, _, _ := strings.Cut(strings.Join(strings.Fields(out), " "), ". "); !strings.Contains(first,
		"246,000 VolumeWriteIOPs in 5 minutes on Aurora") {
		t.Errorf("the first sentence does not say what time it was taken for: %s", first)
	}
}

// TestNoOrderNamesWhatLacks: three of the four figures of RDS order nothing, and the answer begins with the fourth.
func TestNoOrderNamesWhatLacks(t *testing.T) {
	t.Parallel()
	for amounts, want := range map[string]string{
		"WriteIOPS=3000,WriteThroughput=6e7,ReadIOPS=1000": "No order: it also takes ReadThroughput.\n",
		"WriteIOPS=3000,ReadThroughput=6e7":                "No order: it also takes ReadIOPS and WriteThroughput.\n",
		"WriteIOPS=3000,WriteThroughput=6e7":               "Order: ",
	} {
		out, said, code := converted(t, amounts, "--flavor", "rds", "--gib", "500", "--on", "rds")
		if code != 0 || !strings.HasPrefix(out, want) {
			t.Errorf("%s: %d, %s%s", amounts, code, said, out)
		}
	}
}
