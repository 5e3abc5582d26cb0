package browser

import (
	"net/http"
	"net/http/httptest"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// found searches the site as a reader would, and lists the titles found.
const found = `new Promise(done => {
	const box = document.querySelector('[data-md-component=search-query]');
	box.focus();
	box.value = 'full_page_writes';
	box.dispatchEvent(new KeyboardEvent('keyup', {bubbles: true}));
	const look = () => {
		const titles = [...document.querySelectorAll('.md-search-result__article h1, .md-search-result__article h2')].map(e => e.textContent);
		titles.length ? done(titles) : setTimeout(look, 100);
	};
	look();
})`

// TestTheSite: it has no broken link, fits a phone and a laptop, is accessible, requests nothing from other sites,
// can be searched, and has the page of a run.
func TestTheSite(t *testing.T) {
	if testing.Short() {
		t.Skip("mkdocs comes from PyPI")
	}
	b := startBrowser(t)
	directory := t.TempDir()
	if out, err := exec.CommandContext(t.Context(), filepath.Join(root, "scripts", "site"),
		directory).CombinedOutput(); err != nil {
		t.Fatalf("scripts/site: %v: %s", err, out)
	}
	server := httptest.NewServer(http.FileServer(http.Dir(directory)))
	t.Cleanup(server.Close)
	for _, v := range []view{{"phone", 360, "light", "screen", true}, {"laptop-dark", 1280, "dark", "screen", true}} {
		for _, page := range []string{"/", "/realiops/", "/sizing/", "/report.html"} {
			b.look(t, server.URL+page, v)
			faults := slices.Concat(ask(t, b, tooWide), ask(t, b, b.axe+";"+unfit))
			b.lock.Lock()
			for _, heard := range b.heard {
				if !strings.HasPrefix(heard, "request: "+server.URL) && !strings.HasPrefix(heard, "request: data:") {
					faults = append(faults, heard)
				}
			}
			b.lock.Unlock()
			for _, fault := range faults {
				t.Errorf("%s, %s: %s", page, v.name, fault)
			}
		}
	}
	b.look(t, server.URL+"/", views()[2])
	if titles := ask(t, b, found); !slices.ContainsFunc(titles, func(title string) bool {
		return strings.Contains(title, "Every fault that is tried")
	}) {
		t.Errorf("a search finds %q", titles)
	}
}

// look opens a page in a view, and drops earlier messages.
func (b *browser) look(t *testing.T, address string, v view) {
	t.Helper()
	b.lock.Lock()
	b.heard = nil
	b.lock.Unlock()
	if err := chromedp.Do(b.ctx, chromedp.EmulateViewport(v.width, 800), v.emulated(),
		chromedp.Navigate(address)); err != nil {
		t.Fatal(err)
	}
}
