package sizing

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/realiops/realiops/internal/printable"
)

// stand sets the standing of an option, and why it does not carry the need.
func (o *Option) stand(q Question, m *machine) {
	o.Standing = Carries
	unsold := ""
	if o.Order != nil {
		unsold = m.unsold(*o.Order)
	}
	switch v := o.Volume; {
	case o.Order == nil:
		o.Standing = TooSmall
	case v.HardDisk && !q.HardDisks:
		o.Standing, o.Why = Unasked, "a hard disk: AWS recommends it for large sequential I/O, and each random "+
			"request costs a whole MiB of its credits"
	case v.Unlimited:
		o.Standing, o.Why = Unknown, "Aurora's limits are not published"
	case m == nil:
	case !m.takes(v):
		o.Standing, o.Why = Unknown, m.refuses(v)
	case unsold != "":
		o.Standing, o.Why = HeldBack, unsold
	case m.limits == nil:
		o.Standing, o.Why, o.unknownMachine = Unknown, m.unknown, true
	case !m.behind(v):
		o.Standing, o.Why = Unknown, m.refuses(v)
	case m.limits.Disks > 0 && o.Disks > m.limits.Disks:
		o.Standing, o.Why = HeldBack, fmt.Sprintf("the %s can have %d disks", m.class, m.limits.Disks)
	case !o.Cap.Carries:
		o.Standing, o.Why = HeldBack, fmt.Sprintf("the %s sustains %s operations/s and %s MiB/s", m.class,
			printable.Count(m.limits.BaseIOPS), printable.Count(m.limits.BaseMB*1e6/mib))
	}
}

// sortOptions sorts as cheaper does, but puts the cheapest single volume before a stripe that saves too little against it.
func sortOptions(all []Option) {
	slices.SortStableFunc(all, cheaper)
	first := slices.IndexFunc(all, Option.chosen)
	if first < 0 || all[first].Disks <= 1 {
		return
	}
	stripe := all[first]
	single := slices.IndexFunc(all, func(o Option) bool {
		return o.chosen() && o.Standing == stripe.Standing && o.Disks == 1
	})
	if single >= 0 && !stripe.earns(all[single]) {
		o := all[single]
		copy(all[first+1:], all[first:single])
		all[first] = o
	}
}

// cheaper sorts options by standing, then by cost. Those without a known price come last, by their cost elsewhere.
func cheaper(a, b Option) int {
	standings := []Standing{Carries, Unknown, HeldBack, Unasked, TooSmall}
	rank := func(o Option) int { return slices.Index(standings, o.Standing) }
	return cmp.Or(cmp.Compare(rank(a), rank(b)), less(a.cost(), b.cost()), less(a.rank, b.rank))
}

// less sorts amounts, unknown ones last.
func less(a, b *float64) int {
	switch {
	case a == nil && b == nil:
		return 0
	case a == nil:
		return 1
	case b == nil:
		return -1
	}
	return cmp.Compare(*a, *b)
}

// chosen reports whether an option may be ordered: it carries the need, or would if an unknown machine did.
func (o Option) chosen() bool {
	return o.Standing == Carries || o.Standing == Unknown && o.unknownMachine
}
