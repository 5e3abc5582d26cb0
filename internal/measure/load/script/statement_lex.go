package script

import "strings"

// sqlScanner splits the SQL between meta-commands into statements, as psql and pgbench do: at semicolons outside
// quotes, comments, parentheses and function bodies, and at backslashes.
type sqlScanner struct {
	*source
	out    strings.Builder // the statement so far, with \; and \: unescaped
	from   int             // text from here on is not in out yet
	parens int
	body   functionBody
}

type ending int

const (
	endOfText ending = iota
	atSemicolon
	atBackslash
)

type sqlText struct {
	text  string // including the semicolon, excluding a meta-command's backslash
	start int
	end   ending
}

// statement reads the next statement, or an empty one before a meta-command or the end.
func (s *sqlScanner) statement() (sqlText, error) {
	s.skipWhite()
	s.out.Reset()
	s.from = s.pos
	found := sqlText{start: s.pos}
	for !s.done() {
		end, err := s.step()
		if err != nil {
			return found, err
		}
		if end != endOfText {
			found.text, found.end = s.take(), end
			return found, nil
		}
	}
	if s.parens > 0 {
		return found, s.errorAt(found.start, "", "unclosed parenthesis in this statement")
	}
	found.text = s.take()
	return found, nil
}

// step consumes one token and reports how it ends the statement.
func (s *sqlScanner) step() (ending, error) {
	switch c := s.at(0); {
	case c == ';':
		s.skip(1)
		if s.parens == 0 && s.body.depth == 0 {
			s.body = functionBody{}
			return atSemicolon, nil
		}
		return endOfText, nil
	case c == '\\' && s.at(1) != ';' && s.at(1) != ':':
		return atBackslash, nil
	case c == '\\': // \; and \: stand for the character alone
		s.take()
		s.from = s.pos + 1
		if s.at(1) == ';' {
			s.body = functionBody{}
		}
		s.skip(2)
		return endOfText, nil
	default:
		return endOfText, s.token(c)
	}
}

func (s *sqlScanner) take() string {
	s.out.WriteString(s.text[s.from:s.pos])
	return s.out.String()
}

// token consumes one token, or one byte of an ordinary one.
func (s *sqlScanner) token(c byte) error {
	switch {
	case c == '\'':
		return s.quoted(false)
	case c == '"':
		s.skip(1)
		return s.closed(s.pos-1, `"`, "quoted identifier")
	case c == '$':
		return s.dollar()
	case isLetter(c):
		return s.identifier()
	case strings.HasPrefix(s.rest(), "--"):
		s.skipWhile(func(c byte) bool { return c != '\n' && c != '\r' })
	case strings.HasPrefix(s.rest(), "/*"):
		return s.comment()
	default:
		if c == '(' {
			s.parens++
		} else if c == ')' && s.parens > 0 {
			s.parens--
		}
		s.skip(1)
	}
	return nil
}

// closed moves past the closing mark. A doubled quote closes and opens again, which is equivalent.
func (s *sqlScanner) closed(start int, mark, kind string) error {
	if !s.skipTo(mark) {
		return s.unterminated(start, kind)
	}
	return nil
}

func (s *sqlScanner) unterminated(start int, kind string) error {
	return s.errorAt(start, "", "unterminated %s", kind)
}

// quoted moves past a string and its continuations on later lines. With escapes, a backslash escapes the next byte.
func (s *sqlScanner) quoted(escapes bool) error {
	for start := s.pos; ; {
		s.skip(1)
		if !escapes {
			return s.closed(start, "'", "quoted string")
		}
		if !s.escaped() {
			return s.unterminated(start, "quoted string")
		}
		if !s.continues() {
			return nil
		}
	}
}

// escaped moves past the closing quote of an E string, if there is one.
func (s *sqlScanner) escaped() bool {
	for !s.done() {
		switch s.at(0) {
		case '\\':
			s.skip(2)
		case '\'':
			s.skip(1)
			return true
		default:
			s.skip(1)
		}
	}
	return false
}

// continues reports whether an E string continues, and moves to its next quote: immediately, or after a newline.
func (s *sqlScanner) continues() bool {
	if s.at(0) == '\'' {
		return true
	}
	ahead := source{text: s.text, pos: s.pos}
	ahead.skipWhite()
	if ahead.at(0) != '\'' || !strings.ContainsAny(s.text[s.pos:ahead.pos], "\n\r") {
		return false
	}
	s.pos = ahead.pos
	return true
}

// skipWhite moves past white space and -- comments.
func (s *source) skipWhite() {
	for {
		s.skipWhile(isSpace)
		if !strings.HasPrefix(s.rest(), "--") {
			return
		}
		s.skipWhile(func(c byte) bool { return c != '\n' && c != '\r' })
	}
}

// dollar moves past a dollar-quoted string, a parameter like $1, or a lone dollar sign.
func (s *sqlScanner) dollar() error {
	start := s.pos
	s.skip(1)
	if isDigit(s.at(0)) {
		s.skipWhile(isDigit)
		return nil
	}
	s.skipWhile(isNameByte)
	if s.at(0) != '$' {
		s.pos = start + 1
		return nil
	}
	s.skip(1)
	return s.closed(start, s.text[start:s.pos], "dollar-quoted string")
}

// identifier moves past a word, and for the E of E'…' past its string.
func (s *sqlScanner) identifier() error {
	start := s.pos
	s.skipWhile(func(c byte) bool { return isNameByte(c) || c == '$' }) // SQL allows a dollar sign
	word := s.text[start:s.pos]
	if s.at(0) == '\'' && strings.EqualFold(word, "e") {
		return s.quoted(true)
	}
	if s.parens == 0 {
		s.body.word(word)
	} else {
		s.body.count(word)
	}
	return nil
}

// comment moves past a /* comment, which may be nested.
func (s *sqlScanner) comment() error {
	depth, start := 0, s.pos
	for !s.done() {
		switch {
		case strings.HasPrefix(s.rest(), "/*"):
			depth++
			s.skip(2)
		case strings.HasPrefix(s.rest(), "*/"):
			depth--
			s.skip(2)
		default:
			s.skip(1)
		}
		if depth == 0 {
			return nil
		}
	}
	return s.unterminated(start, "comment")
}

// functionBody detects CREATE [OR REPLACE] FUNCTION or PROCEDURE … BEGIN ATOMIC … END, in
// which semicolons end no statement.
type functionBody struct {
	words int
	head  [4]string // the first relevant words
	depth int       // of BEGIN and CASE without END
}

// count records one of the first words of a statement.
func (b *functionBody) count(word string) {
	if b.words < len(b.head) {
		b.head[b.words] = strings.ToLower(word)
	}
	b.words++
}

// word records a word outside parentheses.
func (b *functionBody) word(word string) {
	b.count(word)
	if !b.definesFunction() {
		return
	}
	switch lower := strings.ToLower(word); {
	case lower == "begin", lower == "case" && b.depth > 0:
		b.depth++
	case lower == "end" && b.depth > 0:
		b.depth--
	}
}

func (b *functionBody) definesFunction() bool {
	head := b.head[1:]
	if head[0] == "or" && head[1] == "replace" {
		head = head[2:]
	}
	return b.head[0] == "create" && (head[0] == "function" || head[0] == "procedure")
}
