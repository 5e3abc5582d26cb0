package fleet

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/realiops/realiops/internal/analyze/catalog"
	"github.com/realiops/realiops/internal/analyze/sizing"
)

// Rank sorts databases by saving. unread are files, and families names of series, that were found but not used.
func (a Ask) Rank(all []Database, unread, families []string) Fleet {
	f := Fleet{Schema: Schema, Currency: a.Currency(), Databases: slices.Clone(all), Unread: unread, Families: families,
		NotFound: []string{}}
	for _, name := range slices.Sorted(maps.Keys(a.Has)) {
		if !slices.ContainsFunc(all, func(d Database) bool { return d.Name == name }) {
			f.NotFound = append(f.NotFound, name)
		}
	}
	slices.SortFunc(f.Databases, byMoney)
	for _, d := range f.Databases {
		if f.From.IsZero() || !d.From.IsZero() && d.From.Before(f.From) {
			f.From = d.From
		}
		if d.To.After(f.To) {
			f.To = d.To
		}
		if d.cheaper() {
			f.AsOf = catalog.Dates(f.AsOf, d.AsOf)
			f.Saves = Span{f.Saves.Value + d.Saves.Value, f.Saves.Lowest + d.Saves.Lowest, f.Saves.Highest +
				d.Saves.Highest}
		}
	}
	return f
}

// Currency returns the currency of the prices.
func (a Ask) Currency() string { return sizing.Tariff{Prices: a.Prices}.Currency() }

// Concludes reports whether anything is known about any database.
func (f Fleet) Concludes() bool {
	return slices.ContainsFunc(f.Databases, func(d Database) bool { return d.Need != nil || d.Aurora != nil })
}

// cheaper reports whether the database would cost less with the storage it needs.
func (d Database) cheaper() bool { return d.Saves != nil && d.Saves.Value >= worthALine }

// worthALine is the smallest monthly amount that is mentioned.
const worthALine = 1

func byMoney(a, b Database) int {
	switch {
	case a.Saves == nil && b.Saves == nil:
		return strings.Compare(a.Name, b.Name)
	case a.Saves == nil:
		return 1
	case b.Saves == nil:
		return -1
	}
	return cmp.Or(cmp.Compare(b.Saves.Value, a.Saves.Value), strings.Compare(a.Name, b.Name))
}

// atRisk returns the databases at risk, the most severe first, then the soonest.
func (f Fleet) atRisk() []Database {
	ends := func(d Database) int64 {
		if d.Risk.Level != Ending {
			return 0
		}
		return d.Risk.Credits.first().Unix()
	}
	rank := func(d Database) int { return slices.Index(levels(), d.Risk.Level) }
	all := slices.DeleteFunc(slices.Clone(f.Databases), func(d Database) bool {
		return d.Risk.Level == None || d.Risk.Level == NotKnown
	})
	slices.SortFunc(all, func(a, b Database) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(ends(a), ends(b)),
			cmp.Compare(b.Risk.Uses, a.Risk.Uses), strings.Compare(a.Name, b.Name))
	})
	return all
}

// lack is something unknown about some databases.
type lack struct {
	text  string
	names []string
}

// lacks returns what is unknown, for most databases first.
func (f Fleet) lacks() (all []lack) {
	for _, d := range f.Databases {
		for _, text := range d.Lacks {
			i := slices.IndexFunc(all, func(l lack) bool { return l.text == text })
			if i < 0 {
				i, all = len(all), append(all, lack{text: text})
			}
			all[i].names = append(all[i].names, d.Name)
		}
	}
	slices.SortStableFunc(all, func(a, b lack) int { return cmp.Compare(len(b.names), len(a.names)) })
	return all
}
