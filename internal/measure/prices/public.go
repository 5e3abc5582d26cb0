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

// Public reads the price lists that providers publish without an account.
type Public struct {
	Client   *http.Client
	AWS      string        // base URL of AWS's price files
	Azure    string        // URL of Azure's retail prices
	Patience time.Duration // how long a list may send nothing; 0: a minute
}

// Published returns the providers' lists at their usual addresses.
func Published(client *http.Client) Public {
	return Public{Client: client, AWS: "https://pricing.us-east-1.amazonaws.com",
		Azure: "https://prices.azure.com/api/retail/prices"}
}

// OfAWS reads the price files of a region. They have hundreds of megabytes; only relevant products are kept.
func (p Public) OfAWS(ctx context.Context, region string) (l List, err error) {
	for _, service := range []string{"AmazonEC2", "AmazonRDS"} {
		url := p.AWS + "/offers/v1.0/aws/" + service + "/current/" + region + "/index.json"
		if err := p.get(ctx, url, func(body io.Reader) error { return l.readOffers(body, region) }); err != nil {
			return List{}, fmt.Errorf("read the prices of %s in %s: %w", service, region, err)
		}
	}
	l.sortOut()
	if len(l.Prices) == 0 {
		return List{}, fmt.Errorf("the price files do not have the region %s", region)
	}
	return l, nil
}

// get reads an answer of any length, and gives up when no more data comes.
func (p Public) get(ctx context.Context, url string, read func(io.Reader) error) error {
	patience := cmp.Or(p.Patience, time.Minute)
	ctx, quiet := context.WithCancelCause(ctx)
	defer quiet(nil)
	alarm := time.AfterFunc(patience, func() {
		quiet(fmt.Errorf("no data for %s; check the internet connection", printable.Duration(patience)))
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
		return fmt.Errorf("%s returned %s", request.URL.Host, response.Status)
	}
	err = read(&progressReader{response.Body, func() { alarm.Reset(patience) }})
	return cmp.Or(context.Cause(ctx), err)
}

// progressReader calls tell after each read.
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
	// mostAhead bounds the part of a price file in memory: one product, or one of its terms.
	mostAhead = 16 << 20
	// mostProducts bounds the products kept. A region has some thousands.
	mostProducts = 100_000
	// mostPages bounds lists in pages of a hundred.
	mostPages = 1000
)

var (
	errTooLong      = fmt.Errorf("this is not a price file: a value is longer than %d MiB", mostAhead>>20)
	errTooManyPages = fmt.Errorf("more than %d pages; is a proxy answering instead of AWS?", mostPages)
)

// readAhead fails if much more is read than used, as for an endless value.
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

// offers is a price file being read: products by SKU first, then their terms.
type offers struct {
	code, published string
	products        map[string]product
}

// readOffers reads a price file up to the end of the on-demand terms.
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

// keep keeps a product if it is relevant to an order.
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
		return fmt.Errorf("more than %d products for an order", mostProducts)
	}
	return nil
}

// readTerms makes prices of the on-demand terms. It skips reservations.
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

// fields calls read for each name of an object; read must read its value.
func fields(d *json.Decoder, read func(name string) error) error {
	if opened, err := d.Token(); err != nil || opened != json.Delim('{') {
		return errors.Join(errors.New("this is not a price file"), err)
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

// skip skips a value, part by part: some have hundreds of megabytes.
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
