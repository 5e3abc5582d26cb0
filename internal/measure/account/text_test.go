package account

import "testing"

func TestText(t *testing.T) {
	check := func(want string, calls ...Call) {
		t.Helper()
		if got := Text(calls); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	free := Price{Known: true, Unit: "call"}
	check("")
	check("AWS was asked: rds:DescribeDBInstances 2× (1 failed). By the price list of us-east-1, before any free "+
		"allowance: nothing.",
		Call{Service: "rds", Operation: "DescribeDBInstances", Count: 2, Failures: 1, Billed: 1, Price: free})
	check("AWS was asked: cloudwatch:GetMetricData 3× (40 metrics, 2 further tries), pi:GetResourceMetrics 1×. "+
		"By the price list of us-east-1, before any free allowance: 0.00040 USD; the price of pi:GetResourceMetrics "+
		"is not known here.", Call{Service: "cloudwatch", Operation: "GetMetricData", Count: 3, Retries: 2, Billed: 40,
		Price: Price{Known: true, USD: 0.00001, Unit: "metric"}},
		Call{Service: "pi", Operation: "GetResourceMetrics", Count: 1, Billed: 1, Price: Price{Unit: "call"}})
	check("AWS was asked: pi:GetResourceMetrics 1×.", Call{Service: "pi", Operation: "GetResourceMetrics", Count: 1,
		Price: Price{Unit: "call"}})
}
