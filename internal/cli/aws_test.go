package cli

import (
	"errors"
	"testing"

	"github.com/realiops/realiops/internal/measure/account"
	"github.com/realiops/realiops/internal/measure/postgres"
	"github.com/realiops/realiops/internal/measure/rds"
	"github.com/realiops/realiops/internal/runfile"
)

func TestRefusedByAWS(t *testing.T) {
	reader := rds.Found{WriterEndpoint: "shop.example", Cloud: runfile.Cloud{Instance: "shop-2", Cluster: "shop", Role: rds.RoleReader}}
	writer := rds.Found{Cloud: runfile.Cloud{Instance: "shop-1", Cluster: "shop", Role: rds.RoleWriter}}
	check := func(a awsTarget, allowed postgres.Permissions, want string) {
		t.Helper()
		got := ""
		if err := a.refuse(allowed); err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	const proxy = "pool.example is an RDS Proxy, behind which our clients never really leave: connect to the cluster or the instance itself, or take that with --allow-pooler"
	check(awsTarget{}, postgres.Permissions{}, "")
	check(awsTarget{found: &writer, cloud: &writer.Cloud, kind: rds.Writer}, postgres.Permissions{}, "")
	check(awsTarget{found: &reader, cloud: &reader.Cloud}, postgres.Permissions{}, "shop-2 is a reader of the cluster shop, not its writer, and takes no writes: connect to shop.example")
	check(awsTarget{host: "pool.example", kind: rds.Proxy}, postgres.Permissions{}, proxy)
	check(awsTarget{host: "pool.example", kind: rds.Proxy}, postgres.Permissions{Pooler: true}, "")
}

func TestNoticeOfAWS(t *testing.T) {
	check := func(a awsTarget, flavor, want string) {
		t.Helper()
		if got := a.notice(postgres.Facts{Flavor: flavor}); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	check(awsTarget{}, postgres.FlavorPostgres, "")
	check(awsTarget{}, postgres.FlavorAurora, "AWS's own metrics are left out: this is Aurora, and the host does not say which of AWS's it is: name it with --instance and --region")
	check(awsTarget{}, postgres.FlavorRDS, "AWS's own metrics are left out: this is RDS, and the host does not say which of AWS's it is: name it with --instance and --region")
	check(awsTarget{account: &account.Account{}, trouble: errors.New("no credentials")}, postgres.FlavorAurora, "AWS's own metrics are left out: no credentials")
}

func TestCallsText(t *testing.T) {
	check := func(want string, calls ...account.Call) {
		t.Helper()
		if got := callsText(calls); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	free := account.Price{Known: true, Unit: "call"}
	check("")
	check("AWS was asked: rds:DescribeDBInstances 2× (1 failed). By the price list of us-east-1, before any free allowance: nothing.",
		account.Call{Service: "rds", Operation: "DescribeDBInstances", Count: 2, Failures: 1, Billed: 1, Price: free})
	check("AWS was asked: cloudwatch:GetMetricData 3× (40 metrics, 2 further tries), pi:GetResourceMetrics 1×. "+
		"By the price list of us-east-1, before any free allowance: 0.00040 USD, without pi:GetResourceMetrics, whose price is not known here.",
		account.Call{Service: "cloudwatch", Operation: "GetMetricData", Count: 3, Retries: 2, Billed: 40, Price: account.Price{Known: true, USD: 0.00001, Unit: "metric"}},
		account.Call{Service: "pi", Operation: "GetResourceMetrics", Count: 1, Billed: 1, Price: account.Price{Unit: "call"}})
	check("AWS was asked: pi:GetResourceMetrics 1×.", account.Call{Service: "pi", Operation: "GetResourceMetrics", Count: 1, Price: account.Price{Unit: "call"}})
}
