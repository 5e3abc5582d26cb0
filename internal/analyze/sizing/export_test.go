package sizing

import "github.com/realiops/realiops/internal/analyze/catalog"

// Fit finds the cheapest order of a volume that carries a requirement for good, among those whose cost is known; where
// none is, the smallest.
func Fit(v catalog.Volume, need Requirement, cost func(Config) (float64, bool)) (Fitted, error) {
	found := fits(v, need)
	if len(found) == 0 {
		return Fitted{}, tooMuch(v, need)
	}
	best, _ := cheapest(found, cost)
	return best, nil
}
