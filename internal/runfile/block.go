package runfile

import (
	"bytes"
	"errors"
	"io"
	"iter"
	"sync"
)

// blockSize is the number of bytes decoded at a time: large enough to make handing over cheap, and small enough to have
// several in flight. The first block is small, like most files.
const (
	firstBlock = 1 << 16
	blockSize  = 1 << 20
)

// decoders is the number of goroutines that decode blocks; inFlight is the number of blocks waiting before or after
// decoding.
const (
	decoders = 2
	inFlight = 2 * decoders
)

// block is some lines of a file, with the result of decoding them.
type block struct {
	text   []byte // whole lines, except possibly the last of the file
	end    error  // why nothing follows; nil: more does
	items  []item
	values []float64 // of its rows
	done   chan struct{}
}

// item is the result of decoding a line.
type item struct {
	record Record // nil: the line is blank, of an unknown kind, or defective
	err    error
	line   []byte // with an error
	cut    bool   // the line's end is missing
	blanks int    // number of empty lines, instead of the rest
}

// blocks reads text in blocks that end at line ends.
type blocks struct {
	r    io.Reader
	size int    // of the next block
	rest []byte // of the last read: the beginning of a line
	free []*block
}

func (b *blocks) next() *block {
	k := b.room()
	k.text = append(k.text[:0], b.rest...)
	b.rest = b.rest[:0]
	for {
		if cap(k.text)-len(k.text) < cap(k.text)/2 {
			k.text = append(make([]byte, 0, 2*cap(k.text)), k.text...)
		}
		n, err := b.r.Read(k.text[len(k.text):cap(k.text)])
		k.text = k.text[:len(k.text)+n]
		if last := bytes.LastIndexByte(k.text[len(k.text)-n:], '\n'); last >= 0 && err == nil {
			lines := len(k.text) - n + last + 1
			b.rest = append(b.rest, k.text[lines:]...)
			k.text = k.text[:lines]
			return k
		}
		if err == nil && len(k.text) > maxLine {
			err, k.text = errTooLong, k.text[:0]
		}
		if err != nil {
			k.end = err
			// A line without an end counts only if the text itself was cut there.
			if !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
				k.text = k.text[:bytes.LastIndexByte(k.text, '\n')+1]
			}
			return k
		}
	}
}

func (b *blocks) room() *block {
	if n := len(b.free); n > 0 {
		k := b.free[n-1]
		b.free = b.free[:n-1]
		k.end = nil
		return k
	}
	k := &block{text: make([]byte, 0, b.size), done: make(chan struct{}, 1)}
	b.size = blockSize
	return k
}

func (k *block) decode(d *rowDecoder) {
	d.values, k.items = k.values[:0], k.items[:0]
	for rest := k.text; len(rest) > 0; {
		if full := bytes.TrimLeft(rest, "\n"); len(full) < len(rest) {
			k.items = append(k.items, item{blanks: len(rest) - len(full)})
			rest = full
			continue
		}
		line := rest
		if end := bytes.IndexByte(rest, '\n'); end >= 0 {
			line = rest[:end+1]
		}
		rest = rest[len(line):]
		k.items = append(k.items, d.item(line))
	}
	k.values = d.values
	k.done <- struct{}{}
}

func (d *rowDecoder) item(line []byte) item {
	i := item{cut: line[len(line)-1] != '\n'}
	if row, ok := d.decode(line); ok {
		i.record = row
		return i
	}
	if work, ok := decodeWork(line); ok && hasAmounts(line) {
		i.record = work
		return i
	}
	if len(bytes.TrimSpace(line)) == 0 {
		i.blanks = 1
		return i
	}
	if i.record, i.err = decode(line); i.err != nil {
		i.line = line
	}
	return i
}

// decoded yields the decoded blocks of a text in order. A block is valid until the next one. It reads ahead only after
// the first block has been processed, so that other input through a pipe is refused immediately.
func decoded(r io.Reader) iter.Seq[*block] {
	return func(yield func(*block) bool) {
		source, work := &blocks{r: r, size: firstBlock}, make(chan *block, inFlight)
		var workers sync.WaitGroup
		defer workers.Wait()
		defer close(work)
		for range decoders {
			workers.Go(func() {
				d := newRowDecoder()
				for k := range work {
					k.decode(d)
				}
			})
		}
		var queue []*block
		for ahead := 1; ; ahead = inFlight {
			for len(queue) < ahead && (len(queue) == 0 || queue[len(queue)-1].end == nil) {
				k := source.next()
				queue = append(queue, k)
				work <- k
			}
			k := queue[0]
			<-k.done
			if !yield(k) || k.end != nil {
				return
			}
			queue = queue[1:]
			source.free = append(source.free, k)
		}
	}
}
