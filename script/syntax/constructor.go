package syntax

import (
	"strings"

	"github.com/yuin/gopher-lua/ast"
)

// constructor parses a table.
func (p *parser) constructor() operand {
	line := p.line
	p.want('{')
	var fields, keyed, items []*ast.Field
	for p.now.kind != '}' {
		if n := len(items); n > 0 {
			single(operand{expr: items[n-1].Value})
		}
		if p.now.kind == '[' || p.now.kind == nameToken && p.lookahead() == '=' {
			keyed = append(keyed, p.keyedField())
			fields = append(fields, keyed[len(keyed)-1])
		} else {
			items = append(items, &ast.Field{Value: p.expression().expr})
			fields = append(fields, items[len(items)-1])
		}
		if len(items) > maxItems {
			p.fail("", "table constructor has more than %d items", maxItems)
		}
		if !p.accept(',') && !p.accept(';') {
			break
		}
	}
	p.match('}', '{', line)
	p.scope.cost += tableCost + fieldCost*(len(items)+len(keyed))
	if len(items) >= storedItems {
		fields = append(keyed, items...) // the compiler makes wrong code for a field with a key after so many others
	}
	return operand{expr: p.table(fields, len(items)-1)}
}

// table makes the node of a constructor. A helper stores the many values of a last item and counts them. The
// compiler would store them at a wrong index if they follow 50 others.
func (p *parser) table(fields []*ast.Field, n int) ast.Expr {
	last := len(fields) - 1
	if last < 0 || fields[last].Key != nil || !hasManyValues(fields[last].Value) {
		return plain(p, &ast.TableExpr{Fields: fields})
	}
	t := plain(p, &ast.TableExpr{Fields: fields[:last]})
	return p.help(Extend, p.place(Place{Line: p.lastLine}), t, p.number(float64(n)), fields[last].Value)
}

func hasManyValues(e ast.Expr) bool {
	switch x := e.(type) {
	case *ast.FuncCallExpr:
		return !x.AdjustRet
	case *ast.Comma3Expr:
		return !x.AdjustRet
	}
	return false
}

func (p *parser) keyedField() *ast.Field {
	f := &ast.Field{}
	if p.now.kind == nameToken {
		f.Key = p.key(p.name())
	} else {
		p.advance()
		key := p.expression()
		p.want(']')
		f.Key = p.tableKey(key)
	}
	p.want('=')
	f.Value = single(p.expression())
	return f
}

// tableKey makes the key of a field in a constructor. A helper counts what the table grows by, unless the
// key is a string.
func (p *parser) tableKey(key operand) ast.Expr {
	single(key)
	s, ok := key.expr.(*ast.StringExpr)
	switch {
	case key.variable != nil:
		key.expr = key.variable
	case ok && !strings.HasPrefix(s.Value, TextPrefix):
		return key.expr
	}
	return p.helpHere(Key, key.expr)
}

// function parses the parameters and the body of a function.
func (p *parser) function(line int, isMethod bool) operand {
	p.scope = &scope{outer: p.scope, line: line}
	f := &ast.FunctionExpr{ParList: &ast.ParList{}}
	p.want('(')
	p.parameters(f.ParList, isMethod)
	p.want(')')
	f.Stmts = p.block()
	p.match(end, function, line)
	f.Stmts = p.counted(f.Stmts, p.scope.cost, p.scope.usesDots)
	p.scope = p.scope.outer
	p.scope.cost += closureCost
	p.plainAt = 0
	return operand{expr: plain(p, f)}
}

func (p *parser) parameters(list *ast.ParList, isMethod bool) {
	if isMethod {
		list.Names = append(list.Names, "self")
	}
	for p.now.kind != ')' {
		if p.now.kind == dots {
			p.advance()
			list.HasVargs, p.scope.vararg = true, true
			break
		}
		if p.now.kind != nameToken {
			p.syntaxError("<name> or '...' expected")
		}
		list.Names = append(list.Names, p.name())
		if !p.accept(',') {
			break
		}
		if p.now.kind == ')' {
			p.syntaxError("<name> or '...' expected")
		}
	}
	p.declare(list.Names...)
	if list.HasVargs {
		p.declare("arg")
	}
}
