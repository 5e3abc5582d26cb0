package sizes

import (
	"fmt"
	"strings"

	"github.com/realiops/realiops/internal/analyze/catalog"
	"github.com/realiops/realiops/internal/analyze/number"
)

// spreadText says what a load would need on databases that spread rows over nodes.
func spreadText(spreads []catalog.Spread) string {
	var lines []string
	for _, v := range spreads {
		var parts []string
		if v.Cores != nil {
			parts = append(parts, fmt.Sprintf("%s to %s cores", number.Rate(v.Cores[0]), number.Rate(v.Cores[1])))
		}
		if v.IOPS != nil {
			parts = append(parts, fmt.Sprintf("%s to %s IOPS of all disks together", number.Rate(v.IOPS[0]),
				number.Rate(v.IOPS[1])))
		}
		if v.VCPUs != nil {
			parts = append(parts, fmt.Sprintf("at least %s vCPUs", number.Rate(max(1, *v.VCPUs))))
		}
		if v.PerVCPU != nil {
			parts = append(parts, fmt.Sprintf("%s IOPS and %s MB/s on disks for each of them",
				number.Rate(v.PerVCPU[0]), number.Rate(v.PerVCPU[1])))
		}
		lines = append(lines, fmt.Sprintf("%s, for %s rows/s: %s (%s).", v.Title, number.Rate(v.Rows),
			strings.Join(parts, ", and "), v.Note))
	}
	if len(lines) == 0 {
		return ""
	}
	return "By published rules of thumb: " + strings.Join(lines, " ")
}
