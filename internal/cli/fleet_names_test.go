package cli

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/realiops/realiops/internal/analyze/fleet"
	"github.com/realiops/realiops/internal/cli/command"
	"github.com/realiops/realiops/internal/test/prometheustest"
)

// TestFleetNames: the user's labels name databases. They make a pod with a new address one database; an
// address that passed to another pod makes two; several databases of one name are not ranked.
func TestFleetNames(t *testing.T) {
	t.Parallel()
	const half = 12 * time.Hour
	planted := slices.Concat(
		serverOn("10.0.0.5", `,db="orders"`, 0, half, 10*time.Minute, 40, 0), serverOn("10.0.0.9", `,db="orders"`,
			half+10*time.Minute, command.Day, 10*time.Minute, 40, 40*half.Seconds()),
		serverOn("primary", `,db="crm"`, 0, command.Day, 10*time.Minute, 100, 0),
		serverOn("standby", `,db="crm"`, 0, command.Day, 10*time.Minute, 300, 0),
		serverOn("10.0.0.7", `,namespace="one"`, 0, half, 10*time.Minute, 70, 1e9),
		serverOn("10.0.0.7", `,namespace="two"`, half+10*time.Minute, command.Day, 10*time.Minute, 700, 0),
		serverOn("plain", "", 0, command.Day, 10*time.Minute, 20, 0))
	// a server's pods have its name, node_exporter's have none
	for i, s := range planted {
		if strings.HasPrefix(s.Name, "node_") {
			planted[i].Labels = strings.NewReplacer(`,namespace="one"`, `,zone="a"`, `,namespace="two"`,
				`,zone="b"`).Replace(s.Labels)
		}
	}
	url := prometheustest.Start(t, planted...)
	ranked := func(more ...string) map[string]fleet.Database {
		out, _ := fleetAt(t, fleetBegin.Add(command.Day+time.Minute), command.ExitDone,
			append([]string{"--prometheus", url, "--for", "1d", "--dir", filepath.Join(t.TempDir(), "fleet"),
				"--format", "json"}, more...)...)
		return fleetOf(t, out)
	}
	names := func(all map[string]fleet.Database) (names []string) {
		for name := range all {
			names = append(names, name)
		}
		slices.Sort(names)
		return names
	}
	worst := func(d fleet.Database) float64 {
		if d.Need == nil {
			return 0
		}
		return math.Round(d.Need.WorstHour.Requests)
	}
	all := ranked()
	if got := names(all); !slices.Equal(got, []string{"10.0.0.5", "10.0.0.9", "a/10.0.0.7", "b/10.0.0.7", "plain",
		"primary", "standby"}) {
		t.Errorf("by themselves: %q", got)
	}
	if worst(all["a/10.0.0.7"]) != 70 || worst(all["b/10.0.0.7"]) != 700 || all["10.0.0.5"].Known > 13 {
		t.Errorf("%+v\n%+v\n%+v", all["a/10.0.0.7"], all["b/10.0.0.7"], all["10.0.0.5"])
	}
	all = ranked("--name-label", "db")
	if d := all["orders"]; d.Known < 22 || worst(d) != 40 || len(all) != 5 {
		t.Errorf("named by db: %q, %+v", names(all), d)
	}
	if d := all["crm"]; d.Need != nil || len(d.Lacks) != 1 || !strings.Contains(d.Lacks[0],
		"2 different servers are named crm; distinguish them with --name-label instance") {
		t.Errorf("crm: %+v", d)
	}
	_, said := fleetAt(t, fleetBegin.Add(command.Day+time.Minute), command.ExitUsage, "--prometheus", url,
		"--name-label", "db,,x")
	if !strings.Contains(said, "want labels separated by commas") {
		t.Error(said)
	}
}

// TestFleetOfAMovedServer: two addresses that a name had one after the other are said to be one server perhaps, with the
// flag that joins them; two that it had at once are not. So are the addresses of a pod that moved five times.
func TestFleetOfAMovedServer(t *testing.T) {
	t.Parallel()
	const half = 12 * time.Hour
	var pods []prometheustest.Series
	for i := range 6 {
		at := time.Duration(i) * 4 * time.Hour
		pods = append(pods, serverOn(fmt.Sprintf("10.0.1.%d", i), `,namespace="shop",pod="db-0"`, at, at+4*time.Hour-10*time.Minute,
			10*time.Minute, 40, 0)...)
	}
	url := prometheustest.Start(t, slices.Concat(pods,
		serverOn("10.0.0.5", `,name="orders"`, 0, half, 10*time.Minute, 40, 0), serverOn("10.0.0.9", `,name="orders"`,
			half+10*time.Minute, command.Day, 10*time.Minute, 40, 0),
		serverOn("10.0.0.6", `,name="crm"`, 0, command.Day, 10*time.Minute, 100, 0),
		serverOn("10.0.0.7", `,name="crm"`, 0, command.Day, 10*time.Minute, 300, 0))...)
	ranked := func(more ...string) map[string]fleet.Database {
		out, _ := fleetAt(t, fleetBegin.Add(command.Day+time.Minute), command.ExitDone,
			append([]string{"--prometheus", url, "--for", "1d", "--dir", filepath.Join(t.TempDir(), "fleet"),
				"--format", "json"}, more...)...)
		return fleetOf(t, out)
	}
	for name, d := range ranked() {
		const says = "10.0.0.5, 10.0.0.9 have the same name, one after the other: if they are one server, join them with " +
			"--name-label name"
		if strings.HasPrefix(name, "10.0.1.") && !slices.Contains(d.Lacks, "10.0.1.0, 10.0.1.1, 10.0.1.2, 10.0.1.3, "+
			"10.0.1.4 and 1 more have the same pod, one after the other: if they are one server, join them with "+
			"--name-label namespace,pod") {
			t.Errorf("%s lacks %q", name, d.Lacks)
		}
		if is, want := slices.Contains(d.Lacks, says), name == "10.0.0.5" || name == "10.0.0.9"; is != want {
			t.Errorf("%s lacks %q", name, d.Lacks)
		}
	}
	if d := ranked("--name-label", "name")["orders"]; d.Known < 22 {
		t.Errorf("joined: %+v", d)
	}
}
