package catalog_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/realiops/realiops/internal/analyze/catalog"
)

// TestInvalidPrices are refused in one line, with which one and why.
func TestInvalidPrices(t *testing.T) {
	check := func(text, want string) {
		t.Helper()
		if _, err := catalog.ReadPrices(strings.NewReader(text)); err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
	row := func(volume, per, currency, price string) string {
		return `{"volume": "` + volume + `", "per": "` + per + `", "region": "here", "currency": "` + currency +
			`", "price": ` + price + `, "source": "us"}`
	}
	good := row("gp3", "gib", "USD", "0.08")
	check("[]", "it has no prices")
	check("["+row("gp3", "gib", "USD", "-1")+"]", "price 1, of gp3 per gib: invalid price -1")
	check("["+row("gp3", "gib", "USD", "1e7")+"]", "price 1, of gp3 per gib: invalid price 1e+07")
	check("["+row("gp3", "tb", "USD", "80")+"]",
		"price 1, of gp3 per tb: per must be gib, iops, mibps, tier, million-io or hour")
	check("[\n"+row("gp3", "gib", "USD", `"cheap"`)+"]", "line 2: price is a string, which is not allowed")
	check("[\n\n"+strings.Replace(good, "volume", "volumn", 1)+"]", `line 3: unknown field "volumn"`)
	check("["+row("gp3", "iops", "USD", "null")+"]", "price 1, of gp3 per iops: its price is missing")
	check("["+strings.Replace(row("gp3", "iops", "USD", "0"), `"price": 0, `, "", 1)+"]",
		"price 1, of gp3 per iops: its price is missing")
	check("["+row("gp3", "gib", "USD", "null")+"]", "price 1, of gp3 per gib: its price is missing")
	check("["+row("aurora", "hour", "USD", "0")+"]", "price 1, of aurora per hour: invalid price 0")
	check("{}", "line 1: an object instead of a list of prices")
	check("["+good+"\n"+good+"]", "line 2: invalid JSON: invalid character '{' after array element")
	check("["+good+","+row("gp2", "gib", "EUR", "0.1")+"]",
		"price 2, of gp2 per gib: it is in EUR, but the first price is in USD; use one currency")
	check("["+row("", "gib", "USD", "1")+"]", "price 1: volume, per, region and currency are required")
	check("["+row("gp3", "", "USD", "1")+"]", "price 1: volume, per, region and currency are required")
	check("["+row("gp3", "gib", "", "1")+"]", "price 1, of gp3 per gib: volume, per, region and currency are required")
}

// TestPricesOfUnknownItems: an unknown volume is reported with a suggestion, and two prices of an item with both.
func TestPricesOfUnknownItems(t *testing.T) {
	row := func(volume, from string) string {
		return `{"volume": "` + volume + `", "per": "iops", "from": ` + from +
			`, "region": "here", "currency": "USD", "price": 1, "source": "us"}`
	}
	check := func(text, want string) {
		t.Helper()
		if _, err := catalog.ReadPrices(strings.NewReader("[" + text + "]")); err == nil && want != "" || err != nil &&
			err.Error() != want {
			t.Errorf("%v, want %q", err, want)
		}
	}
	check(row("gp3", "0")+","+row("gp33", "0"), "price 2, of gp33 per iops: unknown volume; did you mean gp3?")
	check(row("quartz", "0"), "price 1, of quartz per iops: unknown volume")
	check(row("io2", "0")+","+row("gp3", "0")+","+row("io2", "0"),
		"price 3, of io2 per iops: it repeats price 1; remove one")
	check(row("io2", "0")+","+row("io2", "32000"), "")
	check(row("rds-gp3-multi-az", "0"), "")
}

// TestImpossiblePrices: a price that no order could use is refused, not silently dropped.
func TestImpossiblePrices(t *testing.T) {
	check := func(volume, rest, want string) {
		t.Helper()
		text := `[{"volume": "` + volume + `", "price": 3, "currency": "USD", "source": "us", ` + rest + `}]`
		if _, err := catalog.ReadPrices(strings.NewReader(text)); err == nil && want != "" || err != nil &&
			!strings.HasSuffix(err.Error(), want) {
			t.Errorf("%s, %s: %v, want %q", volume, rest, err, want)
		}
	}
	check("gp3", `"per": "gib", "region": "eastus"`, "eastus is a region of Azure, which does not sell gp3")
	check("azure-ultra", `"per": "gib", "region": "us-central1"`,
		"us-central1 is a region of Google Cloud, which does not sell azure-ultra")
	check("azure-premium", `"per": "tier", "tier": "P11", "region": "eastus"`,
		`Azure Premium SSD has no size "P11"; did you mean P1?`)
	check("azure-premium", `"per": "tier", "region": "eastus"`, `Azure Premium SSD has no size ""`)
	check("azure-premium", `"per": "gib", "region": "eastus"`, "Azure Premium SSD is not sold by that unit")
	check("azure-premium-plus", `"per": "tier", "tier": "P30", "region": "eastus"`,
		"it costs the same as azure-premium; give that price instead")
	check("gp3", `"per": "tier", "tier": "P10", "region": "us-east-1"`, "EBS gp3 is not sold by that unit")
	check("gp3", `"per": "gib", "tier": "P10", "region": "us-east-1"`, `EBS gp3 has no named sizes, such as "P10"`)
	check("gp2", `"per": "iops", "region": "us-east-1"`, "EBS gp2 is not sold by that unit")
	check("gp3", `"per": "million-io", "region": "us-east-1"`, "EBS gp3 is not sold by that unit")
	check("aurora", `"per": "hour", "region": "us-east-1"`, "class is missing; the price of a machine needs its class")
	check("gp3", `"per": "hour", "region": "us-east-1"`, "EBS gp3 is not sold by that unit")
	check("ec2", `"per": "hour", "region": "us-east-1"`, "class is missing; the price of a machine needs its class")
	check("ec2", `"per": "gib", "class": "m5.large", "region": "us-east-1"`,
		"the price of a class, such as m5.large, must be per hour")
	check("gp3", `"per": "gib", "region": "us-east-1", "currency": "usd"`,
		"the currency is usd; want three capital letters, such as USD")
	check("gp3", `"per": "gib", "region": "us-east-1", "price": 0`, "invalid price 0")
	check("gp3", `"per": "iops", "region": "us-east-1", "price": 0`, "") // the first of them are free
	check("aurora", `"per": "million-io", "region": "us-east-1"`, "")
	check("azure-premium", `"per": "tier", "tier": "P10", "region": "a-new-one"`, "")
}

// TestOwnPricesAgree: the program's own prices are valid in a file, and none is doubted.
func TestOwnPricesAgree(t *testing.T) {
	own := catalog.Prices()
	text, err := json.Marshal(own)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := catalog.ReadPrices(bytes.NewReader(text)); err != nil {
		t.Error(err)
	}
	if doubts := catalog.Doubts(own, own); len(doubts) > 0 {
		t.Error(doubts)
	}
}

// TestDoubts: a price in cents, or per TB, and a region that is spelled like another one.
func TestDoubts(t *testing.T) {
	known := []catalog.Price{{Volume: "gp3", Per: catalog.PerGiB, Region: "us-east-1", Currency: "USD", Price: 0.08},
		{Volume: "gp3", Per: catalog.PerGiB, Region: "sa-east-1", Currency: "USD", Price: 0.152}}
	for want, p := range map[string]catalog.Price{
		"": {Region: "here", Currency: "USD", Price: 1.5},
		"The file's price of gp3 per gib, 8 USD, is far from known prices (0.08 to 0.152): a unit is probably " +
			"wrong": {Region: "here", Currency: "USD", Price: 8},
		"The file's price of gp3 per gib, 8e-05 USD, is far from known prices (0.08 to 0.152): a unit is probably " +
			"wrong": {Region: "us-east-1", Currency: "USD", Price: 0.00008},
		"The file has prices for the unknown region us-est-1; did you mean " +
			"us-east-1?": {Region: "us-est-1", Currency: "USD", Price: 0.08},
	} {
		p.Volume, p.Per = "gp3", catalog.PerGiB
		if got := strings.Join(catalog.Doubts([]catalog.Price{p}, known), "; "); got != want {
			t.Errorf("%+v: %q, want %q", p, got, want)
		}
	}
	if got := catalog.Doubts([]catalog.Price{{Volume: "gp3", Per: catalog.PerGiB, Region: "here", Currency: "JPY",
		Price: 12}}, known); len(got) > 0 {
		t.Errorf("yen are held against dollars: %v", got)
	}
	for per, want := range map[catalog.Per]int{catalog.PerMillionIO: 1, catalog.PerIOPS: 0} { // gp3 comes with some
		of := catalog.Price{Volume: "aurora", Per: per, Region: "us-east-1", Currency: "USD", Price: 0.2}
		free := of
		free.Price = 0
		if got := catalog.Doubts([]catalog.Price{free}, []catalog.Price{of}); len(got) != want {
			t.Errorf("0 per %s: %v", per, got)
		}
	}
}

// TestRegions: a region belongs to one cloud, even if only a price names it; an unknown one to none.
func TestRegions(t *testing.T) {
	own := []catalog.Price{{Volume: "azure-ultra", Region: "marswest"}}
	for region, want := range map[string]catalog.Cloud{
		"us-east-1": catalog.AWS, "il-central-1": catalog.AWS, "eastus": catalog.Azure, "us-central1": catalog.Google,
		"marswest": catalog.Azure, "us-est-1": "", "": "",
	} {
		if got := catalog.CloudOfRegion(region, own); got != want {
			t.Errorf("%q: %q, want %q", region, got, want)
		}
	}
	prices := catalog.Prices()
	for _, p := range prices {
		if got := catalog.CloudOfRegion(p.Region, nil); got != catalog.CloudOfVolume(p.Volume) {
			t.Errorf("%s of %s is %q's region", p.Region, p.Volume, got)
		}
	}
}

// TestProviders: the name of a machine class shows whose volumes it has.
func TestProviders(t *testing.T) {
	for class, want := range map[string]string{
		"db.r6g.large": "rds", "DB.m5.large": "rds", "db.serverless": "rds", "m7g.16xlarge": "ebs", "c5.metal": "ebs",
		"u-12tb1.112xlarge": "ebs",
		"Standard_D8s_v5":   "azure", "ds14_v2": "azure", "E4-2s_v5": "azure", "n2-standard-8": "google",
		"e2-medium":           "google",
		"c3d-highmem-60-lssd": "google", "n2-custom-4-8192": "google", "serverless": "",
	} {
		if got := catalog.ProviderOf(class); got != want {
			t.Errorf("%s: %q, want %q", class, got, want)
		}
	}
}

// TestAttaches: by Google's table of series and disks N2 takes no Hyperdisk Balanced, N4 nothing else, and C3 both.
func TestAttaches(t *testing.T) {
	for class, want := range map[string][2]bool{"n2-standard-8": {true, false}, "E2-medium": {true, false},
		"n4-standard-8": {false, true}, "c3-standard-8": {true, true}, "": {true, true}} {
		for i, volume := range []string{"google-pd-ssd", "google-hyperdisk-balanced"} {
			if got := catalog.Attaches(class, catalog.Volume{Name: volume, Provider: "google"}); got != want[i] {
				t.Errorf("%s and %s: %v", class, volume, got)
			}
		}
	}
}

// TestAttachesAtAzure: by its pages of sizes Dv3, A_v2, Dav4, Dv2 and F take no premium storage, and the same with an s
// do, like DSv2 and M.
func TestAttachesAtAzure(t *testing.T) {
	for class, want := range map[string]bool{
		"Standard_D8_v3": false, "Standard_A2_v2": false, "standard_d8a_v4": false, "D2d_v4": false,
		"Standard_D11_v2": false, "Standard_F4": false, "Standard_E64i_v3": false,
		"Standard_D8s_v3": true, "Standard_D8as_v4": true, "Standard_E4-2ds_v5": true, "DS14_v2": true,
		"Standard_F4s": true, "Standard_M128": true, "Standard_B2ms": true,
		"Standard_E104ids_v5": true, "e8bs_v5": true,
	} {
		for _, volume := range []string{"azure-premium", "azure-premium-v2", "azure-ultra"} {
			if got := catalog.Attaches(class, catalog.Volume{Name: volume, Provider: "azure"}); got != want {
				t.Errorf("%s and %s: %v", class, volume, got)
			}
		}
	}
	machines := catalog.Instances()
	for _, m := range machines {
		if m.Provider == "azure" &&
			!catalog.Attaches(m.Class, catalog.Volume{Name: "azure-premium", Provider: "azure"}) {
			t.Errorf("%s has limits, and takes no disk", m.Class)
		}
	}
}

// TestOverride: only one list has the price of an item, with all its steps, and all prices are in one currency.
func TestOverride(t *testing.T) {
	price := func(volume, region, currency string, amount float64) catalog.Price {
		return catalog.Price{Volume: volume, Per: catalog.PerGiB, Region: region, Currency: currency, Price: amount}
	}
	iops := catalog.Price{Volume: "gp3", Per: catalog.PerIOPS, Region: "here", Currency: "USD", Price: 6}
	tier := catalog.Price{Volume: "gp3", Per: catalog.PerGiB, From: 1000, Region: "here", Currency: "USD", Price: 7}
	own := []catalog.Price{price("gp3", "here", "USD", 1)}
	known := []catalog.Price{price("gp3", "here", "USD", 2), price("gp3", "there", "USD", 3),
		price("gp2", "here", "USD", 4), price("gp2", "here", "CNY", 5), iops, tier}
	if diff := cmp.Diff([]catalog.Price{own[0], known[1], known[2], iops}, catalog.Override(own, known)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
