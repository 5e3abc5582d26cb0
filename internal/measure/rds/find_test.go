package rds_test

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/smithy-go/middleware"
	"github.com/google/go-cmp/cmp"

	"github.com/realiops/realiops/internal/measure/account"
	"github.com/realiops/realiops/internal/measure/rds"
	"github.com/realiops/realiops/internal/runfile"
	"github.com/realiops/realiops/internal/test/accounttest"
)

func TestMain(m *testing.M) { os.Exit(accounttest.Main(m)) }

// fleet creates a cluster of two, an instance with its own volumes, and one that is not PostgreSQL.
func fleet(t *testing.T, s *accounttest.StandIn) {
	t.Helper()
	const ofShop = "DBClusterIdentifier=shop&Engine=aurora-postgresql&EngineVersion=15.10"
	s.Create(t, "CreateDBCluster", ofShop+"&StorageType=aurora-iopt1")
	for _, name := range []string{"shop-1", "shop-2"} {
		s.Create(t, "CreateDBInstance", "DBInstanceIdentifier="+name+"&"+ofShop+"&DBInstanceClass=db.r6g.large&"+
			"EnablePerformanceInsights=true&PerformanceInsightsRetentionPeriod=7&MonitoringInterval=1")
	}
	s.Create(t, "CreateDBInstance", "DBInstanceIdentifier=alone&Engine=postgres&EngineVersion=15.7&"+
		"DBInstanceClass=db.m5.large&StorageType=gp3&AllocatedStorage=400&Iops=12000&MultiAZ=true")
	s.Create(t, "CreateDBInstance", "DBInstanceIdentifier=other&Engine=mysql&DBInstanceClass=db.m5.large&"+
		"AllocatedStorage=20")
}

// where returns AWS's name of a host in the stand-in's region.
func where(name, kind string) string {
	return name + "." + kind + "c9akciq32rgd." + accounttest.Region + ".rds.amazonaws.com"
}

func TestFind(t *testing.T) {
	s := accounttest.Start(t)
	fleet(t, s)
	s.Setenv(t)
	a, err := account.Open(t.Context(), account.Options{})
	if err != nil {
		t.Fatal(err)
	}
	shop := runfile.Cloud{
		Provider: "aws", Region: accounttest.Region, Instance: "shop-1", Cluster: "shop", Role: "writer",
		Engine: "aurora-postgresql", Version: "15.10", Class: "db.r6g.large", Storage: "aurora",
		Insights: true, InsightsDays: 7, MonitoringSeconds: 1,
	}
	second := shop
	second.Instance, second.Role = "shop-2", "reader"
	alone := runfile.Cloud{
		Provider: "aws", Region: accounttest.Region, Instance: "alone", Engine: "postgres", Version: "15.7",
		Class: "db.m5.large", Storage: "gp3", SizeGiB: 400, IOPS: 12000, MultiAZ: true,
	}
	check := func(q rds.Query, want runfile.Cloud) {
		t.Helper()
		found, err := rds.Find(t.Context(), a.Config(), q)
		if err != nil {
			t.Errorf("%+v: %v", q, err)
			return
		}
		if !strings.HasPrefix(found.Cloud.Resource, "db-") {
			t.Errorf("%+v: the resource %q", q, found.Cloud.Resource)
		}
		found.Cloud.Resource = ""
		if diff := cmp.Diff(want, found.Cloud); diff != "" {
			t.Errorf("%+v: (-want +got)\n%s", q, diff)
		}
	}
	check(rds.Query{Host: where("shop-1", "")}, shop)
	check(rds.Query{Host: where("shop", "cluster-")}, shop)
	check(rds.Query{Host: where("shop", "cluster-ro-")}, second)
	check(rds.Query{Host: where("shop", "cluster-"), Answering: "shop-2"}, second) // failed over, or asked too early
	check(rds.Query{Host: where("night", "cluster-custom-"), Answering: "shop-1"}, shop)
	check(rds.Query{Host: "localhost", Instance: "shop-2"}, second)
	check(rds.Query{Host: "localhost", Cluster: "shop"}, shop)
	check(rds.Query{Host: where("alone", "")}, alone)

	refuse := func(q rds.Query, want string) {
		t.Helper()
		if _, err := rds.Find(t.Context(), a.Config(), q); err == nil || !strings.Contains(err.Error(), want) ||
			strings.Contains(err.Error(), "\n") {
			t.Errorf("%+v: %v, want %s", q, err, want)
		}
	}
	refuse(rds.Query{Host: where("gone", "")}, "instance gone not found in eu-central-1: it was deleted, or")
	refuse(rds.Query{Host: where("gone", "cluster-")}, "cluster gone not found in eu-central-1")
	refuse(rds.Query{Instance: "gone"},
		"instance gone not found in eu-central-1: it was deleted, or is in another account or region")
	refuse(rds.Query{Host: "localhost"}, "name it with --instance (in eu-central-1: ")
	refuse(rds.Query{Host: where("other", "")}, "instance other runs mysql; realiops supports only PostgreSQL")
	refuse(rds.Query{Instance: "alone", Cluster: "shop"}, "not in the --cluster shop; its cluster is none")
	refuse(rds.Query{Instance: "shop-1", Answering: "shop-2"},
		"the server is instance shop-2, but --instance is shop-1")
	refuse(rds.Query{Host: "shop-1.c9akciq32rgd.us-east-1.rds.amazonaws.com"},
		"is in us-east-1, not in eu-central-1")
	refuse(rds.Query{Host: where("night", "cluster-custom-")},
		"no cluster of these credentials in eu-central-1 has the custom endpoint")
	refuse(rds.Query{Host: where("pool", "proxy-")}, "is a proxy endpoint, which does not identify the instance")

	for _, c := range a.Calls() {
		if c.Service != "rds" || c.Retries != 0 {
			t.Errorf("asked %+v", c)
		}
	}
}

