package script

import (
	"slices"
	"strconv"
	"strings"
)

type tokenKind uint8

const (
	tokenEnd       tokenKind = iota // of the meta-command
	tokenOperator                   // also parentheses and commas
	tokenWord                       // a function, or a keyword, which is an operator in lower case
	tokenVariable                   // its name, without the colon
	tokenConstant                   // a number
	tokenMinBigint                  // 9223372036854775808, a bigint only after a minus
	tokenText                       // a quoted text, only in generated rows
)

type token struct {
	kind  tokenKind
	text  string
	value Value
	at    int
}

func (t token) is(text string) bool { return t.kind == tokenOperator && t.text == text }

// isWord reports whether the token is that word, in upper or lower case.
func (t token) isWord(word string) bool {
	return t.kind == tokenWord && strings.EqualFold(t.text, word)
}

func (t token) String() string {
	switch t.kind {
	case tokenEnd:
		return "end of command"
	case tokenVariable:
		return strconv.Quote(":" + t.text)
	default:
		return strconv.Quote(t.text)
	}
}

// keywords cannot be function names.
var keywords = []string{
	"and", "or", "not", "is", "isnull", "notnull", "null", "true", "false", "case", "when", "then", "else", "end",
}

// twoByteOperators are tried before operators of one byte.
var twoByteOperators = [...]string{"<>", "!=", "<=", ">=", "<<", ">>"}

const oneByteOperators = "+-*/%=<>|&#~(),"

func (p *exprParser) lexToken() (token, error) {
	p.skipBlank()
	t := token{at: p.pos}
	switch c := p.at(0); {
	case p.done() || c == '\n':
		return t, nil
	case isDigit(c), c == '.' && isDigit(p.at(1)):
		return p.lexNumber(t)
	case isLetter(c):
		p.skipWhile(isNameByte)
		t.kind, t.text = tokenWord, p.text[t.at:p.pos]
		if lower := strings.ToLower(t.text); slices.Contains(keywords, lower) {
			t.kind, t.text = tokenOperator, lower
		}
		return t, nil
	case c == ':' && isNameByte(p.at(1)):
		p.skip(1)
		p.skipWhile(isNameByte)
		t.kind, t.text = tokenVariable, p.text[t.at+1:p.pos]
		return t, nil
	case c == '\'' && p.rows:
		return p.lexText(t)
	}
	return p.lexOperator(t)
}

func (p *exprParser) lexOperator(t token) (token, error) {
	t.kind = tokenOperator
	for _, op := range twoByteOperators {
		if strings.HasPrefix(p.rest(), op) {
			p.skip(2)
			t.text = op
			return t, nil
		}
	}
	t.text = string(rune(p.at(0)))
	if !strings.Contains(oneByteOperators, t.text) {
		return t, p.fail(t.at, "unexpected character %q", t.text)
	}
	p.skip(1)
	return t, nil
}

// lexNumber reads digits, a fraction and an exponent. Digits alone are an integer.
func (p *exprParser) lexNumber(t token) (token, error) {
	p.skipWhile(isDigit)
	integer := p.at(0) != '.'
	if !integer {
		p.skip(1)
		p.skipWhile(isDigit)
	}
	if n := p.exponent(); n > 0 {
		integer = false
		p.skip(n)
		p.skipWhile(isDigit)
	}
	t.text, t.kind = p.text[t.at:p.pos], tokenConstant
	switch {
	case !integer:
		d, err := parseDouble(t.text)
		if err != nil {
			return t, p.fail(t.at, "double constant overflow: %s", t.text)
		}
		t.value = Double(d)
	case t.text == "9223372036854775808":
		t.kind = tokenMinBigint
	default:
		i, err := strconv.ParseInt(t.text, 10, 64)
		if err != nil {
			return t, p.fail(t.at, "bigint constant overflow: %s", t.text)
		}
		t.value = Int(i)
	}
	return t, nil
}

// exponent returns the length of an e and its sign, or 0 if no digit follows.
func (p *exprParser) exponent() int {
	if p.at(0)|0x20 != 'e' {
		return 0
	}
	n := 1
	if p.at(1) == '+' || p.at(1) == '-' {
		n = 2
	}
	if !isDigit(p.at(n)) {
		return 0
	}
	return n
}

// lexText reads a text in single quotes, in which two quotes stand for one.
func (p *exprParser) lexText(t token) (token, error) {
	var b strings.Builder
	t.kind = tokenText
	for p.skip(1); ; p.skip(1) {
		end := strings.IndexAny(p.rest(), "'\n")
		if end < 0 || p.rest()[end] == '\n' {
			return t, p.fail(t.at, "unterminated text")
		}
		b.WriteString(p.rest()[:end])
		p.skip(end + 1)
		if p.at(0) != '\'' {
			t.text = b.String()
			return t, nil
		}
		b.WriteByte('\'')
	}
}
