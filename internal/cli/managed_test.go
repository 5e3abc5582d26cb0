package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/realiops/realiops/internal/cli/command"
	"github.com/realiops/realiops/internal/test/servertest"
)

// refusedByServices matches advice that no managed server allows.
var refusedByServices = regexp.MustCompile(
	`(?i)alter system|as root|sudo|pg_read_server_files|pg_reload_conf|restart the server|the server's user|superuser|setcap|contrib package`)

// TestNothingIsAdvisedThatServicesRefuse collects everything that commands print about servers of AWS, Google and
// Microsoft. None of it advises using the machine, the superuser, or a grant that the service keeps.
func TestNothingIsAdvisedThatServicesRefuse(t *testing.T) {
	t.Parallel()
	server := servertest.Alone(t, "17")
	boss := servertest.Connect(t, server)
	servertest.Exec(t, boss,
		fmt.Sprintf("create role its_user login password 'secret'; grant create on database %s to its_user",
			server.Config().Database))
	for _, administrator := range []string{"rds_superuser", "azure_pg_admin", "", "of Aurora"} {
		t.Run("by "+administrator, func(t *testing.T) {
			c := server.Config()
			dsn := fmt.Sprintf("host=%s port=%d dbname=%s user=its_user password=secret", c.Host, c.Port, c.Database)
			switch administrator {
			case "":
			case "of Aurora":
				dsn = servertest.Aurora(t, server, "shop-1").Config().ConnString()
			default:
				servertest.Exec(t, boss, "create role "+administrator)
			}
			dir := t.TempDir()
			in := func(name string) string { return filepath.Join(dir, name) }
			plan := `{"loads": [{"name": "idle"}, {"name": "bulk", "method": "insert-select", "rows_per_tx": 100, "clients": 1}], "repetitions": 1, "load_seconds": 0.5}`
			if err := os.WriteFile(in("plan.json"), []byte(plan), 0o600); err != nil {
				t.Fatal(err)
			}
			found := 0
			for _, args := range [][]string{
				{"doctor", "--dsn", dsn}, {"run", "--dsn", dsn, "--yes", "--plan", in("plan.json"), "-o",
					in("run.jsonl")}, {"report", in("run.jsonl"), "--all"},
				{"observe", "--dsn", dsn, "--for", "2s", "-o", in("observed.jsonl")},
				{"report", in("observed.jsonl"), "--all"},
				{"measure", "--dsn", dsn, "-r", "1", "--sql", "select 1"}, {"size", in("run.jsonl"), "--gib", "100"},
			} {
				var said strings.Builder
				code := Main(command.Env{In: strings.NewReader(""), Out: &said, Err: &said,
					Getenv: func(string) string {
						return ""
					}, Now: hurried(), Width: func() int { return 1000 }}, args)
				for line := range strings.Lines(said.String()) {
					if refusedByServices.MatchString(strings.ReplaceAll(line, administrator, "")) {
						if found++; administrator != "" {
							t.Errorf("%s: %s", args[0], line)
						}
					}
				}
				if code != command.ExitDone && args[0] != "size" { // size knows no Aurora storage
					t.Errorf("%s ends with %d: %s", args[0], code, &said)
				}
			}
			if strings.Contains(administrator, "_") {
				servertest.Exec(t, boss, "drop role "+administrator)
			}
			if administrator == "" && found == 0 {
				t.Error("nothing of the kind is advised on one's own server, so this tries nothing")
			}
		})
	}
}