func TestTroubleOnTheWay(t *testing.T) {
	s, proxy := accounttest.Start(t).Proxy(t)
	proxy.On("DescribeDBInstances", accounttest.Denied())
	s.Setenv(t)
	a, err := account.Open(t.Context(), account.Options{})
	if err != nil {
		t.Fatal(err)
	}
	_, err = rds.Find(t.Context(), a.Config(), rds.Query{Host: where("shop-1", "")})
	trouble, ok := errors.AsType[*account.Trouble](err)
	if !ok || trouble.Permission != "rds:DescribeDBInstances" || strings.Contains(err.Error(), "arn:") {
		t.Errorf("%v", err)
	}
}

func TestToken(t *testing.T) {
	s := accounttest.Start(t)
	host := where("shop", "cluster-")
	token, err := rds.Token(t.Context(), s.Config(), host, 5432, "somebody")
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{host + ":5432?", "Action=connect", "DBUser=somebody", "X-Amz-Expires=900",
		"%2F" + accounttest.Region + "%2Frds-db%2Faws4_request"} {
		if !strings.Contains(token, part) {
			t.Errorf("%s is not in the token %s", part, token)
		}
	}
	if strings.Contains(token, "planted-secret-key") {
		t.Error("the token shows the key that signed it")
	}
	if _, err := rds.Token(t.Context(), aws.Config{}, host, 5432, "somebody"); err == nil ||
		!strings.Contains(err.Error(), "region") {
		t.Errorf("without a region: %v", err)
	}
}

// others returns an account with only the named databases, at their own hosts.
func others(t *testing.T, hosts ...string) aws.Config {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var found strings.Builder
		for _, host := range hosts {
			name, _, _ := strings.Cut(host, ".")
			if asked := r.FormValue("DBInstanceIdentifier"); asked == "" || asked == name {
				fmt.Fprintf(&found,
					`<DBInstance><DBInstanceIdentifier>%s</DBInstanceIdentifier><Engine>postgres</Engine><Endpoint><Address>%s</Address></Endpoint></DBInstance>`, name, host)
			}
		}
		if found.Len() == 0 {
			w.WriteHeader(http.StatusNotFound)
			fmt.Fprint(w,
				`<ErrorResponse><Error><Code>DBInstanceNotFound</Code><Message>none</Message></Error></ErrorResponse>`)
			return
		}
		fmt.Fprintf(w,
			`<DescribeDBInstancesResponse><DescribeDBInstancesResult><DBInstances>%s</DBInstances></DescribeDBInstancesResult></DescribeDBInstancesResponse>`, &found)
	}))
	t.Cleanup(server.Close)
	return at(server.URL)
}

// at returns an account whose services are all at one address.
func at(url string) aws.Config {
	return aws.Config{Region: accounttest.Region, BaseEndpoint: &url,
		Credentials: credentials.NewStaticCredentialsProvider("key", "secret", ""),
		APIOptions:  []func(*middleware.Stack) error{account.PlainBodies}}
}

