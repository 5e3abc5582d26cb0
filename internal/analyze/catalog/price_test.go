package catalog_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/realiops/realiops/internal/analyze/catalog"
)

// TestPricesThatAreNone are refused in one line, with which one and why.
func TestPricesThatAreNone(t *testing.T) {
	check := func(text, want string) {
		t.Helper()
		if _, err := catalog.ReadPrices(strings.NewReader(text)); err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
	row := func(volume, per, currency, price string) string {
		return `{"volume": "` + volume + `", "per": "` + per + `", "region": "here", "currency": "` + currency + `", "price": ` + price + `, "source": "us"}`
	}
	good := row("gp3", "gib", "USD", "0.08")
	check("[]", "there are no prices in it")
	check("["+row("gp3", "gib", "USD", "-1")+"]", "price 1, of gp3 per gib: -1 is no price")
	check("["+row("gp3", "gib", "USD", "1e7")+"]", "price 1, of gp3 per gib: 1e+07 is no price")
	check("["+row("gp3", "tb", "USD", "80")+"]", "price 1, of gp3 per tb: per is one of gib, iops, mibps, tier, million-io and hour")
	check("[\n"+row("gp3", "gib", "USD", `"cheap"`)+"]", "line 2: price is a string, and not what it has to be")
	check("[\n\n"+strings.Replace(good, "volume", "volumn", 1)+"]", `line 3: unknown field "volumn"`)
	check("{}", "line 1: an object where a list of prices has to be")
	check("["+good+"\n"+good+"]", "line 2: this is no JSON: invalid character '{' after array element")
	check("["+good+","+row("gp2", "gib", "EUR", "0.1")+"]", "price 2, of gp2 per gib: it is in EUR, and the first one in USD: they cannot be held against each other")
	check("["+row("gp3", "gib", "", "1")+"]", "price 1, of gp3 per gib: volume, per, region and currency must be there")
}

// TestOverride: a volume of a region is priced from one list alone, and in one currency.
func TestOverride(t *testing.T) {
	price := func(volume, region, currency string, amount float64) catalog.Price {
		return catalog.Price{Volume: volume, Per: catalog.PerGiB, Region: region, Currency: currency, Price: amount}
	}
	azure := []catalog.Price{price("azure-ultra", "westeurope", "USD", 1)} // of Azure there is one region alone
	if diff := cmp.Diff(azure, catalog.Override(azure, []catalog.Price{price("azure-ultra", "eastus", "USD", 2)})); diff != "" {
		t.Errorf("Azure (-want +got):\n%s", diff)
	}
	own := []catalog.Price{price("gp3", "here", "USD", 1)}
	known := []catalog.Price{price("gp3", "here", "USD", 2), price("gp3", "there", "USD", 3), price("gp2", "here", "USD", 4), price("gp2", "here", "CNY", 5)}
	if diff := cmp.Diff([]catalog.Price{own[0], known[1], known[2]}, catalog.Override(own, known)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
