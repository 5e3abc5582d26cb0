package target

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/realiops/realiops/internal/measure/postgres"
	"github.com/realiops/realiops/internal/measure/probe"
	"github.com/realiops/realiops/internal/measure/probe/request"
	"github.com/realiops/realiops/internal/runfile"
)

// openRequests attributes the requests of the server's disks to its files, if this machine's kernel allows it.
func (p *Probes) openRequests(ctx context.Context, t *Target) probe.Sampler {
	names := &naming{server: t}
	place, err := p.requestPlace(ctx, names)
	if err != nil {
		names.Close()
		return request.Absent(err)
	}
	requests, err := request.New(place)
	if err != nil {
		names.Close()
		return request.Absent(err)
	}
	p.requests, p.names = requests, names
	return requests
}

// ByFile reports whether the disks' requests are attributed to files.
func (p *Probes) ByFile() bool { return p.requests != nil }

// RankRequests returns the server's files and the other programs with the most disk requests, if they are attributed.
func (p *Probes) RankRequests() []runfile.Record {
	if p.requests == nil {
		return nil
	}
	return []runfile.Record{p.requests.Rank(), p.requests.RankOthers()}
}

// OtherPrograms returns what other programs' commands did to the server's disks since the probes were
// opened, if requests are attributed.
func (p *Probes) OtherPrograms() []request.OtherProgram {
	if p.requests == nil {
		return nil
	}
	return p.requests.OtherPrograms()
}

func (p *Probes) requestPlace(ctx context.Context, names *naming) (place request.Place, err error) {
	if p.unseen != nil {
		return place, p.unseen
	}
	place = request.Place{Roots: p.layout.Roots, Relations: names.relations, Postmaster: p.layout.Postmaster}
	if place.Postmaster == 0 {
		return place,
			&probe.Error{Reason: runfile.NotLocal, Err: errors.New("the server's processes are not visible from here")}
	}
	conn, err := names.connected(ctx)
	if err != nil {
		return place, err
	}
	err = postgres.QueryRow(ctx, conn,
		`/* realiops */ select oid from pg_catalog.pg_database where datname = pg_catalog.current_database()`).Scan(
		&place.Database)
	if err != nil {
		return place, fmt.Errorf("read the database's OID: %w", err)
	}
	place.Names, err = relationsOn(ctx, conn)
	return place, err
}

// namingTakes bounds the time for a server to name its relations.
const namingTakes = time.Second

// naming is a session that asks for the names of relations. It stays open, since new sessions
// would add to the ones measured.
type naming struct {
	server *Target
	conn   *pgx.Conn // nil: there is none
}

func (n *naming) connected(ctx context.Context) (conn *pgx.Conn, err error) {
	if n.conn == nil || n.conn.IsClosed() {
		n.conn, err = n.server.Endpoint.Connect(ctx)
	}
	return n.conn, err
}

func (n *naming) relations() (map[uint32]request.Relation, error) {
	ctx, cancel := context.WithTimeout(context.Background(), namingTakes)
	defer cancel()
	conn, err := n.connected(ctx)
	if err != nil {
		return nil, err
	}
	return relationsOn(ctx, conn)
}

// Close ends the session.
func (n *naming) Close() {
	if n == nil || n.conn == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), namingTakes)
	defer cancel()
	_ = n.conn.Close(ctx) // nothing was changed
}

func relationsOn(ctx context.Context, conn *pgx.Conn) (map[uint32]request.Relation, error) {
	var node uint32
	var name, kind string
	all := map[uint32]request.Relation{}
	err := postgres.ForEachRow(ctx, conn, []any{&node, (*postgres.Name)(&name), &kind}, func() {
		all[node] = request.Relation{Name: name, Kind: kindOf(kind, name)}
	}, `/* realiops */
		select pg_catalog.pg_relation_filenode(c.oid)::pg_catalog.oid, `+postgres.Named("n.nspname || '.' || c.relname")+`, c.relkind::pg_catalog.text
		from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
		where pg_catalog.pg_relation_filenode(c.oid) is not null`)
	return all, err
}

// kindOf returns the kind that counts a relation's requests. TOAST tables and their indexes are in a separate schema.
func kindOf(relkind, name string) request.Kind {
	switch {
	case strings.HasPrefix(name, "pg_toast"):
		return request.TOAST
	case relkind == "i":
		return request.Indexes
	default:
		return request.Tables
	}
}
