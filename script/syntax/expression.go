package syntax

import (
	"strings"

	"github.com/yuin/gopher-lua/ast"
)

// An operand is an expression, and its name in errors. variable is set if expr is a constant in place of a
// global variable. Then path is the name of that variable.
type operand struct {
	expr     ast.Expr
	name     string
	inParens bool
	variable ast.Expr
	path     string
	depth    int // of suffixes and operators on the left side
}

func exprs(all []operand) []ast.Expr {
	list := make([]ast.Expr, len(all))
	for i, e := range all {
		list[i] = e.expr
	}
	return list
}

// expressions parses a list. Only its last expression may have many values.
func (p *parser) expressions() []operand {
	all := []operand{p.expression()}
	for p.accept(',') {
		p.load(all[len(all)-1])
		single(all[len(all)-1])
		all = append(all, p.expression())
	}
	return all
}

// The binding of operators on their left and on their right side.
var priorities = map[kind][2]int{
	'+': {6, 6}, '-': {6, 6}, '*': {7, 7}, '/': {7, 7}, '%': {7, 7}, '^': {10, 9}, concat: {5, 4},
	notEqual: {3, 3}, equal: {3, 3}, '<': {3, 3}, lessEqual: {3, 3}, '>': {3, 3}, greaterEqual: {3, 3}, and: {2, 2}, or: {1, 1},
}

const unaryPriority = 8

func (p *parser) expression() operand { return p.operators(0) }

// operators parses an expression with all operators that bind more than least.
func (p *parser) operators(least int) operand {
	p.enter()
	defer p.leave()
	left := p.unary()
	for op := p.now.kind; ; op = p.now.kind {
		binding, ok := priorities[op]
		if !ok || binding[0] <= least {
			return left
		}
		p.advance()
		p.load(left)
		right := p.operators(binding[1])
		depth := p.chain(left)
		left = p.binary(op, left, right)
		left.depth = depth
	}
}

// chain bounds the depth of the tree to the left.
func (p *parser) chain(left operand) int {
	if left.depth >= maxChain {
		p.fail("", "function or expression too complex")
	}
	return left.depth + 1
}

func (p *parser) unary() operand {
	op := p.now.kind
	switch op {
	case not, '-', '#':
	default:
		return p.simple()
	}
	p.advance()
	e := p.operators(unaryPriority)
	place := func() int { return p.place(Place{Line: p.lastLine, Name: e.name}) }
	switch op {
	case not:
		return operand{expr: plain(p, &ast.UnaryNotOpExpr{Expr: single(e)})}
	case '#':
		return operand{expr: put(&ast.UnaryLenOpExpr{Expr: single(e)}, place())}
	}
	if n, ok := constantNumber(e); ok {
		return operand{expr: p.number(-n)}
	}
	return operand{expr: put(&ast.UnaryMinusOpExpr{Expr: single(e)}, place())}
}

func (p *parser) binary(op kind, left, right operand) operand {
	single(left)
	single(right)
	place := func() int { return p.place(Place{Line: p.lastLine, Name: left.name, Second: right.name}) }
	switch op {
	case and, or:
		if isConstant(left) && isTrue(left) == (op == and) {
			return right // as in Lua: errors name it
		}
		return operand{expr: plain(p, &ast.LogicalOpExpr{Operator: op.String(), Lhs: left.expr, Rhs: right.expr})}
	case concat:
		return p.concatenation(left, right)
	case '+', '-', '*', '/', '%', '^':
		if n, ok := fold(op, left, right); ok {
			return operand{expr: p.number(n)}
		}
	default:
		return operand{expr: put(&ast.RelationalOpExpr{Operator: op.String(), Lhs: left.expr, Rhs: right.expr}, place())}
	}
	switch op {
	case '%':
		return operand{expr: p.help(Mod, place(), left.expr, right.expr)}
	case '^':
		return operand{expr: p.help(Pow, place(), left.expr, right.expr)}
	}
	return operand{expr: put(&ast.ArithmeticOpExpr{Operator: op.String(), Lhs: left.expr, Rhs: right.expr}, place())}
}

// isConstant reports whether an operand is a constant of the script.
func isConstant(e operand) bool {
	switch x := e.expr.(type) {
	case *ast.NilExpr, *ast.TrueExpr, *ast.FalseExpr, *ast.NumberExpr:
		return true
	case *ast.StringExpr:
		return !strings.HasPrefix(x.Value, HelperPrefix)
	}
	return false
}

func isTrue(e operand) bool {
	switch e.expr.(type) {
	case *ast.NilExpr, *ast.FalseExpr:
		return false
	}
	return true
}

// concatenation makes one call of a helper for a .. b .. c: the right side is already such a call.
func (p *parser) concatenation(left, right operand) operand {
	names, args := []string{left.name}, []ast.Expr{left.expr}
	if call, ok := right.expr.(*ast.FuncCallExpr); ok && !right.inParens && isHelper(call, Concat) && len(call.Args) < maxArguments {
		place := call.Line()
		p.places[place].All = append(names, p.places[place].All...)
		call.Args = append(args, call.Args...)
		return right
	}
	place := p.place(Place{Line: p.lastLine, All: append(names, right.name)})
	return operand{expr: p.help(Concat, place, left.expr, right.expr)}
}

const maxArguments = 50

func isHelper(call *ast.FuncCallExpr, name string) bool {
	f, ok := call.Func.(*ast.StringExpr)
	return ok && f.Value == HelperPrefix+name
}

