package browser

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	browserlog "github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// view is a way to look at a page.
type view struct {
	name   string
	width  int64
	scheme string // light or dark
	media  string // screen or print
	axe    bool   // also run axe-core, which is slow: once in light mode, once in dark mode
}

// views are a phone, a laptop and paper; 718 is an A4 sheet between its margins, in CSS pixels.
func views() []view {
	return []view{
		{"phone-360", 360, "light", "screen", true}, {"phone-390-dark", 390, "dark", "screen", false},
		{"laptop", 1280, "light", "screen", false}, {"screen-1440", 1440, "light", "screen", false},
		{"laptop-dark", 1280, "dark", "screen", true},
		{"print", 718, "light", "print", false}, {"print-dark", 718, "dark", "print", false},
	}
}

// thorough reports whether to try every page in every view, as scripts/test-pages asks for.
func thorough() bool { return os.Getenv("REALIOPS_TEST_VIEWS") == "all" }

// tried returns the views to try: a light phone, a dark laptop, and paper, or all.
func tried() []view {
	if thorough() {
		return views()
	}
	return []view{views()[0], views()[4], views()[5]}
}

// tooWide lists elements wider than the page, except scrollable ones on a screen.
const tooWide = `(() => {
	const scrolls = e => e && (matchMedia('screen').matches && ['auto', 'scroll'].includes(getComputedStyle(e).overflowX) || scrolls(e.parentElement));
	const found = [...document.body.querySelectorAll('*')].filter(e => !e.closest('svg') || e.tagName === 'svg')
		.filter(e => e.getBoundingClientRect().right > innerWidth + 1 && !scrolls(e))
		.map(e => 'too wide: ' + e.tagName.toLowerCase() + ' ' + e.textContent.slice(0, 40));
	if (document.documentElement.scrollWidth > innerWidth) found.push('too wide: the page, ' + document.documentElement.scrollWidth);
	return found;
})()`

// unfit lists axe-core's violations of the W3C's accessibility rules.
const unfit = `axe.run({runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'best-practice'], resultTypes: ['violations']}).then(result =>
	result.violations.flatMap(v => v.nodes.map(n => 'unfit: ' + v.id + ' ' + n.target.join(' ') + ': ' + n.failureSummary)))`

// unseen lists pictures without a text, and text in them with a contrast below 4.5 to 1, the W3C's level AA, or on
// its own background: axe-core does not look into pictures.
const unseen = `(() => {
	const luminance = c => c.match(/[\d.]+/g).slice(0, 3).map(v => v / 255).map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
		.reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
	const contrast = (a, b) => (Math.max(luminance(a), luminance(b)) + 0.05) / (Math.min(luminance(a), luminance(b)) + 0.05);
	const ground = getComputedStyle(document.body).backgroundColor;
	return [...document.querySelectorAll('svg')].flatMap(s => {
		const found = [], whole = s.getBoundingClientRect();
		if (!s.querySelector(':scope > title')?.textContent || !s.querySelector(':scope > desc')?.textContent) found.push('unseen: a picture without a text');
		for (const t of s.querySelectorAll('text')) {
			const fill = getComputedStyle(t).fill;
			if (contrast(fill, ground) < 4.5) found.push('unseen: ' + t.textContent + ' in ' + fill + ' on ' + ground);
		}
		for (const e of s.querySelectorAll('path, rect, polygon')) {
			const box = e.getBoundingClientRect(), fill = getComputedStyle(e).fill;
			if (box.width > 0.95 * whole.width && box.height > 0.95 * whole.height && fill.startsWith('rgb(')) found.push('unseen: a ground of ' + fill);
		}
		return found;
	});
})()`

// unfold opens all folded parts, so that they are checked, too.
const unfold = `(() => { document.querySelectorAll('details').forEach(d => { d.open = true; }); return []; })()`

// faint lists bars and points of pictures with a contrast below 3 to 1, the W3C's limit for graphics.
const faint = `(() => {
	const luminance = c => c.match(/[\d.]+/g).slice(0, 3).map(v => v / 255).map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
		.reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
	const ground = luminance(getComputedStyle(document.body).backgroundColor);
	const fills = [...document.querySelectorAll('svg path')].map(e => getComputedStyle(e).fill).filter(f => /^rgb\(/.test(f));
	return [...new Set(fills)].filter(f => (Math.max(luminance(f), ground) + 0.05) / (Math.min(luminance(f), ground) + 0.05) < 3).map(f => 'faint: ' + f);
})()`

