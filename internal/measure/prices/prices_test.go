package prices_test

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/pricing"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/realiops/realiops/internal/analyze/catalog"
	"github.com/realiops/realiops/internal/measure/prices"
	"github.com/realiops/realiops/internal/test/accounttest"
)

// listed is a product of the price list, in the form of AWS's own example of GetProducts.
type listed struct {
	service, family, usage, engine, deployment string
	unit, begin, currency, price               string
	more                                       map[string]string // further attributes
}

func (l listed) String() string {
	attributes := map[string]string{"servicecode": l.service, "usagetype": l.usage, "locationType": "AWS Region",
		"operation": ""}
	if l.engine != "" {
		attributes["databaseEngine"], attributes["deploymentOption"] = l.engine, l.deployment
	}
	maps.Copy(attributes, l.more)
	text, _ := json.Marshal(map[string]any{
		"product":     map[string]any{"productFamily": l.family, "attributes": attributes, "sku": "WQGC34PB2AWS8R4U"},
		"serviceCode": l.service, "version": "20260910120000", "publicationDate": "2026-09-10T12:00:00Z",
		"terms": map[string]any{"OnDemand": map[string]any{"WQGC34PB2AWS8R4U.JRTCKXETXF": map[string]any{
			"sku": "WQGC34PB2AWS8R4U", "effectiveDate": "2026-09-01T00:00:00Z", "offerTermCode": "JRTCKXETXF",
			"termAttributes": map[string]any{},
			"priceDimensions": map[string]any{"WQGC34PB2AWS8R4U.JRTCKXETXF.6YS6EN2CT7": map[string]any{
				"unit": l.unit, "beginRange": l.begin, "endRange": "Inf", "appliesTo": []string{},
				"pricePerUnit": map[string]string{l.currency: l.price},
				"rateCode":     "WQGC34PB2AWS8R4U.JRTCKXETXF.6YS6EN2CT7", "description": "so much",
			}},
		}}},
	})
	return string(text)
}

// service answers GetProducts with the products of the requested family, two on a page, and keeps the requests.
type service struct {
	products []listed
	said     []map[string]any
}

func (s *service) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	var in struct {
		ServiceCode, NextToken string
		Filters                []struct{ Field, Value string }
	}
	var request any
	if json.Unmarshal(body, &in) != nil || json.Unmarshal(body, &request) != nil ||
		r.Header.Get("X-Amz-Target") != "AWSPriceListService.GetProducts" {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	list, answer := []string{}, map[string]any{"FormatVersion": "aws_v1"}
	for _, p := range s.products {
		attributes := map[string]string{"databaseEngine": p.engine}
		maps.Copy(attributes, p.more)
		meant := p.service == in.ServiceCode && p.family == in.Filters[1].Value
		for _, f := range in.Filters[2:] {
			meant = meant && attributes[f.Field] == f.Value
		}
		if meant {
			list = append(list, p.String())
		}
	}
	const page = 2
	begin := 0
	fmt.Sscan(in.NextToken, &begin)
	answer["PriceList"] = list[begin:min(len(list), begin+page)]
	if begin+page < len(list) {
		answer["NextToken"] = fmt.Sprint(begin + page)
	}
	s.said = append(s.said, map[string]any{"request": request, "answer": answer})
	w.Header().Set("Content-Type", "application/x-amz-json-1.1")
	_ = json.NewEncoder(w).Encode(answer)
}

func ask(t *testing.T, s *service) (prices.List, error) {
	t.Helper()
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	client := pricing.New(pricing.Options{
		BaseEndpoint: aws.String(server.URL), Region: "us-east-1", Retryer: aws.NopRetryer{},
		Credentials: credentials.NewStaticCredentialsProvider("AKIA", "secret", ""),
	})
	return prices.Ask(t.Context(), client, "ap-northeast-1")
}

// machine returns a machine's product, by the hour.
func machine(service, usage, engine, deployment, price string, more map[string]string) listed {
	family := map[string]string{"AmazonEC2": "Compute Instance", "AmazonRDS": "Database Instance"}[service]
	return listed{service, family, usage, engine, deployment, "Hrs", "0", "USD", price, more}
}

// ec2 returns the price list's attributes of an EC2 machine.
func ec2(system, tenancy string) map[string]string {
	return map[string]string{"instanceType": "r6g.xlarge", "operatingSystem": system, "tenancy": tenancy,
		"preInstalledSw": "NA", "capacitystatus": "Used"}
}

