package limits

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/realiops/realiops/internal/analyze/catalog"
	"github.com/realiops/realiops/internal/measure/account"
)

// FuzzPageOf: the result of any answer can be written, and size --limits accepts it.
func FuzzPageOf(f *testing.F) {
	const item = "<item><instanceType>r9g.large</instanceType><ebsInfo><ebsOptimizedInfo><baselineIops>3600</baselineIops><maximumIops>48000</maximumIops>" +
		"<baselineThroughputInMBps>78.75</baselineThroughputInMBps><maximumThroughputInMBps>1500</maximumThroughputInMBps></ebsOptimizedInfo></ebsInfo></item>"
	f.Add(200, "<DescribeInstanceTypesResponse><instanceTypeSet>"+item+
		"</instanceTypeSet><nextToken>t</nextToken></DescribeInstanceTypesResponse>")
	f.Add(200, "<DescribeInstanceTypesResponse><instanceTypeSet>"+strings.Replace(item, "48000", "NaN", 1)+strings.Replace(item, "3600", "-1", 1)+
		"</instanceTypeSet></DescribeInstanceTypesResponse>")
	f.Add(200, "<DescribeInstanceTypesResponse><instanceTypeSet>"+strings.Replace(item, "48000", "+Inf", 1)+
		"<item><ebsInfo/></item></instanceTypeSet></DescribeInstanceTypesResponse>")
	f.Add(503, "<Response><Errors><Error><Code>RequestLimitExceeded</Code><Message>Request limit "+
		"exceeded.</Message></Error></Errors></Response>")
	f.Add(500, "<html>\x1b[2J")
	f.Fuzz(func(t *testing.T, status int, text string) {
		var p page
		err := account.ReadAnswer(status, []byte(text), operation+ec2.Within, &p)
		if err == nil && status/100 != 2 {
			t.Fatalf("%d is %+v and %v", status, p, err)
		}
		if err != nil || p.check() != nil {
			return
		}
		var rows []catalog.Instance
		for _, class := range p.Types {
			rows = append(rows, class.limits("EC2"))
		}
		written, err := json.Marshal(rows)
		if err != nil {
			t.Fatalf("%+v: %v", rows, err)
		}
		if _, err := catalog.ReadLimits(bytes.NewReader(written)); err != nil && len(rows) > 0 {
			t.Errorf("%s: %v", written, err)
		}
	})
}
