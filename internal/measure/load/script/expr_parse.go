package script

import (
	"math"
	"strings"
)

// exprParser reads expressions by precedence climbing, with one token of lookahead.
//
// The levels, loosest first, are pgbench's, which differ from SQL's: all bit operators share one level, and
// ~ binds as loosely as they do.
type exprParser struct {
	*source
	set     *Set
	command string // the meta-command, for errors
	rows    bool   // in generated rows: texts are allowed, and :row is the row
	next    token
	depth   int
}

type level int

const (
	levelNone level = iota
	levelOr
	levelAnd
	levelNot
	levelIs
	levelCompare
	levelBits
	levelSum
	levelProduct
	levelSign
)

func levelOf(operator string) level {
	switch operator {
	case "or":
		return levelOr
	case "and":
		return levelAnd
	case "is", "isnull", "notnull":
		return levelIs
	case "<", ">", "=", "<=", ">=", "<>", "!=":
		return levelCompare
	case "|", "#", "&", "<<", ">>":
		return levelBits
	case "+", "-":
		return levelSum
	case "*", "/", "%":
		return levelProduct
	default:
		return levelNone
	}
}

// maxDepth bounds the nesting, so that no script overflows the stack.
const maxDepth = 1000

func (p *exprParser) fail(at int, format string, args ...any) error {
	return p.errorAt(at, p.command, format, args...)
}

func (p *exprParser) unexpected() error { return p.fail(p.next.at, "unexpected %s", p.next) }

func (p *exprParser) advance() (err error) {
	p.next, err = p.lexToken()
	return err
}

// expect consumes an operator that must be there.
func (p *exprParser) expect(operator string) error {
	if !p.next.is(operator) {
		return p.fail(p.next.at, "expected %q, found %s", operator, p.next)
	}
	return p.advance()
}

// accept consumes an operator if it is there.
func (p *exprParser) accept(operator string) (bool, error) {
	if !p.next.is(operator) {
		return false, nil
	}
	return true, p.advance()
}

// expr reads an expression of operators that bind at least as tightly as lowest.
func (p *exprParser) expr(lowest level) (node, error) {
	if p.depth++; p.depth > maxDepth {
		return nil, p.fail(p.next.at, "expression is nested more than %d deep", maxDepth)
	}
	defer func() { p.depth-- }()
	left, err := p.operand()
	for err == nil && p.next.kind == tokenOperator {
		l := levelOf(p.next.text)
		if l == levelNone || l < lowest {
			break
		}
		left, err = p.operator(left, l)
	}
	return left, err
}

// operator reads one operator and its right operand.
func (p *exprParser) operator(left node, l level) (node, error) {
	op := p.next.text
	if err := p.advance(); err != nil {
		return nil, err
	}
	if l == levelIs {
		return p.is(left, op)
	}
	right, err := p.expr(l + 1)
	if err != nil {
		return nil, err
	}
	if l == levelCompare && p.next.kind == tokenOperator && levelOf(p.next.text) == levelCompare {
		return nil, p.fail(p.next.at, "comparisons cannot be chained; put one in parentheses")
	}
	return newOperator(op, left, right), nil
}

// is reads the operand of IS, or nothing after ISNULL and NOTNULL.
func (p *exprParser) is(left node, op string) (node, error) {
	switch op {
	case "isnull":
		return &isNode{left, Null(), false}, nil
	case "notnull":
		return &isNode{left, Null(), true}, nil
	}
	not, err := p.accept("not")
	if err != nil {
		return nil, err
	}
	value, ok := p.keywordValue()
	if !ok {
		return nil, p.fail(p.next.at, "expected null, true or false after is, found %s", p.next)
	}
	return &isNode{left, value, not}, p.advance()
}

// keywordValue returns the value of a token that is null, true or false.
func (p *exprParser) keywordValue() (Value, bool) {
	switch {
	case p.next.is("null"):
		return Null(), true
	case p.next.is("true"):
		return Bool(true), true
	case p.next.is("false"):
		return Bool(false), true
	default:
		return Value{}, false
	}
}

