package syntax

import (
	"github.com/yuin/gopher-lua/ast"
)

// statement parses one statement. last says that no other one may follow in its block.
func (p *parser) statement() (all []ast.Stmt, last bool) {
	line := p.line
	switch p.now.kind {
	case ifWord:
		return []ast.Stmt{p.ifStatement(line)}, false
	case while:
		return []ast.Stmt{p.whileStatement(line)}, false
	case do:
		p.advance()
		body := p.block()
		p.match(end, do, line)
		return []ast.Stmt{plain(p, &ast.DoBlockStmt{Stmts: body})}, false
	case forWord:
		return []ast.Stmt{p.forStatement(line)}, false
	case repeat:
		return []ast.Stmt{p.repeatStatement(line)}, false
	case function:
		return p.functionStatement(line), false
	case local:
		p.advance()
		if p.accept(function) {
			return []ast.Stmt{p.localFunction()}, false
		}
		return []ast.Stmt{p.localStatement()}, false
	case returnWord:
		return []ast.Stmt{p.returnStatement()}, true
	case breakWord:
		p.advance()
		if p.scope.loops == 0 {
			p.syntaxError("no loop to break")
		}
		return []ast.Stmt{plain(p, &ast.BreakStmt{})}, true
	}
	return p.expressionStatement(), false
}

func (p *parser) ifStatement(line int) ast.Stmt {
	p.advance() // if or elseif
	condition := p.expression()
	p.want(then)
	s := plain(p, &ast.IfStmt{Condition: condition.expr})
	s.Then = p.block()
	switch p.now.kind {
	case elseif:
		p.enter()
		s.Else = []ast.Stmt{p.ifStatement(line)}
		p.leave()
		return s
	case elseWord:
		p.advance()
		s.Else = p.block()
	}
	p.match(end, ifWord, line)
	return s
}

// loop parses the body of a loop, and counts a step in each round.
func (p *parser) loop(parse func() []ast.Stmt) []ast.Stmt {
	outside := p.scope.cost
	p.scope.cost = 0
	p.scope.loops++
	body := parse()
	p.scope.loops--
	body = p.counted(body, p.scope.cost, false)
	p.scope.cost = outside
	return body
}

func (p *parser) whileStatement(line int) ast.Stmt {
	p.advance()
	condition := p.expression()
	p.want(do)
	body := p.loop(p.block)
	p.match(end, while, line)
	return plain(p, &ast.WhileStmt{Condition: condition.expr, Stmts: body})
}

// repeatStatement parses repeat … until. The condition sees the locals of the body.
func (p *parser) repeatStatement(line int) ast.Stmt {
	p.advance()
	outside := len(p.scope.locals)
	s := &ast.RepeatStmt{}
	s.Stmts = p.loop(func() []ast.Stmt {
		body := p.statements()
		p.match(until, repeat, line)
		s.Condition = p.expression().expr
		return body
	})
	p.scope.locals = p.scope.locals[:outside]
	return plain(p, s)
}

func (p *parser) forStatement(line int) ast.Stmt {
	p.advance()
	first := p.name()
	var s ast.Stmt
	switch p.now.kind {
	case '=':
		s = p.numericFor(first)
	case ',', in:
		s = p.genericFor(first)
	default:
		p.syntaxError("'=' or 'in' expected")
	}
	p.match(end, forWord, line)
	return s
}

func (p *parser) numericFor(name string) ast.Stmt {
	p.advance()
	s := &ast.NumberForStmt{Name: name, Init: p.forNumber(ForInit)}
	p.want(',')
	s.Limit = p.forNumber(ForLimit)
	if p.accept(',') {
		s.Step = p.forNumber(ForStep)
	} else {
		s.Step = p.number(1)
	}
	s.Stmts = p.forBody("(for index)", "(for limit)", "(for step)", name)
	return plain(p, s)
}

// forNumber parses one of the numbers of a for loop. Strings become numbers, all else is an error.
func (p *parser) forNumber(helper string) ast.Expr {
	e := p.expression()
	switch e.expr.(type) {
	case *ast.NumberExpr, *ast.UnaryLenOpExpr:
		return e.expr
	}
	return p.helpHere(helper, e.expr)
}

func (p *parser) forBody(names ...string) []ast.Stmt {
	p.want(do)
	outside := len(p.scope.locals)
	p.declare(names...)
	body := p.loop(p.block)
	p.scope.locals = p.scope.locals[:outside]
	return body
}

func (p *parser) genericFor(first string) ast.Stmt {
	s := &ast.GenericForStmt{Names: []string{first}}
	for p.accept(',') {
		s.Names = append(s.Names, p.name())
	}
	p.want(in)
	line := p.line
	s.Exprs = p.threeValues(exprs(p.expressions()))
	for len(s.Names) < min(3, len(s.Exprs)) {
		s.Names = append(s.Names, "(for value)") // the compiler takes as many expressions as there are names
	}
	s.Stmts = p.forBody(append([]string{"(for generator)", "(for state)", "(for control)"}, s.Names...)...)
	return put(s, p.place(Place{Line: line, IsFor: true}))
}

// threeValues adds what a loop lacks to its generator, state and control. The compiler would leave them as they were.
func (p *parser) threeValues(list []ast.Expr) []ast.Expr {
	last := len(list) - 1
	if last < 2 && hasManyValues(list[last]) {
		return list
	}
	list[last] = single(operand{expr: list[last]})
	for len(list) < 3 {
		list = append(list, plain(p, &ast.NilExpr{}))
	}
	return list
}

func (p *parser) returnStatement() ast.Stmt {
	p.advance()
	s := &ast.ReturnStmt{}
	if !p.blockEnds() && p.now.kind != ';' {
		s.Exprs = exprs(p.expressions())
	}
	return plain(p, s)
}

// functionStatement parses function a.b.c:d() … end, an assignment.
func (p *parser) functionStatement(line int) []ast.Stmt {
	p.advance()
	target := p.variable(p.name())
	for p.now.kind == '.' {
		target = p.field(target)
	}
	if p.now.kind != ':' {
		return p.assign(line, []operand{target}, []operand{p.function(line, false)})
	}
	target = p.field(target)
	return p.assign(line, []operand{target}, []operand{p.function(line, true)})
}

// block parses statements up to the word that ends them, with the locals that are theirs.
func (p *parser) block() []ast.Stmt {
	outside := len(p.scope.locals)
	body := p.statements()
	p.scope.locals = p.scope.locals[:outside]
	return body
}

func (p *parser) statements() (all []ast.Stmt) {
	p.enter()
	defer p.leave()
	for last := false; !last && !p.blockEnds(); {
		var one []ast.Stmt
		one, last = p.statement()
		all = append(all, one...)
		p.accept(';')
	}
	return all
}

func (p *parser) blockEnds() bool {
	switch p.now.kind {
	case elseWord, elseif, end, eof, until:
		return true
	}
	return false
}
