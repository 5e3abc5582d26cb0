package prices

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/realiops/realiops/internal/printable"
)

// Public asks the price lists that providers publish for everybody, without an account.
type Public struct {
	Client   *http.Client
	AWS      string        // where AWS's price files begin
	Azure    string        // Azure's retail prices
	Patience time.Duration // how long one may say nothing; a minute where it is not set
}

// Published returns those lists where their providers have them.
func Published(client *http.Client) Public {
	return Public{Client: client, AWS: "https://pricing.us-east-1.amazonaws.com",
		Azure: "https://prices.azure.com/api/retail/prices"}
}

// OfAWS reads the price files of a region, which are hundreds of megabytes: of each only what an order can be made of
// is kept.
func (p Public) OfAWS(ctx context.Context, region string) (List, error) {
	var l List
	for _, service := range []string{"AmazonEC2", "AmazonRDS"} {
		url := p.AWS + "/offers/v1.0/aws/" + service + "/current/" + region + "/index.json"
		if err := p.get(ctx, url, func(body io.Reader) error { return l.readOffers(body, region) }); err != nil {
			return List{}, fmt.Errorf("read the prices of %s in %s: %w", service, region, err)
		}
	}
	l.sortOut()
	if len(l.Prices) == 0 {
		return List{}, fmt.Errorf("the price files have nothing of the region %s", region)
	}
	return l, nil
}

// get reads an answer, of any length, and gives up where nothing comes any more.
func (p Public) get(ctx context.Context, url string, read func(io.Reader) error) error {
	patience := cmp.Or(p.Patience, time.Minute)
	ctx, quiet := context.WithCancelCause(ctx)
	defer quiet(nil)
	alarm := time.AfterFunc(patience, func() {
		quiet(fmt.Errorf("nothing comes for %s: is there a way to the internet?", printable.Duration(patience)))
	})
	defer alarm.Stop()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, http.NoBody)
	if err != nil {
		return err
	}
	response, err := p.Client.Do(request)
	if err != nil {
		return cmp.Or(context.Cause(ctx), err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("%s answers %s", request.URL.Host, response.Status)
	}
	err = read(&progressReader{response.Body, func() { alarm.Reset(patience) }})
	return cmp.Or(context.Cause(ctx), err)
}

// progressReader calls tell for each part that it reads.
type progressReader struct {
	io.Reader
	tell func()
}

func (h *progressReader) Read(p []byte) (int, error) {
	n, err := h.Reader.Read(p)
	h.tell()
	return n, err
}

const (
	// mostAhead bounds what is held of a price file: one product of it, or one of its terms.
	mostAhead = 16 << 20
	// mostProducts bounds what is kept of it. A region has some thousands.
	mostProducts = 100_000
	// mostPages bounds lists that come in pages of a hundred.
	mostPages = 1000
)

var (
	errTooLong      = fmt.Errorf("this is not a price file: a value in it is longer than %d MiB", mostAhead>>20)
	errTooManyPages = fmt.Errorf("it has more than %d pages: does the list answer there, or something in between?",
		mostPages)
)

// readAhead fails where more is read than is used, as of a value without an end.
type readAhead struct {
	io.Reader
	used func() int64
	read int64
}

func (r *readAhead) Read(p []byte) (int, error) {
	if r.read-r.used() > mostAhead {
		return 0, errTooLong
	}
	n, err := r.Reader.Read(p)
	r.read += int64(n)
	return n, err
}

// offers is a price file as it is read: products by their number first, then their terms.
type offers struct {
	code, published string
	products        map[string]product
}

// readOffers reads a price file from its beginning to the end of the terms on demand.
func (l *List) readOffers(body io.Reader, region string) error {
	ahead := &readAhead{Reader: body}
	d := json.NewDecoder(ahead)
	ahead.used = d.InputOffset
	file := offers{products: map[string]product{}}
	return fields(d, func(name string) error {
		switch name {
		case "offerCode":
			return d.Decode(&file.code)
		case "publicationDate":
			return d.Decode(&file.published)
		case "products":
			return fields(d, func(sku string) error { return file.keep(d, sku) })
		case "terms":
			return l.readTerms(d, file, region)
		}
		return skip(d)
	})
}

// keep takes a product if an order can be made of it.
func (f *offers) keep(d *json.Decoder, sku string) error {
	var p product
	if err := d.Decode(&p.Product); err != nil {
		return err
	}
	_, _, known := p.Product.Attributes.means()
	if p.Service, p.Published = f.code, f.published; known {
		f.products[sku] = p
	}
	if len(f.products) > mostProducts {
		return fmt.Errorf("there are more than %d products that an order could be made of", mostProducts)
	}
	return nil
}

// readTerms makes prices of the terms on demand. Reservations are left alone.
func (l *List) readTerms(d *json.Decoder, file offers, region string) error {
	return fields(d, func(kind string) error {
		if kind != "OnDemand" {
			return skip(d)
		}
		return fields(d, func(sku string) error {
			p, wanted := file.products[sku]
			if !wanted {
				return skip(d)
			}
			if err := d.Decode(&p.Terms.OnDemand); err != nil {
				return err
			}
			found, err := p.prices(region)
			if err != nil {
				l.Unread = append(l.Unread, err.Error())
			}
			l.Prices = append(l.Prices, found...)
			return nil
		})
	})
}

// fields goes through an object, one name after the other; each reads its value.
func fields(d *json.Decoder, read func(name string) error) error {
	if opened, err := d.Token(); err != nil || opened != json.Delim('{') {
		return errors.Join(errors.New("this is no price file"), err)
	}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return err
		}
		if err := read(fmt.Sprint(name)); err != nil {
			return err
		}
	}
	_, err := d.Token()
	return err
}

// skip leaves a value out, part by part: some are hundreds of megabytes long.
func skip(d *json.Decoder) error {
	for depth := 0; ; {
		part, err := d.Token()
		if err != nil {
			return err
		}
		switch part {
		case json.Delim('{'), json.Delim('['):
			depth++
		case json.Delim('}'), json.Delim(']'):
			depth--
		}
		if depth == 0 {
			return nil
		}
	}
}
