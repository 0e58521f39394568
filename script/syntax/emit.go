package syntax

import (
	"math"
	"strconv"

	"github.com/yuin/gopher-lua/ast"
)

// HelperPrefix begins the constants that stand for helpers. A string of a script that begins with a NUL
// stands for itself after TextPrefix.
const (
	HelperPrefix = "\x00h"
	TextPrefix   = "\x00s"
)

// The helpers.
const (
	Concat   = "concat" // all arguments as one string
	Set      = "set"    // table, key, value
	Key      = "key"    // the key of a field in a constructor
	Mod      = "mod"
	Pow      = "pow"
	ForInit  = "forinit" // the first value of a for loop, as a number
	ForLimit = "forlimit"
	ForStep  = "forstep"
	Extend   = "extend"  // table, how many items it has, and more of them
	Text     = "text"    // a string that is not a constant key
	Step     = "step."   // and the cost: counts a step, and what the statements after it make
	Unused   = "unused." // as Global, for a function whose results are not used
	Global   = "global." // and a name: a global variable, or a field of one, that never changes
)

// A Place is the position of a node of the tree, and the names in its error. Names are such as "local 'x'",
// or empty.
type Place struct {
	Line   int
	IsCall bool
	IsFor  bool     // of a for loop with an iterator
	Name   string   // of the value that is indexed or called, or of the only operand
	Second string   // of the second operand
	All    []string // of the operands of a concatenation
}

// Costs in bytes of what a script makes, roughly.
const (
	tableCost   = 900
	fieldCost   = 100
	closureCost = 400
)

// place adds a place and returns its index.
func (p *parser) place(at Place) int {
	if p.scope.nodes++; p.scope.nodes > maxNodes {
		p.fail("", "function at line %d is too large", p.scope.line)
	}
	p.places = append(p.places, at)
	return len(p.places) - 1
}

// put gives a node its place.
func put[N ast.PositionHolder](node N, place int) N {
	node.SetLine(place)
	node.SetLastLine(place)
	return node
}

// plain puts a node that has no error of its own on a line.
func plain[N ast.PositionHolder](p *parser, node N) N {
	if p.plainLine != p.lastLine || p.plainAt == 0 {
		p.plainLine, p.plainAt = p.lastLine, p.place(Place{Line: p.lastLine})
	}
	if p.scope.nodes++; p.scope.nodes > maxNodes {
		p.fail("", "function at line %d is too large", p.scope.line)
	}
	return put(node, p.plainAt)
}

func (p *parser) number(f float64) ast.Expr {
	text := strconv.FormatFloat(f, 'g', -1, 64)
	if f == 0 && math.Signbit(f) {
		text = "-0.0" // "-0" would be an integer, without its sign
	}
	p.constant("n" + text)
	return plain(p, &ast.NumberExpr{Value: text})
}

// text makes a string constant.
func (p *parser) text(s string) *ast.StringExpr {
	if s != "" && s[0] == 0 {
		s = TextPrefix + s
	}
	p.constant("s" + s)
	return plain(p, &ast.StringExpr{Value: s})
}

// key makes the key of a field. The compiler treats a string constant as a key that needs no lookup by type.
func (p *parser) key(s string) ast.Expr {
	if s != "" && s[0] == 0 {
		return p.helpHere(Text, p.text(s))
	}
	return p.text(s)
}

// help makes a call of a helper.
func (p *parser) help(name string, place int, args ...ast.Expr) *ast.FuncCallExpr {
	call := &ast.FuncCallExpr{Func: p.helper(name), Args: args, AdjustRet: true}
	p.places[place].IsCall = true
	return put(call, place)
}

// helpHere is help at the last line.
func (p *parser) helpHere(name string, args ...ast.Expr) *ast.FuncCallExpr {
	return p.help(name, p.place(Place{Line: p.lastLine}), args...)
}

func (p *parser) helper(name string) *ast.StringExpr {
	p.constant("h" + name)
	return plain(p, &ast.StringExpr{Value: HelperPrefix + name})
}

// counted puts a step before the statements of a loop or of a function. The step knows the cost of one run.
// If it gets the variable arguments of a function, it bounds and counts them too.
func (p *parser) counted(body []ast.Stmt, cost int, withArguments bool) []ast.Stmt {
	var args []ast.Expr
	if withArguments {
		args = []ast.Expr{plain(p, &ast.Comma3Expr{})}
	}
	call := plain(p, &ast.FuncCallStmt{Expr: p.helpHere(Step+strconv.Itoa(cost), args...)})
	return append([]ast.Stmt{call}, body...)
}