// harmed lists elements that a name in a run file would create if it were taken for markup.
const harmed = `[...document.querySelectorAll('script:not(#sort), img, iframe, link, object')].map(e => 'harmed: ' + e.outerHTML)
	.concat(document.title.startsWith('realiops: ') ? [] : ['harmed: the title is ' + document.title])`

// browser shows pages and records their messages and requests.
type browser struct {
	ctx context.Context
	axe string

	lock  sync.Mutex
	heard []string
}

func startBrowser(t *testing.T) *browser {
	t.Helper()
	var path string
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "chrome"} {
		if found, err := exec.LookPath(name); err == nil && path == "" {
			path = found
		}
	}
	if path == "" {
		t.Skip("no Chromium is installed")
	}
	axe, err := os.ReadFile(filepath.Join(checkers(t), "axe.min.js"))
	if err != nil {
		t.Fatal(err)
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.NoSandbox,
		chromedp.DisableGPU, chromedp.Flag("disable-component-update", true),
		chromedp.Flag("host-resolver-rules", "MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"))
	ctx, stopWaiting := context.WithTimeout(t.Context(), 5*time.Minute)
	ctx, stopBrowser := chromedp.NewExecAllocator(ctx, options...)
	ctx, closePage := chromedp.NewContext(ctx)
	t.Cleanup(func() { closePage(); stopBrowser(); stopWaiting() })
	b := &browser{ctx: ctx, axe: string(axe)}
	if err := chromedp.Listen(ctx, b.listen); err != nil {
		t.Fatal(err)
	}
	if err := chromedp.Do(ctx, enable(network.Enable, network.EnableParams{}), enable(browserlog.Enable, cdp.Empty{}),
		enable(runtime.Enable, cdp.Empty{})); err != nil {
		t.Fatal(err)
	}
	return b
}

func enable[P, R any](command cdp.Command[P, R], with P) chromedp.Action[chromedp.Void] {
	return chromedp.Func(func(ctx context.Context, on *chromedp.Target) error {
		_, err := cdp.Call(ctx, on, command, with)
		return err
	})
}

// listen records requests, except for the page itself, and console messages.
func (b *browser) listen(event any) {
	b.lock.Lock()
	defer b.lock.Unlock()
	switch e := event.(type) {
	case *network.EventRequestWillBeSent:
		if !strings.HasSuffix(e.Request.URL, ".html") {
			b.heard = append(b.heard, "request: "+e.Request.URL)
		}
	case *browserlog.EventEntryAdded:
		b.heard = append(b.heard, "console: "+e.Entry.Text)
	case *runtime.EventConsoleAPICalled:
		b.heard = append(b.heard, "console: "+string(e.Type))
	case *runtime.EventExceptionThrown:
		b.heard = append(b.heard, "console: "+e.ExceptionDetails.Text)
	}
}

// emulated makes the browser show pages in this view.
func (v view) emulated() chromedp.Action[chromedp.Void] {
	scheme := []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: v.scheme}}
	return enable(emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Media: v.media, Features: scheme})
}

// faults returns the faults of a page in a view.
func (b *browser) faults(t *testing.T, page string, v view) []string {
	t.Helper()
	b.look(t, "file://"+page, v)
	ask(t, b, unfold)
	found := ask(t, b, harmed)
	found = slices.Concat(found, ask(t, b, tooWide), ask(t, b, unseen), ask(t, b, faint))
	if v.axe {
		found = append(found, ask(t, b, b.axe+";"+unfit)...)
	}
	b.photograph(t, page, v)
	b.lock.Lock()
	defer b.lock.Unlock()
	return append(found, b.heard...)
}

// ask evaluates a script that returns a list of strings.
func ask(t *testing.T, b *browser, question string) []string {
	t.Helper()
	answer, err := chromedp.Run(b.ctx, chromedp.Evaluate[[]string](question, chromedp.EvalAwaitPromise))
	if err != nil {
		t.Fatal(err)
	}
	return answer
}

