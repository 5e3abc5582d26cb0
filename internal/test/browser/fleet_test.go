package browser

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/realiops/realiops/internal/analyze/document"
	"github.com/realiops/realiops/internal/test/fleettest"
)

// TestFleetPage: it fits each screen and paper, and is accessible. With a thousand databases it is below 3 MB, sorts
// by a number, and filters by words.
func TestFleetPage(t *testing.T) {
	b := startBrowser(t)
	page := filepath.Join(t.TempDir(), "fleet.html")
	show := func(n int) {
		file, err := os.Create(page)
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(document.HTML(file, fleettest.MadeUp(n).Document(n)), file.Close()); err != nil {
			t.Fatal(err)
		}
	}
	show(20)
	for _, v := range tried() {
		for _, fault := range b.faults(t, page, v) {
			t.Errorf("%s: %s", v.name, fault)
		}
	}
	b.look(t, "file://"+page, views()[1]) // 390 px
	const first = `(() => [...document.querySelectorAll('.filter tr')].flatMap(r => [...r.cells].slice(0, 4)).filter(c => c.getBoundingClientRect().right > innerWidth)
		.map(c => 'not to be seen: ' + c.textContent).concat([...document.querySelectorAll('.filter th')].slice(0, 4).map(h => h.textContent)))()`
	if got, want := ask(t, b, first), []string{"database", "risk", "saves a month", "needs"}; !slices.Equal(got, want) {
		t.Errorf("on a phone are seen first %q, want %q", got, want)
	}
	b.look(t, "file://"+page, views()[3]) // 1440 px
	const scrolls = `(() => { const w = document.querySelector('.filter'); return w.scrollWidth > w.clientWidth ? ['it scrolls'] : []; })()`
	if got := ask(t, b, scrolls); len(got) > 0 {
		t.Errorf("1440 px: %v", got)
	}
	const order = `(() => {
		const table = document.querySelector('.filter table'), heads = [...table.tHead.rows[0].cells], body = table.tBodies[0];
		const names = n => [...body.rows].slice(0, n).map(r => r.cells[0].textContent.slice(-4));
		const by = head => { heads.find(h => h.textContent === head).querySelector('button').click(); return names(3).join(); };
		const first = names(5).join();
		return [first, by('runs out'), by('hours at the limit'), by('risk')];
	})()`
	if got, want := ask(t, b, order), []string{"0011,0006,0013,0015,0010", "0011,0015,0010", "0006,0011,0013",
		"0011,0006,0013"}; !slices.Equal(got, want) {
		t.Errorf("the gravest first, by end, by hours, by risk: %q, want %q", got, want)
	}
	b.look(t, "file://"+page, views()[5]) // print
	const printed = `(() => [document.querySelector('.filter-line').getClientRects().length, getComputedStyle(document.querySelector('.filter table')).breakInside].map(String))()`
	if got, want := ask(t, b, printed), []string{"0", "auto"}; !slices.Equal(got, want) {
		t.Errorf("on paper a field, and a table that is not begun on the first page: %q, want %q", got, want)
	}
	show(1000)
	const most = 3_000_000
	if info, err := os.Stat(page); err != nil || info.Size() > most {
		t.Errorf("%d bytes, %v", info.Size(), err)
	}
	b.look(t, "file://"+page, view{width: 1920, scheme: "light", media: "screen"})
	// Each of ten clicks is finished when the next frame has been shown.
	const sorted = `(async () => {
		const table = document.querySelector('table'), heads = [...table.tHead.rows[0].cells], found = [], took = [];
		const button = heads.find(h => h.textContent === 'needs').querySelector('button');
		for (let i = 0; i < 10; i++) {
			const begin = performance.now();
			button.click();
			found.push(table.tBodies[0].rows[0].cells[0].textContent);
			await new Promise(shown => requestAnimationFrame(() => setTimeout(shown)));
			took.push(performance.now() - begin);
		}
		return [found[0], found[1], took.map(ms => ms.toFixed()).join(' ')];
	})()`
	got := ask(t, b, sorted)
	t.Logf("sorting a thousand lines took %s ms", got[2])
	if want := []string{"customer-0000", "customer-0999"}; !slices.Equal(got[:2], want) {
		t.Errorf("sorted by needs: %v, want %v", got, want)
	}
	// narrower than it was opened
	if err := chromedp.Do(b.ctx, chromedp.EmulateViewport(views()[3].width, 800)); err != nil {
		t.Fatal(err)
	}
	const apart = `(async () => {
		await new Promise(shown => requestAnimationFrame(() => setTimeout(shown)));
		const table = document.querySelector('.grid'), lefts = row => [...row.cells].map(c => c.getBoundingClientRect().left).join();
		const heads = lefts(table.rows[0]), region = table.parentElement;
		return [...table.rows].filter(r => lefts(r) !== heads).map(r => 'not below its head: ' + r.textContent)
			.concat(region.scrollWidth > region.clientWidth ? ['it scrolls'] : []);
	})()`
	if got := ask(t, b, apart); len(got) > 0 {
		t.Errorf("%d lines, as %q", len(got), got[0])
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
