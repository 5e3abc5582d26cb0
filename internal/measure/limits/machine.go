package limits

import (
	"math"

	"github.com/realiops/realiops/internal/analyze/catalog"
)

// instanceType is a class of machine as EC2 describes it, as far as it matters here.
type instanceType struct {
	Name string `xml:"instanceType"`
	EBS  struct {
		Limits *ebsLimits `xml:"ebsOptimizedInfo"` // none: it is not optimized for EBS
	} `xml:"ebsInfo"`
}

type ebsLimits struct {
	BaseIOPS float64 `xml:"baselineIops"`
	MostIOPS float64 `xml:"maximumIops"`
	BaseMB   float64 `xml:"baselineThroughputInMBps"` // 10^6 bytes a second: 630 Mbps are 78.75
	MostMB   float64 `xml:"maximumThroughputInMBps"`
}

// possible reports whether they can be limits at all.
func (l ebsLimits) possible() bool {
	return l.BaseIOPS > 0 && l.BaseMB > 0 && l.MostIOPS >= l.BaseIOPS && l.MostMB >= l.BaseMB &&
		!math.IsInf(l.MostIOPS, 1) && !math.IsInf(l.MostMB, 1)
}

// limits returns those of the class. One whose most is more than its base has that for half an hour a day at least, as
// EC2's guide says.
func (t instanceType) limits(source string) catalog.Instance {
	m := catalog.Instance{Class: t.Name, Provider: "ebs", Sources: []string{source}}
	of := t.EBS.Limits
	if of == nil || !of.possible() {
		m.Unpublished = true
		return m
	}
	m.BaseIOPS, m.MostIOPS, m.BaseMB, m.MostMB = of.BaseIOPS, of.MostIOPS, of.BaseMB, of.MostMB
	m.Bursts = m.MostIOPS > m.BaseIOPS || m.MostMB > m.BaseMB
	return m
}