func (p *parser) simple() operand {
	switch t := p.now; t.kind {
	case numberToken:
		p.advance()
		return operand{expr: p.number(t.number)}
	case stringToken:
		p.advance()
		return operand{expr: p.text(t.text)}
	case nilWord:
		p.advance()
		return operand{expr: plain(p, &ast.NilExpr{})}
	case trueWord:
		p.advance()
		return operand{expr: plain(p, &ast.TrueExpr{})}
	case falseWord:
		p.advance()
		return operand{expr: plain(p, &ast.FalseExpr{})}
	case dots:
		if !p.scope.vararg {
			p.syntaxError("cannot use '...' outside a vararg function")
		}
		p.advance()
		p.scope.usesDots = true
		return operand{expr: plain(p, &ast.Comma3Expr{})}
	case '{':
		return p.constructor()
	case function:
		p.advance()
		return p.function(p.line, false)
	}
	return p.suffixed()
}

// variable makes a variable of a name.
func (p *parser) variable(name string) operand {
	switch p.bind(name) {
	case localName:
		return operand{expr: plain(p, &ast.IdentExpr{Value: name}), name: "local '" + name + "'"}
	case upvalueName:
		return operand{expr: plain(p, &ast.IdentExpr{Value: name}), name: "upvalue '" + name + "'"}
	}
	p.constant("s" + name)
	e := operand{expr: put(&ast.IdentExpr{Value: name}, p.place(Place{Line: p.lastLine})), name: "global '" + name + "'"}
	return p.unchanging(e, name)
}

// unchanging replaces a global variable that never changes by a constant.
func (p *parser) unchanging(e operand, path string) operand {
	if p.known != nil && p.known(path) {
		e.variable, e.path = e.expr, path
		e.expr = p.helper(Global + path)
	}
	return e
}

// suffixed parses a name or an expression in parentheses, with all fields and calls that follow.
func (p *parser) suffixed() operand {
	e := p.prefix()
	for {
		line := p.line
		switch p.now.kind {
		case '.':
			e = p.deeper(e, p.field)
		case '[':
			e = p.deeper(e, p.index)
		case ':':
			p.advance()
			method := p.name()
			call := &ast.FuncCallExpr{Receiver: single(e), Method: method}
			p.constant("s" + method)
			line = p.line
			e = p.deeper(e, func(e operand) operand {
				return p.call(call, p.place(Place{Line: line, IsCall: true, Name: "method '" + method + "'", Second: e.name}))
			})
		case '(', stringToken, '{':
			call := &ast.FuncCallExpr{Func: single(e)}
			e = p.deeper(e, func(e operand) operand { return p.call(call, p.place(Place{Line: line, IsCall: true, Name: e.name})) })
		default:
			return e
		}
	}
}

func (p *parser) deeper(e operand, suffix func(operand) operand) operand {
	depth := p.chain(e)
	e = suffix(e)
	e.depth = depth
	return e
}

// load notes where Lua loads the value of a variable or of a field: where the code needs it, not where its
// name is. An error of the load has this line.
func (p *parser) load(e operand) {
	if e.inParens {
		return
	}
	switch x := e.expr.(type) {
	case *ast.AttrGetExpr, *ast.IdentExpr:
		if at := x.Line(); at != p.plainAt {
			p.places[at].Line = p.lastLine
		}
	}
}

func (p *parser) prefix() operand {
	switch p.now.kind {
	case nameToken:
		name := p.now.text
		p.advance()
		return p.variable(name)
	case '(':
		line := p.line
		p.advance()
		e := p.expression()
		p.match(')', '(', line)
		p.load(e)
		single(e)
		e.inParens = true
		return e
	}
	p.syntaxError("unexpected symbol")
	return operand{}
}

// field parses .name or :name after an object.
func (p *parser) field(object operand) operand {
	p.advance()
	name := p.name()
	get := put(&ast.AttrGetExpr{Object: single(object), Key: p.key(name)}, p.place(Place{Line: p.lastLine, Name: object.name}))
	e := operand{expr: get, name: "field '" + name + "'"}
	if object.path != "" && !strings.Contains(object.path, ".") {
		return p.unchanging(e, object.path+"."+name)
	}
	return e
}

func (p *parser) index(object operand) operand {
	p.advance()
	key := p.expression()
	p.want(']')
	e := operand{name: "field '?'"}
	switch k := key.expr.(type) {
	case *ast.StringExpr:
		if key.variable != nil {
			key.expr = key.variable // the compiler would treat a constant as a string
			break
		}
		if strings.HasPrefix(k.Value, TextPrefix) {
			key.expr = p.helpHere(Text, k)
			break
		}
		e.name = "field '" + k.Value + "'"
	}
	e.expr = put(&ast.AttrGetExpr{Object: single(object), Key: single(key)}, p.place(Place{Line: p.lastLine, Name: object.name}))
	return e
}

// call parses the arguments of a call.
func (p *parser) call(call *ast.FuncCallExpr, place int) operand {
	line := p.line
	switch t := p.now; t.kind {
	case '(':
		if line != p.lastLine {
			p.syntaxError("ambiguous syntax (function call x new statement)")
		}
		p.advance()
		var args []operand
		if p.now.kind != ')' {
			args = p.expressions()
			call.Args = exprs(args)
		}
		p.match(')', '(', line)
		if len(args) > 0 {
			p.load(args[len(args)-1])
		}
	case '{':
		call.Args = []ast.Expr{p.constructor().expr}
	case stringToken:
		p.advance()
		call.Args = []ast.Expr{p.text(t.text)}
	default:
		p.syntaxError("function arguments expected")
	}
	return operand{expr: put(call, place)}
}
