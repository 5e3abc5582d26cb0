package sizing

import "github.com/realiops/realiops/internal/analyze/catalog"

// Fit returns the cheapest order of a volume that sustains a requirement, among those with a known cost; if there are
// none, the smallest.
func Fit(v catalog.Volume, need Requirement, cost func(Config) (float64, bool)) (Fitted, error) {
	found := fits(v, need)
	if len(found) == 0 {
		return Fitted{}, tooMuch(v, need)
	}
	best, _ := cheapest(found, cost)
	return best, nil
}
