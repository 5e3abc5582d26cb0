package script

import "io"

// Env is the environment of an expression: the variables and random numbers of one
// client, and the row being generated.
type Env struct {
	Vars   *Vars
	Random *Random
	Row    int64     // the value of :row, from 1
	Debug  io.Writer // for debug()'s output; may be nil
	Where  string    // debug()'s prefix, in pgbench "debug(script=0,command=1): "
}

// Expr is a compiled expression.
type Expr struct{ root node }

// Eval evaluates the expression. Errors name the cause, not the place.
func (e *Expr) Eval(env *Env) (Value, error) { return e.root.eval(env) }

// node is a node of a compiled expression. Nodes are immutable, so that all clients share them.
type node interface {
	eval(env *Env) (Value, error)
}

type constantNode struct{ value Value }

func constant(v Value) node { return constantNode{v} }

func (n constantNode) eval(*Env) (Value, error) { return n.value, nil }

type variableNode struct{ slot int }

func (n variableNode) eval(env *Env) (Value, error) { return env.Vars.Value(n.slot) }

type rowNode struct{}

func (rowNode) eval(env *Env) (Value, error) { return Int(env.Row), nil }

// evalAll evaluates all nodes in order, and reports whether one of the values is NULL.
func evalAll(env *Env, nodes []node, values []Value) (null bool, err error) {
	for i, n := range nodes {
		if values[i], err = n.eval(env); err != nil {
			return false, err
		}
		null = null || values[i].kind == KindNull
	}
	return null, nil
}

// unaryNode is a function of one argument. Its value for NULL is NULL.
type unaryNode struct {
	apply func(Value) (Value, error)
	arg   node
}

func (n *unaryNode) eval(env *Env) (Value, error) {
	v, err := n.arg.eval(env)
	if err != nil || v.kind == KindNull {
		return Value{}, err
	}
	return n.apply(v)
}

// binaryNode is a function of two arguments. It evaluates both, and is NULL if one of them is.
type binaryNode struct {
	apply       func(a, b Value) (Value, error)
	left, right node
}

func (n *binaryNode) eval(env *Env) (Value, error) {
	a, err := n.left.eval(env)
	if err != nil {
		return Value{}, err
	}
	b, err := n.right.eval(env)
	if err != nil || a.kind == KindNull || b.kind == KindNull {
		return Value{}, err
	}
	return n.apply(a, b)
}

// isNode is IS with NULL, TRUE or FALSE. A number is neither true nor false.
type isNode struct {
	arg  node
	want Value
	not  bool
}

func (n *isNode) eval(env *Env) (Value, error) {
	v, err := n.arg.eval(env)
	if err != nil {
		return Value{}, err
	}
	return Bool((v == n.want) != n.not), nil
}

// logicNode is AND and OR. It skips the right side if the left decides or is NULL: unlike
// in SQL, null and false is null.
type logicNode struct {
	decides     bool // the left value that decides: false for AND, true for OR
	left, right node
}

func (n *logicNode) eval(env *Env) (Value, error) {
	v, err := n.left.eval(env)
	if err != nil || v.kind == KindNull {
		return Value{}, err
	}
	b, err := v.toBool()
	if err != nil || b == n.decides {
		return Bool(b), err
	}
	if v, err = n.right.eval(env); err != nil || v.kind == KindNull {
		return Value{}, err
	}
	b, err = v.toBool()
	return Bool(b), err
}

// caseNode evaluates conditions until one holds, and then only its result.
type caseNode struct {
	branches  []branch
	otherwise node
}

type branch struct{ condition, result node }

func (n caseNode) eval(env *Env) (Value, error) {
	for i := range n.branches {
		v, err := n.branches[i].condition.eval(env)
		if err != nil {
			return Value{}, err
		}
		if v.Truth() {
			return n.branches[i].result.eval(env)
		}
	}
	return n.otherwise.eval(env)
}

type debugNode struct{ arg node }

func (n debugNode) eval(env *Env) (Value, error) {
	v, err := n.arg.eval(env)
	if err == nil && env.Debug != nil {
		_, err = io.WriteString(env.Debug, env.Where+v.String()+"\n")
	}
	return v, err
}

func newNot(n node) node { return fold1(not, n) }

func newOperator(op string, left, right node) node {
	switch op {
	case "and":
		return &logicNode{false, left, right}
	case "or":
		return &logicNode{true, left, right}
	case ">":
		return fold2(operations["<"], right, left)
	case ">=":
		return fold2(operations["<="], right, left)
	default:
		return fold2(operations[op], left, right)
	}
}

// fold1 builds a call, or its value if the argument is constant and valid.
func fold1(apply func(Value) (Value, error), arg node) node {
	n := &unaryNode{apply, arg}
	return folded(n, arg)
}

// fold2 does the same for two arguments.
func fold2(apply func(a, b Value) (Value, error), left, right node) node {
	return folded(&binaryNode{apply, left, right}, left, right)
}

// folded evaluates a node now if all its arguments are constant. If that fails, the node stays, since
// its branch may never be taken.
func folded(n node, args ...node) node {
	for _, arg := range args {
		if _, ok := arg.(constantNode); !ok {
			return n
		}
	}
	v, err := n.eval(nil)
	if err != nil {
		return n
	}
	return constant(v)
}
