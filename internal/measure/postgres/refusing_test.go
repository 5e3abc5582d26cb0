//go:build unix

package postgres_test

import (
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"

	"github.com/realiops/realiops/internal/measure/postgres"
	"github.com/realiops/realiops/internal/test/servertest"
)

// refusing returns a proxy that rejects some settings at the start of a session, as managed servers do.
func refusing(t *testing.T, behind *postgres.Endpoint, settings ...string) *postgres.Endpoint {
	c := behind.Config()
	port := servertest.Listen(t, func(client net.Conn) {
		defer client.Close()
		head := make([]byte, 4)
		if _, err := io.ReadFull(client, head); err != nil {
			return
		}
		packet := make([]byte, binary.BigEndian.Uint32(head)-4)
		if _, err := io.ReadFull(client, packet); err != nil {
			return
		}
		for _, name := range settings {
			if strings.Contains(string(packet), "\x00"+name+"\x00") {
				said := fmt.Sprintf("SFATAL\x00VFATAL\x00C42501\x00Mpermission denied to set parameter %q\x00\x00", name)
				_, _ = client.Write(append(binary.BigEndian.AppendUint32([]byte{'E'}, uint32(len(said)+4)), said...))
				return
			}
		}
		server, err := net.Dial("unix", fmt.Sprintf("%s/.s.PGSQL.%d", c.Host, c.Port))
		if err != nil {
			return
		}
		defer server.Close()
		_, _ = server.Write(append(head, packet...))
		go func() { _, _ = io.Copy(server, client); server.Close() }()
		_, _ = io.Copy(client, server)
	})
	return servertest.Endpoint(t, fmt.Sprintf("host=127.0.0.1 port=%d dbname=%s user=%s password=%s sslmode=disable",
		port, c.Database, c.User, c.Password))
}

// If a server rejects a setting, its value is checked instead: the run goes on if it is ours.
func TestAServerThatRefusesSettings(t *testing.T) {
	endpoint := servertest.Database(t, "17")
	boss, name := servertest.Connect(t, endpoint), endpoint.Config().Database
	mallory := roleOf(t, boss)
	if _, err := loads(t, refusing(t, endpoint, "geqo", "exit_on_error", "role",
		"restrict_nonsystem_relation_kind")); err != nil {
		t.Error(err)
	}
	servertest.Exec(t, boss, "alter database "+name+" set bytea_output = 'escape'")
	_, err := loads(t, refusing(t, endpoint, "bytea_output"))
	if want := `the server does not let realiops set bytea_output to "hex" instead of "escape"`; err ==
		nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%v, want %q", err, want)
	}
	servertest.Exec(t, boss, "alter database "+name+" set role = "+mallory)
	_, err = loads(t, refusing(t, endpoint, "role"))
	if want := "statements of postgres run as " + mallory; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%v, want %q", err, want)
	}
}
