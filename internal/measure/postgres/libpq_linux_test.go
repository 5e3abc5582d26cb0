package postgres_test

import (
	"fmt"
	"io"
	"net"
	"testing"

	"github.com/realiops/realiops/internal/test/servertest"
)

// TestSocketsWithoutAFile: like libpq, a host that begins with @ is a socket in Linux's own namespace, without TLS.
func TestSocketsWithoutAFile(t *testing.T) {
	c := servertest.Database(t, "17").Config()
	name := fmt.Sprintf("@%s", t.TempDir())
	listener, err := net.Listen("unix", name+"/.s.PGSQL.5433")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			server, err := net.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", c.Port))
			if err != nil {
				_ = client.Close()
				continue
			}
			go func() { _, _ = io.Copy(server, client) }()
			go func() { _, _ = io.Copy(client, server) }()
		}
	}()
	for _, dsn := range []string{
		fmt.Sprintf("host=%s port=5433 user=%s password=%s dbname=%s", name, c.User, c.Password, c.Database),
		fmt.Sprintf("host=%s port=5433 user=%s password=%s dbname=%s sslmode=require", name, c.User, c.Password, c.Database),
		fmt.Sprintf("host=@nowhere,%s port=5433 user=%s password=%s dbname=%s", name, c.User, c.Password, c.Database),
	} {
		e := servertest.Endpoint(t, dsn)
		conn, err := e.Connect(t.Context())
		if err != nil || !e.Local() {
			t.Errorf("%s: %v", dsn, err)
			continue
		}
		_ = conn.Close(t.Context())
	}
}