// tokyo has prices of Tokyo of September 2026 from the price list, mixed with other products.
func tokyo() []listed {
	ebs := func(family, usage, unit, price string) listed {
		return listed{"AmazonEC2", family, usage, "", "", unit, "0", "USD", price, nil}
	}
	rds := func(family, usage, engine, deployment, unit, price string) listed {
		return listed{"AmazonRDS", family, usage, engine, deployment, unit, "0", "USD", price, nil}
	}
	return []listed{
		ebs("Storage", "APN1-EBS:VolumeUsage.gp3", "GB-Mo", "0.0960000000"),
		ebs("Storage", "APN1-EBS:VolumeUsage.io2", "GB-month", "0.1420000000"),
		ebs("Storage", "APN1-EBS:SnapshotUsage", "GB-Mo", "0.0500000000"),
		ebs("System Operation", "APN1-EBS:VolumeP-IOPS.io2", "IOPS-Mo", "0.0740000000"),
		ebs("System Operation", "APN1-EBS:VolumeP-IOPS.io2.tier2", "IOPS-Mo", "0.0518000000"),
		ebs("System Operation", "APN1-EBS:VolumeP-IOPS.io2.tier3", "IOPS-Mo", "0.0362600000"),
		ebs("Provisioned Throughput", "APN1-EBS:VolumeP-Throughput.gp3", "GiBps-mo", "49.1520000000"),
		rds("Database Storage", "APN1-RDS:GP3-Storage", "Any", "Single-AZ", "GB-Mo", "0.1380000000"),
		rds("Database Storage", "APN1-RDS:GP3-Storage", "PostgreSQL", "Single-AZ", "GB-Mo", "0.1380000000"),
		rds("Database Storage", "APN1-RDS:GP3-Storage", "Oracle", "Single-AZ", "GB-Mo", "0.2000000000"),
		rds("Database Storage", "APN1-RDS:Multi-AZ-GP3-Storage", "Any", "Multi-AZ", "GB-Mo", "0.2760000000"),
		rds("System Operation", "APN1-Aurora:StorageIOUsage", "Any", "", "IOs", "0.0000002400"),
		rds("Database Instance", "APN1-InstanceUsage:db.r6g.large", "Aurora PostgreSQL", "Single-AZ", "Hrs",
			"0.3130000000"),
		rds("Database Storage", "APN1-RDS:GP3-Throughput", "Any", "Single-AZ", "MBPS-Mo", "0.0960000000"),
		machine("AmazonRDS", "APN1-InstanceUsage:db.r6g.xl", "PostgreSQL", "Single-AZ", "0.5190000000",
			map[string]string{"instanceType": "db.r6g.xlarge"}),
		machine("AmazonRDS", "APN1-Multi-AZUsage:db.r6g.xl", "PostgreSQL", "Multi-AZ", "1.0380000000",
			map[string]string{"instanceType": "db.r6g.xlarge"}),
		machine("AmazonRDS", "APN1-InstanceUsage:db.r6g.xl", "Oracle", "Single-AZ", "9",
			map[string]string{"instanceType": "db.r6g.xlarge"}),
		machine("AmazonEC2", "APN1-BoxUsage:r6g.xlarge", "", "", "0.2430000000", ec2("Linux", "Shared")),
		machine("AmazonEC2", "APN1-BoxUsage:r6g.xlarge", "", "", "0.9", ec2("RHEL", "Shared")),
		machine("AmazonEC2", "APN1-DedicatedUsage:r6g.xlarge", "", "", "0.9", ec2("Linux", "Dedicated")),
		rds("Database Instance", "APN1-InstanceUsageIOOptimized:db.r6g.large", "Aurora PostgreSQL", "Single-AZ", "Hrs",
			"0.4070000000"),
		rds("ServerlessV2", "APN1-Aurora:ServerlessV2Usage", "Aurora PostgreSQL", "", "ACU-Hr", "0.2000000000"),
		rds("ServerlessV2", "APN1-Aurora:ServerlessV2IOOptimizedUsage", "Aurora PostgreSQL", "", "ACU-Hr",
			"0.2600000000"),
	}
}

