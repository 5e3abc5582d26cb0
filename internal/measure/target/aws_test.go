package target

import (
	"errors"
	"testing"

	"github.com/realiops/realiops/internal/measure/account"
	"github.com/realiops/realiops/internal/measure/postgres"
	"github.com/realiops/realiops/internal/measure/rds"
	"github.com/realiops/realiops/internal/runfile"
)

func TestRefusedByAWS(t *testing.T) {
	reader := rds.Found{WriterEndpoint: "shop.example", Cloud: runfile.Cloud{Instance: "shop-2", Cluster: "shop",
		Role: rds.RoleReader}}
	writer := rds.Found{Cloud: runfile.Cloud{Instance: "shop-1", Cluster: "shop", Role: rds.RoleWriter}}
	check := func(a AWS, allowed postgres.Permissions, want string) {
		t.Helper()
		got := ""
		if err := a.refuse(allowed); err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	const proxy = "pool.example is an RDS Proxy, which keeps our sessions open; connect to the cluster " +
		"or the instance itself, or accept that with --allow-pooler"
	check(AWS{}, postgres.Permissions{}, "")
	check(AWS{Found: &writer, Cloud: &writer.Cloud, kind: rds.Writer}, postgres.Permissions{}, "")
	check(AWS{Found: &reader, Cloud: &reader.Cloud}, postgres.Permissions{},
		"shop-2 is a reader of the cluster shop, which does not accept writes; connect to shop.example")
	check(AWS{host: "pool.example", kind: rds.Proxy}, postgres.Permissions{}, proxy)
	check(AWS{host: "pool.example", kind: rds.Proxy}, postgres.Permissions{Pooler: true}, "")
}

func TestNoticeOfAWS(t *testing.T) {
	check := func(a AWS, flavor, want string) {
		t.Helper()
		if got := a.Notice(postgres.Facts{Flavor: flavor}); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	check(AWS{}, postgres.FlavorPostgres, "")
	check(AWS{}, postgres.FlavorAurora, "AWS's own metrics are left out: this is Aurora, but the host does not identify "+
		"the instance; set --instance and --region")
	check(AWS{}, postgres.FlavorRDS, "AWS's own metrics are left out: this is RDS, but the host does not identify "+
		"the instance; set --instance and --region")
	check(AWS{Account: &account.Account{}, Trouble: errors.New("no credentials")}, postgres.FlavorAurora,
		"AWS's own metrics are left out: no credentials")
}
