package request

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/realiops/realiops/internal/metric"
	"github.com/realiops/realiops/internal/runfile"
)

// mostRanked relations are told apart; further ones are summed up by their kind.
const mostRanked = 20_000

// ranking is what requests came to for each relation of the database whose names are known, and for each kind of other file.
type ranking struct {
	from time.Time
	of   map[owner]*counts // of a relation without its kind, which may become known later than its number
}

func (r *ranking) add(whose owner, e *event) {
	key := owner{kind: whose.kind}
	if relation := (owner{node: whose.node}); whose.node != 0 && (r.of[relation] != nil || len(r.of) < mostRanked) {
		key = relation
	}
	if r.of[key] == nil {
		r.of[key] = &counts{}
	}
	r.of[key].add(e)
}

// top is what of the server caused the most, by bytes.
func (r *ranking) top(at time.Time, names map[uint32]Relation) runfile.Top {
	top := runfile.Top{From: r.from, At: at, Of: runfile.Files}
	var total counts
	for whose, c := range r.of {
		if whose.kind == Journal || whose.kind == Strangers {
			continue
		}
		total.plus(*c)
		top.Items = append(top.Items, runfile.TopItem{Name: whose.name(names), Grew: c.fields()})
	}
	top.Total = total.fields()
	bytes := func(i runfile.TopItem) float64 { return i.Grew["write_bytes"] + i.Grew["read_bytes"] }
	slices.SortFunc(top.Items, func(a, b runfile.TopItem) int {
		return cmp.Or(cmp.Compare(bytes(b), bytes(a)), cmp.Compare(a.Name, b.Name))
	})
	top.Items = top.Items[:min(len(top.Items), runfile.MostTopItems)]
	return top
}

// name is a relation's with its schema, or what a kind of file is called.
func (o owner) name(names map[uint32]Relation) string {
	if o.node == 0 {
		return metric.RequestedFor(o.kind)
	}
	if named, known := names[o.node]; known {
		return named.Name
	}
	return fmt.Sprintf("file %d", o.node) // it was dropped, or made by a transaction that has not ended
}

func (c counts) fields() map[string]float64 {
	return map[string]float64{"reads": c.reads, "read_bytes": c.readBytes, "writes": c.writes, "write_bytes": c.writeBytes}
}

func newRanking() ranking { return ranking{from: time.Now(), of: map[owner]*counts{}} }
