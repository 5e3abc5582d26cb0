package drivers

import (
	"fmt"
	"slices"
)

// capacity is the size of a Serverless v2 instance, in Aurora capacity units.
const capacity = "cloudwatch/ServerlessDatabaseCapacity"

// steady is by how much the size may differ that an instance is said to have kept.
const steady = 1.1

// checkCapacity notes that a Serverless instance was scaled while it was measured: what was written stays comparable, how
// fast it was written does not.
func (c *collector) checkCapacity() {
	var units []float64
	for _, l := range c.levels(capacity, worst()) {
		if c.underLoad(l) {
			units = append(units, l.Value)
		}
	}
	if len(units) == 0 {
		return
	}
	if least, most := slices.Min(units), slices.Max(units); most > steady*least {
		c.notes.add("capacity-changed", fmt.Sprintf(
			"The instance was scaled under load, from %.3g to %.3g capacity units: the speeds of loads do not compare, and a load may not have been steady", least, most))
	}
}

// underLoad tells whether a replicate with load ran through all of the period.
func (c *collector) underLoad(l Level) bool {
	return slices.ContainsFunc(c.attempts, func(a *attempt) bool {
		return a.load.lines > 0 && !l.From.Before(a.load.from) && !l.To.After(a.load.to)
	})
}
