package syntax

import (
	"fmt"
	"strings"

	"github.com/yuin/gopher-lua/ast"
)

func (p *parser) localFunction() ast.Stmt {
	name := p.name()
	p.declare(name)
	f := p.function(p.line, false)
	return plain(p, &ast.LocalAssignStmt{Names: []string{name}, Exprs: []ast.Expr{f.expr}})
}

func (p *parser) localStatement() ast.Stmt {
	s := &ast.LocalAssignStmt{}
	for {
		s.Names = append(s.Names, p.name())
		if !p.accept(',') {
			break
		}
	}
	if p.accept('=') {
		s.Exprs = exprs(p.expressions())
	}
	if _, ok := first(s.Exprs).(*ast.FunctionExpr); ok && len(s.Names) == 1 && len(s.Exprs) == 1 {
		s.Exprs = append(s.Exprs, plain(p, &ast.NilExpr{})) // else the compiler lets the function see its own name
	}
	p.declare(s.Names...)
	return plain(p, s)
}

// expressionStatement parses a call or an assignment.
func (p *parser) expressionStatement() []ast.Stmt {
	e := p.suffixed()
	if call, ok := e.expr.(*ast.FuncCallExpr); ok && !e.inParens {
		call.AdjustRet = false
		p.unused(call)
		return []ast.Stmt{plain(p, &ast.FuncCallStmt{Expr: call})}
	}
	targets := []operand{e}
	for p.now.kind == ',' {
		p.checkTarget(targets[len(targets)-1])
		p.advance()
		targets = append(targets, p.suffixed())
		if len(targets) > maxLevels-p.levels {
			p.fail("", "%s", fmt.Sprintf("main function has more than %d variables in assignment",
				maxLevels-p.levels))
		}
	}
	p.checkTarget(targets[len(targets)-1])
	p.want('=')
	values := p.expressions()
	return p.assign(p.lastLine, targets, values)
}

// unused replaces the function of a call whose results are not used.
func (p *parser) unused(call *ast.FuncCallExpr) {
	if f, ok := call.Func.(*ast.StringExpr); ok {
		if path, ok := strings.CutPrefix(f.Value, HelperPrefix+Global); ok {
			p.constant("h" + Unused + path)
			f.Value = HelperPrefix + Unused + path
		}
	}
}

func (p *parser) checkTarget(e operand) {
	switch e.expr.(type) {
	case *ast.IdentExpr, *ast.AttrGetExpr:
		if !e.inParens {
			return
		}
	case *ast.StringExpr:
		if e.variable != nil && !e.inParens {
			return
		}
	}
	p.syntaxError("syntax error")
}

// assign makes the statements of an assignment that happens at a line.
func (p *parser) assign(line int, targets, values []operand) []ast.Stmt {
	for i := range targets {
		if targets[i].variable != nil { // a variable that is assigned is not a constant
			targets[i].expr = targets[i].variable
		}
		if _, ok := targets[i].expr.(*ast.AttrGetExpr); ok {
			p.scope.cost += fieldCost
		}
		if at := targets[i].expr.Line(); at != p.plainAt {
			p.places[at].Line = line
		}
	}
	if len(targets) == 1 {
		return []ast.Stmt{p.assignOne(targets[0], values)}
	}
	return []ast.Stmt{p.assignMany(targets, values)}
}

// assignOne assigns one variable. A helper assigns a field whose key is not a constant, and bounds the table.
func (p *parser) assignOne(target operand, values []operand) ast.Stmt {
	field, ok := target.expr.(*ast.AttrGetExpr)
	if !ok && len(values) == 1 && needsTemporary(values[0]) {
		return p.assignMany([]operand{target}, values)
	}
	if !ok || isPlain(field) {
		return plain(p, &ast.AssignStmt{Lhs: []ast.Expr{target.expr}, Rhs: exprs(values)})
	}
	if len(values) == 1 {
		return plain(p, &ast.FuncCallStmt{Expr: p.set(field, field.Object, field.Key, single(values[0]))})
	}
	return p.assignMany([]operand{target}, values)
}

// needsTemporary reports whether the compiler may change a variable before it has computed its new value.
func needsTemporary(e operand) bool {
	switch e.expr.(type) {
	case *ast.LogicalOpExpr, *ast.FuncCallExpr:
		return true
	}
	return false
}

// isPlain reports whether a field of a variable has a constant name. The compiler makes wrong code for a
// field of a constant.
func isPlain(field *ast.AttrGetExpr) bool {
	_, constantKey := field.Key.(*ast.StringExpr)
	_, constantObject := field.Object.(*ast.StringExpr)
	return constantKey && !constantObject
}

func (p *parser) set(field *ast.AttrGetExpr, object, key, value ast.Expr) *ast.FuncCallExpr {
	call := p.help(Set, field.Line(), object, key, value)
	call.AdjustRet = false
	return call
}

// assignMany evaluates everything into locals of its own, and then assigns from the last target to the first
// one.
func (p *parser) assignMany(targets, values []operand) ast.Stmt {
	outside := len(p.scope.locals)
	block := plain(p, &ast.DoBlockStmt{})
	keep := func(n int, all ...ast.Expr) (first int) {
		first = len(p.scope.locals) - outside
		names := make([]string, n)
		for i := range names {
			names[i] = temporary(first + i)
		}
		block.Stmts = append(block.Stmts, plain(p, &ast.LocalAssignStmt{Names: names, Exprs: all}))
		p.declare(names...)
		return first
	}
	at := make([]int, len(targets))
	for i, target := range targets {
		if field, ok := target.expr.(*ast.AttrGetExpr); ok {
			at[i] = keep(2, field.Object, field.Key)
		}
	}
	first := keep(len(targets), exprs(values)...)
	for i := len(targets) - 1; i >= 0; i-- {
		value := plain(p, &ast.IdentExpr{Value: temporary(first + i)})
		if field, ok := targets[i].expr.(*ast.AttrGetExpr); ok {
			object, key := plain(p, &ast.IdentExpr{Value: temporary(at[i])}), plain(p, &ast.IdentExpr{Value: temporary(at[i] + 1)})
			block.Stmts = append(block.Stmts, plain(p, &ast.FuncCallStmt{Expr: p.set(field, object, key, value)}))
			continue
		}
		block.Stmts = append(block.Stmts, plain(p, &ast.AssignStmt{Lhs: []ast.Expr{targets[i].expr}, Rhs: []ast.Expr{value}}))
	}
	p.scope.locals = p.scope.locals[:outside]
	return block
}

// temporary names a local that no script can name.
func temporary(i int) string { return fmt.Sprintf("\x00%d", i) }

// single limits an expression to one value.
func single(e operand) ast.Expr {
	switch x := e.expr.(type) {
	case *ast.FuncCallExpr:
		x.AdjustRet = true
	case *ast.Comma3Expr:
		x.AdjustRet = true
	}
	return e.expr
}

func first(all []ast.Expr) ast.Expr {
	if len(all) == 0 {
		return nil
	}
	return all[0]
}
