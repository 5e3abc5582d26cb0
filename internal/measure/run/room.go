package run

import (
	"context"
	"fmt"

	"github.com/realiops/realiops/internal/measure/experiment"
	"github.com/realiops/realiops/internal/measure/host"
	"github.com/realiops/realiops/internal/measure/layout"
	"github.com/realiops/realiops/internal/measure/postgres"
)

// firstToEvict is the first version whose pg_buffercache can evict pages from shared buffers.
const firstToEvict = 170_000

// room returns the space that the server has for our table. Free space on another machine's disk is unknown.
func (m *measurement) room(ctx context.Context, e *experiment.Experiment) (room experiment.Room, err error) {
	const ask = `/* realiops */
		select (select setting::pg_catalog.int8 from pg_catalog.pg_settings where name = 'shared_buffers')
			* (select setting::pg_catalog.int8 from pg_catalog.pg_settings where name = 'block_size'),
			(select case when setting::pg_catalog.int8 < 0 then -1 else setting::pg_catalog.int8 * 1024 end
			from pg_catalog.pg_settings where name = 'temp_file_limit')`
	if err := postgres.QueryRow(ctx, m.session.Control, ask).Scan(&room.Buffers, &room.Temp); err != nil {
		return room, fmt.Errorf("read shared_buffers: %w", err)
	}
	room.Unreadable, room.Evicts = e.Unreadable, e.Evicts
	if e.Layout != nil {
		room.Free, _ = host.Free(e.Layout.Root(layout.Data).Path) // zero means unknown
	}
	return room, nil
}