// photograph saves a picture of the page if go test keeps artifacts.
func (b *browser) photograph(t *testing.T, page string, v view) {
	t.Helper()
	if keep := flag.Lookup("test.artifacts"); keep == nil || keep.Value.String() != "true" {
		return
	}
	picture, err := chromedp.Run(b.ctx, chromedp.FullScreenshot(100))
	if err == nil {
		name := strings.TrimSuffix(filepath.Base(page), ".html") + "-" + v.name + ".png"
		err = os.WriteFile(filepath.Join(t.ArtifactDir(), name), picture, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// TestPagesInABrowser: in all views, nothing is wider than the page, nothing is requested from a network, nothing
// fails, and the page is accessible.
func TestPagesInABrowser(t *testing.T) {
	b := startBrowser(t)
	for _, page := range pagesOf(t) {
		name := filepath.Base(page)
		if name == "local-pg15.html" || name == "local-pg17.html" || name == "baseline.html" {
			continue // like local-pg18 and baseline-throttled
		}
		if !thorough() && !slices.Contains([]string{"local-pg18.html", "evil.html", "baseline-throttled.html",
			"observed-pg17.html"}, name) {
			continue
		}
		for _, v := range tried() {
			for _, fault := range b.faults(t, page, v) {
				t.Errorf("%s, %s: %s", name, v.name, fault)
			}
		}
	}
}

// outOfSight lists the parts of the answer, and of the list of counters of disk operations, that need scrolling.
const outOfSight = `[...document.querySelectorAll('main > .tiles, main > .headline, main > dl')].slice(0, 2)
	.filter(e => { const box = e.getBoundingClientRect(); return box.bottom > innerHeight || box.right > innerWidth || box.height === 0; })
	.map(e => 'out of sight: ' + e.textContent.slice(0, 60))
	.concat(document.querySelector('main > dl') ? [] : ['there is no list'])
	.concat(document.querySelector('details[open]') ? ['something is unfolded'] : [])`

// deviceOutOfSight lists the parts of the first two columns with the device's numbers that a phone does not show.
const deviceOutOfSight = `[...document.querySelectorAll('table')].slice(0, 1).flatMap(t => [...t.tHead.rows[0].cells].filter(h => /requests/.test(h.textContent)))
	.filter(h => h.getBoundingClientRect().right > innerWidth).map(h => 'out of sight: ' + h.textContent)`

// TestTheAnswerIsInSight: on a phone and on a screen the factor and the list below it need no scrolling, on a phone
// the device's column is visible, and the printed page has at most four pages.
func TestTheAnswerIsInSight(t *testing.T) {
	b := startBrowser(t)
	const mostSheets = 4
	for _, page := range pagesOf(t) {
		name := filepath.Base(page)
		if strings.HasPrefix(name, "baseline") {
			continue // it has no metrics
		}
		for _, v := range []view{{name: "phone", width: 390, scheme: "light", media: "screen"},
			{name: "screen", width: 1440, scheme: "dark", media: "screen"}} {
			b.look(t, "file://"+page, v)
			if name == "evil.html" {
				continue // its name fills the screen
			}
			for _, fault := range append(ask(t, b, outOfSight), ask(t, b, deviceOutOfSight)...) {
				t.Errorf("%s, %s: %s", name, v.name, fault)
			}
		}
		if err := chromedp.Do(b.ctx, view{scheme: "light"}.emulated()); err != nil {
			t.Fatal(err)
		}
		paper, err := chromedp.Run(b.ctx, chromedp.PrintToPDF())
		if err != nil {
			t.Fatal(err)
		}
		if sheets := len(regexp.MustCompile(`/Type\s*/Page\b`).FindAll(paper, -1)); sheets == 0 || sheets > mostSheets {
			t.Errorf("%s: %d sheets of paper", name, sheets)
		}
	}
}

// TestContentsLead: each link leads to its section, and opens a folded one.
func TestContentsLead(t *testing.T) {
	b := startBrowser(t)
	page := filepath.Join(t.TempDir(), "page.html")
	realiops(t, "report", filepath.Join(shippedRuns, "loads-pg17.jsonl"), "-o", page)
	b.look(t, "file://"+page, views()[2])
	const led = `(() => {
		const links = [...document.querySelectorAll('nav a')];
		const lost = links.filter(a => { a.click(); const e = document.querySelector(a.hash); return !e || e.closest('details:not([open])') || !e.parentElement.textContent.includes(a.textContent); });
		return lost.map(a => 'leads nowhere: ' + a.textContent).concat(links.length < 5 ? ['few contents'] : []);
	})()`
	for _, fault := range ask(t, b, led) {
		t.Error(fault)
	}
}

// TestTablesSort: a click on a head sorts by its numbers, a second one reverses the order, and
// continuation lines stay below theirs.
func TestTablesSort(t *testing.T) {
	b := startBrowser(t)
	page := filepath.Join(t.TempDir(), "page.html")
	realiops(t, "report", filepath.Join(shippedRuns, "loads-pg17.jsonl"), "-o", page)
	if faults := b.faults(t, page, views()[2]); len(faults) > 0 {
		t.Fatal(faults)
	}
	const sorted = `(() => {
		const table = document.querySelector('table'), heads = [...table.tHead.rows[0].cells];
		const rows = heads.findIndex(h => h.textContent === 'rows');
		heads[rows].querySelector('button').click();
		const loads = [heads[rows].ariaSort, ...[...table.tBodies[0].rows].map(r => r.cells[0].textContent)];
		heads[rows].querySelector('button').click();
		return [...loads, heads[rows].ariaSort, table.tBodies[0].rows[0].cells[0].textContent];
	})()`
	// By the rows per second of the README's table.
	want := []string{"ascending", "single", "multi", "async", "wide", "bulk-indexed", "copy-indexed", "copy", "bulk",
		"descending", "bulk"}
	if got := ask(t, b, sorted); !slices.Equal(got, want) {
		t.Errorf("sorted by rows, the loads are %v, want %v", got, want)
	}
	const together = `(() => {
		const table = [...document.querySelectorAll('table')].find(t => t.querySelector('tr.more'));
		const pairs = () => [...table.querySelectorAll('tr.more')].map(r => r.previousElementSibling.textContent + r.textContent).sort();
		const before = pairs();
		table.tHead.rows[0].cells[1].querySelector('button').click();
		return before.join() === pairs().join() ? [] : ['a line has left the one that it goes on with'];
	})()`
	for _, fault := range ask(t, b, together) {
		t.Error(fault)
	}
}

// TestBrowserFindsFaults: of every kind that TestPagesInABrowser looks for.
func TestBrowserFindsFaults(t *testing.T) {
	b := startBrowser(t)
	page := filepath.Join(t.TempDir(), "page.html")
	realiops(t, "report", filepath.Join(shippedRuns, "published-aurora.jsonl"), "-o", page)
	for more, want := range map[string]string{
		`<img src="http://127.0.0.1:9/x.png" alt="a picture">`:                                                      "console: Loading the image 'http://127.0.0.1:9/x.png' violates",
		`<script>console.error("wrong")</script>`:                                                                   "console: Executing inline script violates",
		`<div style="width: 2000px">wide</div>`:                                                                     "too wide: the page",
		`<p style="color: #777; background: #888">dim</p>`:                                                          "unfit: color-contrast",
		`<svg role="img" viewBox="0 0 9 9"></svg>`:                                                                  "unseen: a picture without a text",
		`<svg role="img" viewBox="0 0 9 9"><title>a</title><desc>b</desc><text fill="#aaa">dim</text></svg>`:        "unseen: dim in rgb(170, 170, 170)",
		`<svg role="img" viewBox="0 0 9 9"><title>a</title><desc>b</desc><path fill="#fff" d="M0 0H9V9H0Z"/></svg>`: "unseen: a ground of rgb(255, 255, 255)",
	} {
		found := b.faults(t, spoil(t, page, more), views()[0])
		if !slices.ContainsFunc(found, func(f string) bool { return strings.HasPrefix(f, want) }) {
			t.Errorf("%s: %s; want %q", more, fmt.Sprint(found), want)
		}
	}
}
