package servertest

import (
	"context"
	"encoding/binary"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgproto3"

	"github.com/realiops/realiops/internal/measure/postgres"
)

// Standby connects a standby that confirms all WAL, keeps nothing, and leaves when ctx ends.
func Standby(ctx context.Context, t testing.TB, primary *postgres.Endpoint, name string) {
	t.Helper()
	config := primary.UserConfig()
	config.RuntimeParams["application_name"], config.RuntimeParams["replication"] = name, "true"
	conn, err := pgconn.ConnectConfig(ctx, &config.Config)
	if err != nil {
		t.Fatal(err)
	}
	system, err := conn.Exec(ctx, "IDENTIFY_SYSTEM").ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	position := string(system[0].Rows[0][2])
	conn.Frontend().SendQuery(&pgproto3.Query{String: "START_REPLICATION PHYSICAL " + position})
	if err := conn.Frontend().Flush(); err != nil {
		t.Fatal(err)
	}
	left := make(chan struct{})
	go func() {
		defer close(left)
		for {
			message, err := conn.ReceiveMessage(ctx)
			if err != nil {
				_ = conn.Close(context.WithoutCancel(ctx)) // it leaves
				return
			}
			if received, is := message.(*pgproto3.CopyData); is {
				conn.Frontend().Send(&pgproto3.CopyData{Data: confirmation(received.Data)})
				_ = conn.Frontend().Flush() // otherwise nothing more is received
			}
		}
	}()
	t.Cleanup(func() { <-left })
	boss := Connect(t, primary)
	const confirms = "select exists (select from pg_stat_replication where state = 'streaming' and flush_lsn is not null)"
	for !Value[bool](t, boss, confirms) {
		Exec(t, boss, "select pg_switch_wal()") // the WAL sent is confirmed
		time.Sleep(20 * time.Millisecond)
	}
}

// confirmation returns the standby's reply to a message: everything is written, flushed and applied.
func confirmation(message []byte) []byte {
	const header = 1 + 3*8
	end := binary.BigEndian.Uint64(message[1:])
	if message[0] == 'w' {
		end += uint64(len(message) - header)
	}
	answer := []byte{'r'}
	for _, number := range []uint64{end, end, end, 0} { // the last is the time
		answer = binary.BigEndian.AppendUint64(answer, number)
	}
	return append(answer, 0)
}