// operand reads a constant, a variable, a call, a CASE, a parenthesis, or a prefix operator with its operand.
func (p *exprParser) operand() (node, error) {
	if value, ok := p.keywordValue(); ok {
		return constant(value), p.advance()
	}
	switch t := p.next; {
	case t.kind == tokenConstant:
		return constant(t.value), p.advance()
	case t.kind == tokenVariable:
		return p.variable(t.text), p.advance()
	case t.kind == tokenWord:
		return p.call()
	case t.kind == tokenOperator:
		return p.prefix()
	default:
		return nil, p.unexpected()
	}
}

// rowName is the variable that counts the generated rows, from 1.
const rowName = "row"

func (p *exprParser) variable(name string) node {
	if p.rows && name == rowName {
		return rowNode{}
	}
	return variableNode{p.set.slot(name)}
}

func (p *exprParser) prefix() (node, error) {
	op := p.next.text
	switch op {
	case "(", "+", "-", "~", "not", "case":
	default:
		return nil, p.unexpected()
	}
	if err := p.advance(); err != nil {
		return nil, err
	}
	switch op {
	case "(":
		n, err := p.expr(levelOr)
		if err != nil {
			return nil, err
		}
		return n, p.expect(")")
	case "-": // from zero, so that the zero of a double stays positive, as in pgbench
		if p.next.kind == tokenMinBigint {
			return constant(Int(math.MinInt64)), p.advance()
		}
		return p.wrap(levelSign, func(n node) node { return newOperator("-", constant(Int(0)), n) })
	case "case":
		return p.caseWhen()
	case "+":
		return p.expr(levelSign)
	case "~":
		return p.wrap(levelBits+1, func(n node) node { return newOperator("#", constant(Int(-1)), n) })
	default:
		return p.wrap(levelNot, newNot)
	}
}

// wrap reads the operand of a prefix operator.
func (p *exprParser) wrap(l level, build func(node) node) (node, error) {
	n, err := p.expr(l)
	if err != nil {
		return nil, err
	}
	return build(n), nil
}

func (p *exprParser) call() (node, error) {
	name := p.next
	if err := p.advance(); err != nil {
		return nil, err
	}
	lower := strings.ToLower(name.text)
	f := functions[lower]
	if f.build == nil {
		return nil, p.fail(name.at, "unknown function %q", name.text)
	}
	if err := p.expect("("); err != nil {
		return nil, err
	}
	args, err := p.arguments()
	if err != nil {
		return nil, err
	}
	if wrong := f.checkCount(len(args)); wrong != "" {
		return nil, p.fail(name.at, "%s %s", lower, wrong)
	}
	if f.seeded && len(args) < f.most {
		args = append(args, p.variable("default_seed"))
	}
	return f.build(args), nil
}

// arguments reads up to the closing parenthesis. Like pgbench's grammar, it ignores a comma at the beginning.
func (p *exprParser) arguments() ([]node, error) {
	var args []node
	if closed, err := p.accept(")"); closed || err != nil {
		return nil, err
	}
	if _, err := p.accept(","); err != nil {
		return nil, err
	}
	err := p.list(func() error {
		arg, err := p.expr(levelOr)
		args = append(args, arg)
		return err
	})
	return args, err
}

// list reads items separated by commas, up to the closing parenthesis.
func (p *exprParser) list(one func() error) error {
	for {
		if err := one(); err != nil {
			return err
		}
		if !p.next.is(",") {
			return p.expect(")")
		}
		if err := p.advance(); err != nil {
			return err
		}
	}
}

// caseWhen reads the branches of a CASE, after that word.
func (p *exprParser) caseWhen() (node, error) {
	c := caseNode{otherwise: constant(Null())}
	if !p.next.is("when") {
		return nil, p.fail(p.next.at, "expected \"when\", found %s", p.next)
	}
	for p.next.is("when") {
		condition, err := p.after("when")
		if err != nil {
			return nil, err
		}
		result, err := p.after("then")
		if err != nil {
			return nil, err
		}
		c.branches = append(c.branches, branch{condition, result})
	}
	if p.next.is("else") {
		var err error
		if c.otherwise, err = p.after("else"); err != nil {
			return nil, err
		}
	}
	return c, p.expect("end")
}

// after consumes a required keyword and reads the expression after it.
func (p *exprParser) after(keyword string) (node, error) {
	if err := p.expect(keyword); err != nil {
		return nil, err
	}
	return p.expr(levelOr)
}