// TestAsk reads all relevant products, in our units, from all pages.
func TestAsk(t *testing.T) {
	s := &service{products: tokyo()}
	list, err := ask(t, s)
	if err != nil {
		t.Fatal(err)
	}
	row := func(volume string, per catalog.Per, class string, from, price float64, service string) catalog.Price {
		return catalog.Price{Volume: volume, Class: class, Per: per, From: from, Region: "ap-northeast-1",
			Currency: "USD", Price: price, Source: "AWS price list, " + service + ", 2026-09-10"}
	}
	want := []catalog.Price{
		row("aurora", "hour", "db.r6g.large", 0, 0.313, "AmazonRDS"),
		row("aurora", "hour", "db.serverless", 0, 0.20, "AmazonRDS"),
		row("aurora", "million-io", "", 0, 0.24, "AmazonRDS"),
		row("aurora-iopt1", "hour", "db.r6g.large", 0, 0.407, "AmazonRDS"),
		row("aurora-iopt1", "hour", "db.serverless", 0, 0.26, "AmazonRDS"),
		row("ec2", "hour", "r6g.xlarge", 0, 0.243, "AmazonEC2"),
		row("gp3", "gib", "", 0, 0.096, "AmazonEC2"),
		row("gp3", "mibps", "", 0, 0.048, "AmazonEC2"), // 49.152 / 1024
		row("io2", "gib", "", 0, 0.142, "AmazonEC2"),
		row("io2", "iops", "", 0, 0.074, "AmazonEC2"),
		row("io2", "iops", "", 32000, 0.0518, "AmazonEC2"),
		row("io2", "iops", "", 64000, 0.03626, "AmazonEC2"),
		row("rds", "hour", "db.r6g.xlarge", 0, 0.519, "AmazonRDS"),
		row("rds-gp3", "gib", "", 0, 0.138, "AmazonRDS"),
		row("rds-gp3", "mibps", "", 0, 0.096, "AmazonRDS"),
		row("rds-gp3-multi-az", "gib", "", 0, 0.276, "AmazonRDS"),
		row("rds-multi-az", "hour", "db.r6g.xlarge", 0, 1.038, "AmazonRDS"),
	}
	if diff := cmp.Diff(want, list.Prices, cmpopts.EquateApprox(1e-9, 0)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if len(list.Unread) > 0 {
		t.Errorf("unread: %q", list.Unread)
	}
	var file bytes.Buffer // to be read back by --price
	_ = json.NewEncoder(&file).Encode(list.Prices)
	if back, err := catalog.ReadPrices(&file); err != nil || len(back) != len(want) {
		t.Errorf("read again: %d prices, %v", len(back), err)
	}
	byModel(t, s.said)
}

//go:embed testdata/check.py
var check string

// byModel compares requests with botocore's model of the price list.
func byModel(t *testing.T, said []map[string]any) {
	t.Helper()
	lines, _ := json.Marshal(said)
	cmd := exec.Command(accounttest.Python(t), "-c", check)
	cmd.Stdin = bytes.NewReader(lines)
	if out, err := cmd.CombinedOutput(); err != nil || len(out) > 0 {
		t.Errorf("%v: %s", err, out)
	}
}

// TestUnknownPrices: an unknown unit, two prices of one thing, and an invalid range are reported and left out.
func TestUnknownPrices(t *testing.T) {
	storage := func(usage, unit, begin, currency, price string) listed {
		return listed{"AmazonEC2", "Storage", usage, "", "", unit, begin, currency, price, nil}
	}
	list, err := ask(t, &service{products: []listed{
		storage("EBS:VolumeUsage.gp3", "GB-Mo", "0", "USD", "0.08"),
		storage("EBS:VolumeUsage.gp2", "TB-Mo", "0", "USD", "100"),
		storage("EBS:VolumeUsage.st1", "GB-Mo", "much", "USD", "1"),
		storage("EBS:VolumeUsage.piops", "GB-Mo", "NaN", "USD", "1"),
		storage("EBS:VolumeUsage.sc1", "GB-Mo", "0", "EUR", "1"),
		storage("EBS:VolumeUsage.io2", "GB-Mo", "0", "USD", "0.125"),
		storage("EBS:VolumeUsage.io2", "GB-Mo", "0", "USD", "0.130"),
	}})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"io2 per gib has more than one price, from 0.125 to 0.13",
		`the price of EBS:VolumeUsage.gp2: unknown unit "TB-Mo"`,
		`the price of EBS:VolumeUsage.piops: its range begins at "NaN", not an amount`,
		"the price of EBS:VolumeUsage.sc1: it is in neither USD nor CNY",
		`the price of EBS:VolumeUsage.st1: its range begins at "much", not an amount`,
	}
	if diff := cmp.Diff(want, list.Unread); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if len(list.Prices) != 1 || list.Prices[0].Volume != "gp3" {
		t.Errorf("%+v, want that of gp3 alone", list.Prices)
	}
}

func TestNothingOfARegion(t *testing.T) {
	_, err := ask(t, &service{})
	if err == nil || !strings.Contains(err.Error(), "the price list does not have the region ap-northeast-1") {
		t.Error(err)
	}
}
