package limits

import "github.com/realiops/realiops/internal/analyze/catalog"

// instanceType is a class of machine as EC2 describes it, as far as it matters here.
type instanceType struct {
	Name string `xml:"instanceType"`
	EBS  struct {
		Limits *struct {
			BaseIOPS float64 `xml:"baselineIops"`
			MostIOPS float64 `xml:"maximumIops"`
			BaseMB   float64 `xml:"baselineThroughputInMBps"` // 10^6 bytes a second: 630 Mbps are 78.75
			MostMB   float64 `xml:"maximumThroughputInMBps"`
		} `xml:"ebsOptimizedInfo"` // none: it is not optimized for EBS
	} `xml:"ebsInfo"`
}

// limits are those of the class. One whose most is more than its base has that for half an hour a day at least, as EC2's guide says.
func (t instanceType) limits(source string) catalog.Instance {
	m := catalog.Instance{Class: t.Name, Provider: "ebs", Sources: []string{source}}
	of := t.EBS.Limits
	if of == nil {
		m.Unpublished = true
		return m
	}
	m.BaseIOPS, m.MostIOPS, m.BaseMB, m.MostMB = of.BaseIOPS, of.MostIOPS, of.BaseMB, of.MostMB
	m.Bursts = m.MostIOPS > m.BaseIOPS || m.MostMB > m.BaseMB
	return m
}
