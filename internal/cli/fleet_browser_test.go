package cli

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/realiops/realiops/internal/analyze/document"
	"github.com/realiops/realiops/internal/analyze/fleet"
)

// madeUp are databases with whatever a page may have to show, and a name that would do harm were it taken for markup.
func madeUp(n int) fleet.Fleet {
	ends, monthly := fleetBegin.Add(40*day), 1062.5
	var all []fleet.Database
	for i := range n {
		d := fleet.Database{Name: fmt.Sprintf("customer-%04d", i), Kind: fleet.RDS, Class: "db.r6g.2xlarge", From: fleetBegin, To: fleetBegin.Add(30 * day), Hours: 720, Known: 700,
			Need: &fleet.Need{WorstHour: fleet.Rate{Requests: float64(i * 7), MiBps: float64(i) / 10}},
			Has:  &fleet.Storage{Title: "RDS io1", GiB: 1000, IOPS: 10000, Carries: fleet.Rate{Requests: 10000}, Monthly: &monthly}}
		if d.Risk = (fleet.Risk{Level: fleet.None}); i%5 == 0 {
			d.Risk = fleet.Risk{Level: fleet.Ending, Credits: &fleet.Credits{Ends: &ends, Early: &ends}}
		}
		if i%4 > 0 {
			d.Order = &fleet.Storage{Title: "RDS gp3", GiB: 1000}
			d.Saves = &fleet.Span{Value: float64(i), Lowest: float64(i), Highest: float64(i + 50)}
		}
		for k := range 30 {
			d.Daily = append(d.Daily, float64((k*k*i)%5000))
		}
		all = append(all, d)
	}
	all[7].Name = `<img src=x onerror=alert(1)>`
	return fleet.Ask{}.Rank(all, nil, nil)
}

// TestFleetPage fits each screen and paper, and everybody can read it. A thousand databases are below 3 MB, sort by a number, and are
// picked by words.
func TestFleetPage(t *testing.T) {
	b := startBrowser(t)
	page := filepath.Join(t.TempDir(), "fleet.html")
	show := func(n int) {
		if err := writeTo(page, nil, func(w io.Writer) error { return document.HTML(w, madeUp(n).Document(n)) }); err != nil {
			t.Fatal(err)
		}
	}
	show(20)
	for _, v := range views() {
		for _, fault := range b.faults(t, page, v) {
			t.Errorf("%s: %s", v.name, fault)
		}
	}
	show(1000)
	const most = 3_000_000
	if info, err := os.Stat(page); err != nil || info.Size() > most {
		t.Errorf("%d bytes, %v", info.Size(), err)
	}
	b.look(t, "file://"+page, views()[2])
	const sorted = `(() => {
		const table = document.querySelector('table'), heads = [...table.tHead.rows[0].cells];
		const needs = heads.findIndex(h => h.textContent === 'needs');
		const begin = performance.now();
		heads[needs].querySelector('button').click();
		const up = table.tBodies[0].rows[0].cells[0].textContent;
		heads[needs].querySelector('button').click();
		document.body.offsetHeight;
		return [up, table.tBodies[0].rows[0].cells[0].textContent, String((performance.now() - begin) / 2)];
	})()`
	got := ask(t, b, sorted)
	t.Logf("sorting a thousand lines took %s ms", got[2])
	if want := []string{"customer-0000", "customer-0999"}; !slices.Equal(got[:2], want) {
		t.Errorf("sorted by needs: %v, want %v", got, want)
	}
	const picked = `(() => {
		const field = document.querySelector('input[type=search]');
		field.value = 'customer-09  END';
		field.dispatchEvent(new Event('input'));
		return [document.querySelector('output').textContent.trim(), String([...document.querySelectorAll('tbody tr')].filter(r => !r.hidden).length)];
	})()`
	if got, want := ask(t, b, picked), []string{"20 of 1000", "20"}; !slices.Equal(got, want) {
		t.Errorf("picked by words: %v, want %v", got, want)
	}
}
