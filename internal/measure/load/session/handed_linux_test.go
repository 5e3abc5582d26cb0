package session

import (
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/realiops/realiops/internal/measure/postgres"
	"github.com/realiops/realiops/internal/test/liartest"
)

// TestASessionHasTheSocketItself: a session bypasses the endpoint's watch over its connections.
func TestASessionHasTheSocketItself(t *testing.T) {
	liar, err := liartest.Listen(liartest.Lie{Greets: true})
	if err != nil {
		t.Fatal(err)
	}
	defer liar.Close()
	endpoint, err := postgres.Parse(liar.DSN())
	if err != nil {
		t.Fatal(err)
	}
	config := endpoint.UserConfig()
	conn, err := pgconn.ConnectConfig(t.Context(), &config.Config)
	if err != nil {
		t.Fatal(err)
	}
	if _, is := conn.Conn().(watched); !is {
		t.Fatalf("the endpoint gives a %T", conn.Conn())
	}
	d := NewDialer(nil, 0)
	defer d.Close()
	s, err := takeOver(t.Context(), conn, d)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if s.wire.raw == nil {
		t.Errorf("the session drives a %T", s.wire.conn)
	}
}
