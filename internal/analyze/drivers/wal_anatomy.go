package drivers

import "strings"

// anatomyProbe begins the names of what the probe of that name reads of the log.
const anatomyProbe = "anatomy/"

// ofAnatomy tells whether a metric is a part of what another one counts: as one of its own it would be a tautology.
func ofAnatomy(metric string) bool { return strings.HasPrefix(metric, anatomyProbe) }
