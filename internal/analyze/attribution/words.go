package attribution

import (
	"fmt"
	"strings"

	"github.com/realiops/realiops/internal/metric"
)

// conjoined lists quantities by their readable names.
func conjoined(names []metric.Quantity) string {
	var words []string
	for _, name := range names {
		words = append(words, name.Many())
	}
	return strings.Join(words, ", ")
}

func capital(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

// perUnit writes a ratio in the direction that is easier to picture.
func perUnit(ratio float64, quantity metric.Quantity) string {
	if ratio > 0 && ratio < 0.5 {
		return fmt.Sprintf("one for about %.3g of %s", 1/ratio, quantity)
	}
	return fmt.Sprintf("%.3g for one of %s", ratio, quantity)
}