// TestWhoseDatabase: host names contain a word for the account, which distinguishes a deleted
// database from another account's.
func TestWhoseDatabase(t *testing.T) {
	const elsewhere = "db1.dxxxxxxxxxxx." + accounttest.Region + ".rds.amazonaws.com"
	check := func(config aws.Config, want string) {
		t.Helper()
		_, err := rds.Find(t.Context(), config, rds.Query{Host: where("db1", "")})
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	check(others(t, where("db1", "")), "")
	check(others(t, where("db2", "")), "it was deleted, since the host name is of this account and region")
	check(others(t, strings.Replace(elsewhere, "db1", "db2", 1)),
		"these credentials are for another account")
	check(others(t, elsewhere), "instance db1 of these credentials is not the one at "+where("db1", ""))
	check(others(t), "it was deleted, or is in another account or region")
}

// TestWhatMinistackLeavesOut covers descriptions that the stand-in lacks.
func TestWhatMinistackLeavesOut(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.FormValue("Action") == "DescribeDBClusters" {
			fmt.Fprint(w,
				`<DescribeDBClustersResponse><DescribeDBClustersResult><DBClusters><DBCluster><DatabaseInsightsMode>advanced</DatabaseInsightsMode><StorageType>aurora-iopt1</StorageType>
				<Endpoint>shop.cluster-x.eu-central-1.rds.amazonaws.com</Endpoint><DBClusterMembers>
				<DBClusterMember><DBInstanceIdentifier>shop-1</DBInstanceIdentifier><IsClusterWriter>false</IsClusterWriter></DBClusterMember>
				<DBClusterMember><DBInstanceIdentifier>shop-2</DBInstanceIdentifier><IsClusterWriter>true</IsClusterWriter></DBClusterMember>
				</DBClusterMembers></DBCluster></DBClusters></DescribeDBClustersResult></DescribeDBClustersResponse>`)
			return
		}
		if r.FormValue("DBInstanceIdentifier") == "shop-1" {
			fmt.Fprint(w,
				`<DescribeDBInstancesResponse><DescribeDBInstancesResult><DBInstances><DBInstance><DBInstanceIdentifier>shop-1</DBInstanceIdentifier>
				<DBClusterIdentifier>shop</DBClusterIdentifier><Engine>aurora-postgresql</Engine><StorageType>aurora</StorageType><AllocatedStorage>1</AllocatedStorage>
				<DBInstanceStatus>backing-up</DBInstanceStatus></DBInstance></DBInstances></DescribeDBInstancesResult></DescribeDBInstancesResponse>`)
			return
		}
		fmt.Fprint(w,
			`<DescribeDBInstancesResponse><DescribeDBInstancesResult><DBInstances><DBInstance><DBInstanceIdentifier>log</DBInstanceIdentifier>
			<Engine>postgres</Engine><StorageType>io2</StorageType><AllocatedStorage>500</AllocatedStorage><Iops>20000</Iops><StorageThroughput>1000</StorageThroughput>
			<DedicatedLogVolume>true</DedicatedLogVolume><DatabaseInsightsMode>standard</DatabaseInsightsMode>
			<PerformanceInsightsEnabled>true</PerformanceInsightsEnabled><PerformanceInsightsRetentionPeriod>31</PerformanceInsightsRetentionPeriod></DBInstance></DBInstances></DescribeDBInstancesResult></DescribeDBInstancesResponse>`)
	}))
	defer server.Close()
	config := at(server.URL)
	check := func(instance string, want rds.Found) {
		t.Helper()
		got, err := rds.Find(t.Context(), config, rds.Query{Instance: instance})
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("%s: %v\n%s", instance, err, diff)
		}
	}
	check("shop-1", rds.Found{Status: "backing-up", WriterEndpoint: "shop.cluster-x.eu-central-1.rds.amazonaws.com",
		Cloud: runfile.Cloud{
			Provider: "aws", Region: accounttest.Region, Instance: "shop-1", Cluster: "shop", Role: "reader",
			Engine: "aurora-postgresql", Storage: "aurora-iopt1", InsightsMode: "advanced"}})
	check("log", rds.Found{Cloud: runfile.Cloud{Provider: "aws", Region: accounttest.Region, Instance: "log",
		Engine:  "postgres",
		Storage: "io2", SizeGiB: 500, IOPS: 20000, ThroughputMiB: 1000, LogVolume: true, Insights: true,
		InsightsDays: 31, InsightsMode: "standard"}})
}
