package cli

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/realiops/realiops/internal/cli/command"
	"github.com/realiops/realiops/internal/runfile"
	"github.com/realiops/realiops/internal/test/accounttest"
	"github.com/realiops/realiops/internal/test/servertest"
)

// TestPartialPolicies removes each action from the policy of each command that measures. The message names the
// missing action; a run gives it before its load, and a report in its first lines.
func TestPartialPolicies(t *testing.T) {
	p := calledAccount(t)
	dsn := []string{"--dsn", p.dsn, "--region", accounttest.Region}
	ends := map[string]int{"doctor": command.ExitFailed, "collect": command.ExitFailed, "run": command.ExitUsage,
		"observe": command.ExitDone}
	for _, name := range []string{"doctor", "observe", "collect", "run"} {
		// it should end before it creates its schema, after all messages
		if name == "run" {
			servertest.Exec(t, servertest.Connect(t, p.behind),
				fmt.Sprintf("revoke create on database %s from of_%[1]s", p.behind.Config().Database))
		}
		for _, action := range allowedTo(name, func(action string) bool { return !strings.HasPrefix(action, "aps:") }) {
			path := filepath.Join(t.TempDir(), "run.jsonl")
			args := map[string][]string{
				"doctor":  append([]string{"doctor"}, dsn...),
				"observe": append([]string{"observe", "--for", "2s", "-o", path}, dsn...),
				"collect": {"aws", "collect", path, "--progress", "none"},
				"run":     append([]string{"run", "--quick-aws", "--yes", "-o", path}, dsn...),
			}[name]
			if name == "collect" {
				measuredOn(t, path, runfile.Cloud{Provider: "aws", Region: accounttest.Region, Instance: "shop-1",
					Cluster: "shop", Engine: "aurora-postgresql",
					Class: "db.r6g.large", Storage: "aurora", Resource: "db-ABC", Insights: true},
					time.Now().AddDate(0, 0, -1).UTC().Truncate(time.Hour))
			}
			for _, proxy := range p.proxies {
				proxy.Deny(action)
			}
			var out, said bytes.Buffer
			env := command.Env{In: strings.NewReader(""), Out: &out, Err: &said, Getenv: os.Getenv, Now: hurried(),
				Width: func() int {
					return 80
				}}
			code := Main(env, args)
			all, first := strings.Join(strings.Fields(out.String()+said.String()), " "), ""
			if name == "collect" {
				first = "were not collected, from " + map[string]string{"cloudwatch": "CloudWatch",
					"pi": "Performance Insights"}[strings.Split(action, ":")[0]]
			}
			head, _, _ := strings.Cut(strings.Join(strings.Fields(out.String()), " "), "This run ")
			if code != ends[name] || !strings.Contains(all, "AWS does not allow these credentials "+action) ||
				!strings.Contains(head, first) {
				t.Errorf("%s without %s ends with %d, or does not say so:\n%s%s", name, action, code, &said, &out)
			}
			if lost := strings.Contains(all, "Counters of Performance Insights will be missing"); name == "run" &&
				lost != strings.HasPrefix(action, "pi:") {
				t.Errorf("%s without %s: %s", name, action, &said)
			}
		}
	}
}
