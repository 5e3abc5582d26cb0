package script

import "strings"

func (p *parser) rows(m *metaCommand) error {
	m.command.Kind = KindInsertRows
	if m.name == "copy_rows" {
		m.command.Kind = KindCopyRows
	}
	r := &Rows{}
	m.command.Rows = r
	if err := p.target(m, r); err != nil {
		return err
	}
	e := &exprParser{source: p.source, set: p.set, command: m.name, rows: true}
	if err := e.advance(); err != nil {
		return err
	}
	if err := e.generation(r); err != nil {
		return err
	}
	if m.command.Kind == KindCopyRows {
		if err := e.format(r); err != nil {
			return err
		}
	}
	if e.next.kind != tokenEnd {
		return e.unexpected()
	}
	return nil
}

func (p *parser) target(m *metaCommand, r *Rows) (err error) {
	if r.Table, err = p.sqlName(m, "(", "table name"); err != nil {
		return err
	}
	for p.at(0) != ')' {
		p.skip(1)
		column, err := p.sqlName(m, ",)", "column name")
		if err != nil {
			return err
		}
		r.Columns = append(r.Columns, column)
	}
	p.skip(1)
	return nil
}

// sqlName reads a name as SQL writes it, up to one of the marks, which it leaves.
func (p *parser) sqlName(m *metaCommand, marks, kind string) (string, error) {
	p.skipBlank()
	start := p.pos
	for !p.done() && !isSpace(p.at(0)) && !strings.ContainsRune("(,)", rune(p.at(0))) {
		quoted := p.at(0) == '"'
		if p.skip(1); quoted && !p.skipTo(`"`) {
			return "", p.errorAt(start, m.name, "unterminated quoted identifier")
		}
	}
	name := p.text[start:p.pos]
	if name == "" {
		return "", p.errorAt(p.pos, m.name, "missing %s", kind)
	}
	p.skipBlank()
	if c := p.at(0); c == 0 || !strings.ContainsRune(marks, rune(c)) {
		return "", p.errorAt(p.pos, m.name, "expected %s after %s", strings.Join(strings.Split(marks, ""), " or "), name)
	}
	return name, nil
}

// generation reads: rows COUNT values (item, …).
func (p *exprParser) generation(r *Rows) (err error) {
	if err := p.expectWord("rows"); err != nil {
		return err
	}
	p.rows = false // :row does not exist in the number of rows
	r.Count, err = p.wholeExpr()
	p.rows = true
	if err != nil {
		return err
	}
	if err := p.expectWord("values"); err != nil {
		return err
	}
	at := p.next.at
	if err := p.items(r); err != nil {
		return err
	}
	if len(r.Items) != len(r.Columns) {
		return p.fail(at, "%d columns, but %d values", len(r.Columns), len(r.Items))
	}
	return nil
}

func (p *exprParser) items(r *Rows) error {
	if err := p.expect("("); err != nil {
		return err
	}
	return p.list(func() error {
		item, err := p.item()
		r.Items = append(r.Items, item)
		return err
	})
}

func (p *exprParser) item() (item Item, err error) {
	switch {
	case p.next.kind == tokenText:
		item.Text = &Text{Literal: p.next.text}
		return item, p.advance()
	case p.next.isWord("repeat"):
		item.Text, err = p.repeat()
	case p.next.isWord("random_text"): // random_text(length)
		if err := p.opened(); err != nil {
			return item, err
		}
		item.Text = &Text{}
		return item, p.times(item.Text)
	default:
		item.Expr, err = p.wholeExpr()
	}
	return item, err
}

// repeat reads: repeat('literal', times).
func (p *exprParser) repeat() (*Text, error) {
	if err := p.opened(); err != nil {
		return nil, err
	}
	t := &Text{Literal: p.next.text}
	if p.next.kind != tokenText || t.Literal == "" {
		return nil, p.fail(p.next.at, "repeat needs a non-empty text in single quotes, found %s", p.next)
	}
	if err := p.advance(); err != nil {
		return nil, err
	}
	if err := p.expect(","); err != nil {
		return nil, err
	}
	return t, p.times(t)
}

// opened consumes a word and the parenthesis after it.
func (p *exprParser) opened() error {
	if err := p.advance(); err != nil {
		return err
	}
	return p.expect("(")
}

// times reads the last argument and the closing parenthesis.
func (p *exprParser) times(t *Text) (err error) {
	if t.Times, err = p.wholeExpr(); err != nil {
		return err
	}
	return p.expect(")")
}

// format reads the end of \copy_rows: format text, format binary, or nothing.
func (p *exprParser) format(r *Rows) error {
	if !p.next.isWord("format") {
		return nil
	}
	if err := p.advance(); err != nil {
		return err
	}
	r.Binary = p.next.isWord("binary")
	if !r.Binary && !p.next.isWord("text") {
		return p.fail(p.next.at, "expected text or binary after format, found %s", p.next)
	}
	return p.advance()
}

func (p *exprParser) expectWord(word string) error {
	if !p.next.isWord(word) {
		return p.fail(p.next.at, "expected %q, found %s", word, p.next)
	}
	return p.advance()
}

func (p *exprParser) wholeExpr() (*Expr, error) {
	root, err := p.expr(levelOr)
	if err != nil {
		return nil, err
	}
	return &Expr{root}, nil
}
