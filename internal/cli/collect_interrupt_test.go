package cli

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/realiops/realiops/internal/cli/command"
	"github.com/realiops/realiops/internal/runfile"
	"github.com/realiops/realiops/internal/test/accounttest"
)

// justOver writes the file of a run whose load has just ended, so that AWS has no data on it yet.
func justOver(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "run.jsonl")
	w, err := runfile.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	now := time.Now()
	for _, r := range []runfile.Record{
		runfile.Run{
			Schema: runfile.Schema, ID: "x", Start: now.Add(-10 * time.Minute),
			Plan: runfile.Plan{Loads: []runfile.Load{{Name: "idle"}}, Repetitions: 1},
			Target: runfile.Target{Flavor: "aurora", Cloud: &runfile.Cloud{
				Provider: "aws", Region: accounttest.Region, Instance: instances[0], Cluster: cluster,
				Engine: "aurora-postgresql"}},
		},
		runfile.Metric{Name: "cloudwatch/WriteIOPS", Unit: "operations", Type: runfile.Rate, Period: 60},
		runfile.LoadEvent{At: now.Add(-9 * time.Minute), Load: "idle", Repetition: 1, Event: runfile.Begin},
		runfile.LoadEvent{At: now, Load: "idle", Repetition: 1, Event: runfile.End},
		runfile.Ended{At: now, Status: runfile.Complete},
	} {
		if err := w.Write(r); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestInterruptedCollection: an interrupted collection reports what it has, and loses nothing.
func TestInterruptedCollection(t *testing.T) {
	account := accounttest.Start(t)
	account.Setenv(t)
	path := justOver(t)
	minute := time.Now().Add(-5 * time.Minute).Truncate(time.Minute)
	account.Put(t, accounttest.Series{
		Namespace: "AWS/RDS", Metric: "WriteIOPS", Dimensions: map[string]string{"DBInstanceIdentifier": instances[0]},
		From: minute, Step: time.Minute, Values: []float64{42}})
	ctx, giveUp := context.WithTimeout(t.Context(), time.Minute)
	defer giveUp()
	ctx, interrupt := context.WithCancelCause(ctx)
	told := interrupting{after: "waiting for CloudWatch: 0 of 1 metrics are final, about 1", interrupt: func() {
		interrupt(errors.New("enough"))
	}}
	var out bytes.Buffer
	env := command.Env{In: strings.NewReader(""), Out: &out, Err: &told, Getenv: os.Getenv, Now: time.Now,
		Width: func() int {
			return 80
		}}
	root := Command(env)
	root.SetArgs([]string{"aws", "collect", path, "--progress", "plain"})
	err := root.ExecuteContext(ctx)
	if err == nil || command.CodeOf(err) != command.ExitFailed || !strings.Contains(err.Error(), "enough") {
		t.Errorf("got %v", err)
	}
	// Twelve after the last whole minute, which ended up to one ago.
	left := regexp.MustCompile(`final, about 1[12] min`)
	if !left.MatchString(told.String()) {
		t.Errorf("said %s", &told)
	}
	if !strings.Contains(out.String(), "Aurora") ||
		!strings.Contains(told.String(), "2 periods, 2 of which it may still correct") {
		t.Errorf("reported %s\nand said %s", &out, &told)
	}
	text, err := os.ReadFile(path)
	if err != nil || !bytes.Contains(text, []byte(`"value":42`)) ||
		!bytes.HasSuffix(text, []byte("\"unsettled\":true}\n")) {
		t.Errorf("the file ends with %s, %v", text[max(0, len(text)-300):], err)
	}
}

// interrupting records the messages, and calls a function at a certain line.
type interrupting struct {
	bytes.Buffer
	after     string
	interrupt func()
}

func (i *interrupting) Write(text []byte) (int, error) {
	n, err := i.Buffer.Write(text)
	if strings.Contains(i.Buffer.String(), i.after) {
		i.interrupt()
	}
	return n, err
}
