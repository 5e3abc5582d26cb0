package sizes

import (
	"fmt"
	"strings"

	"github.com/realiops/realiops/internal/analyze/number"
	"github.com/realiops/realiops/internal/analyze/sizing"
)

func sizeCap(c sizing.Cap) *SizeCap {
	return &SizeCap{c.Instance.Class, c.Path, c.Carries, c.Burst, c.Cached}
}

func spreads(spreads []sizing.Spread) []SizeSpread {
	all := []SizeSpread{}
	for _, spread := range spreads {
		v := SizeSpread{
			Name: spread.Rule.Name, Title: spread.Rule.Title, Rows: spread.Rows, VCPUs: spread.VCPUs,
			Note: spread.Rule.Note, Sources: spread.Rule.Sources, Cores: ends(spread.Cores), IOPS: ends(spread.IOPS),
		}
		if spread.Rule.IOPSPerVCPU > 0 {
			v.PerVCPU = &[2]float64{spread.Rule.IOPSPerVCPU, spread.Rule.MBPerVCPU}
		}
		all = append(all, v)
	}
	return all
}

func ends(r *sizing.Range) *[2]float64 {
	if r == nil {
		return nil
	}
	return &[2]float64{r.Least, r.Most}
}

// spreadText says what a load would ask of databases that spread rows over nodes.
func spreadText(spreads []SizeSpread) string {
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
	return "By rules of thumb that were published, and no more than that: " + strings.Join(lines, " ")
}
