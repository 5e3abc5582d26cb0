package account

import (
	"encoding/json"

	"github.com/aws/aws-sdk-go-v2/service/cloudwatch"
)

// Price is the price of an operation's unit in the price list of us-east-1, with its source and date. Known
// is false if no source states it.
type Price struct {
	Known  bool
	USD    float64
	Unit   string // the billed unit: metric or call
	Source string
	Date   string // YYYY-MM-DD, when it was read
}

const cloudWatchPrices = "https://aws.amazon.com/cloudwatch/pricing/"

// priceOf returns the list price of an operation. Performance Insights' was not found.
func priceOf(service, operation string) Price {
	const thousandth = 1.0 / 1000
	switch {
	case service == "cloudwatch" && operation == "GetMetricData": // without a free allowance
		return Price{Known: true, USD: 0.01 * thousandth, Unit: "metric", Source: cloudWatchPrices, Date: "2026-05-05"}
	case service == "cloudwatch" && operation == "ListMetrics": // beyond a million a month
		return Price{Known: true, USD: 0.01 * thousandth, Unit: "call", Source: cloudWatchPrices, Date: "2026-05-05"}
	case service == "rds":
		return Price{Known: true, Unit: "call",
			Source: "https://aws.amazon.com/rds/pricing/ names no price of an API call", Date: "2026-11-20"}
	case service == "sts":
		return Price{Known: true, Unit: "call",
			Source: "https://docs.aws.amazon.com/STS/latest/APIReference/welcome.html", Date: "2026-11-20"}
	default:
		return Price{Unit: "call"}
	}
}

// billed returns the billed units of an answered call: up to five statistics of one metric are one.
// https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/API_GetMetricData.html
func billed(input any) int {
	const statisticsInOne = 5
	data, ok := input.(*cloudwatch.GetMetricDataInput)
	if !ok {
		return 1
	}
	statistics := map[string]int{}
	for _, q := range data.MetricDataQueries {
		if q.MetricStat == nil {
			continue // computed from others
		}
		key, _ := json.Marshal(q.MetricStat.Metric) // names and values only, which cannot fail
		statistics[string(key)]++
	}
	n := 0
	for _, of := range statistics {
		n += (of + statisticsInOne - 1) / statisticsInOne
	}
	return n
}
