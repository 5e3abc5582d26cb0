package cli

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestFleetRules: what is written for a Prometheus passes its own check, and the alert rules of docs/fleet.md, given that text, are raised for
// whom they should be: a machine that pays 412 USD for nothing, three days before anybody is told that the ranking is old.
func TestFleetRules(t *testing.T) {
	promtool, err := exec.LookPath("promtool")
	if err != nil {
		t.Skip("promtool is not installed")
	}
	files, _ := filepath.Glob("../../testdata/fleet/legacy-*.json")
	out, _ := runsFleet(t, exitDone, append(files, "--has", "../../testdata/fleet/legacy.csv", "-o", filepath.Join(t.TempDir(), "fleet"), "--format", "openmetrics")...)
	run := func(in string, args ...string) {
		t.Helper()
		c := exec.CommandContext(t.Context(), promtool, args...)
		c.Stdin = strings.NewReader(in)
		if said, err := c.CombinedOutput(); err != nil {
			t.Errorf("promtool %s: %v\n%s", strings.Join(args, " "), err, said)
		}
	}
	run(out, "check", "metrics")

	page, err := os.ReadFile("../../docs/fleet.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rules, _ := strings.Cut(string(page), "```yaml\ngroups:")
	rules, _, _ = strings.Cut(rules, "```")
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("rules.yml", "groups:"+rules)
	run("", "check", "rules", filepath.Join(dir, "rules.yml"))
	write("test.yml", ruleTest(out))
	run("", "test", "rules", filepath.Join(dir, "test.yml"))
}

// ruleTest has promtool believe that samples are scraped from the epoch on, when its tests begin. They end in November of 2026, long
// after that: so the age of the ranking is tried by what it says it is, moved to the epoch.
func ruleTest(text string) string {
	var series strings.Builder
	for line := range strings.Lines(text) {
		if name, value, is := strings.Cut(strings.TrimSpace(line), "} "); is && !strings.HasPrefix(line, "#") {
			fmt.Fprintf(&series, "      - {series: '%s}', values: '%s+0x96'}\n", name, value)
		}
	}
	fmt.Fprintf(&series, "      - {series: 'realiops_fleet_end_timestamp_seconds', values: '0+0x96'}\n")
	fmt.Fprintf(&series, "      - {series: 'realiops_database_risk{database=\"slow\",level=\"at its limit\"}', values: '1+0x96'}\n")
	fmt.Fprintf(&series, "      - {series: 'realiops_database_credits_end_timestamp_seconds{database=\"gp2\"}', values: '%.0f+0x96'}\n", (8 * day).Seconds())
	alert := func(at time.Duration, name, labels, summary string) string {
		if labels == "" {
			return fmt.Sprintf("      - {eval_time: %s, alertname: %s, exp_alerts: []}\n", at, name)
		}
		return fmt.Sprintf("      - {eval_time: %s, alertname: %s, exp_alerts: [{exp_labels: %s, exp_annotations: {summary: %q}}]}\n", at, name, labels, summary)
	}
	return "rule_files: [rules.yml]\ntests:\n  - interval: 1h\n    input_series:\n" + series.String() + "    alert_rule_test:\n" +
		alert(time.Hour, "StoragePaidForNothing", "{database: legacy, bound: lowest, currency: USD}", "legacy: another order would save 412.5 USD a month") +
		alert(time.Hour, "StorageIsInTheWay", "{database: slow, level: at its limit}", "slow: its storage is at its limit") +
		alert(time.Hour, "FleetIsOld", "", "") +
		alert(3*day+time.Hour, "FleetIsOld", "{}", "nobody has looked at the databases for 3d 1h 0m 0s") +
		alert(time.Hour, "CreditsEndWithinAWeek", "", "") +
		alert(2*day, "CreditsEndWithinAWeek", "{database: gp2}", "gp2: its credits end in 6d 0h 0m 0s")
}
