package words

import (
	"github.com/realiops/realiops/internal/series"
)

// WhyNot returns in one line why something is missing.
func WhyNot(m *series.Missing) string {
	if m == nil {
		return "not recorded"
	}
	return m.Error()
}
