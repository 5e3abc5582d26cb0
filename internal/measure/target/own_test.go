package target

import (
	"context"
	"os"
	"strings"
	"testing"

	"github.com/realiops/realiops/internal/measure/server/embedded"
	"github.com/realiops/realiops/internal/test/servertest"
)

func TestMain(m *testing.M) { os.Exit(servertest.Main(m)) }

// heard logs notices to the test's log.
type heard struct{ *testing.T }

func (h heard) Stage(text string)   { h.Log(text) }
func (h heard) Message(text string) { h.Log(text) }

// The PG* variables are about the user's servers: each of these would prevent sessions to ours, or change their work.
func TestTheUsersVariablesDoNotReachAServerOfOurs(t *testing.T) {
	for _, variable := range []string{
		"PGSERVICE=nowhere", "PGTARGETSESSIONATTRS=read-only", "PGCONNECT_TIMEOUT=soon", "PGREQUIREAUTH=none",
		"PGOPTIONS=-c work_mem=1234kB", "PGTZ=Mars/Olympus", "PGCHANNELBINDING=require", "PGSSLCERTMODE=", "PGPORT=1",
		"PGDATA=/nowhere",
	} {
		name, value, _ := strings.Cut(variable, "=")
		t.Setenv(name, value)
	}
	o := Options{Embedded: embedded.Options{Repository: os.Getenv("REALIOPS_PG_REPOSITORY")}}
	target, err := Open(t.Context(), o, heard{t})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := target.Close(context.Background(), heard{t}); err != nil {
			t.Error(err)
		}
	}()
	conn := servertest.Connect(t, target.Endpoint)
	if got := servertest.Value[string](t, conn, "select current_setting('work_mem')"); got != "4MB" {
		t.Errorf("work_mem is %s", got)
	}
}
