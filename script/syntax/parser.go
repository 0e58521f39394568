package syntax

import (
	"github.com/yuin/gopher-lua/ast"
)

// A Chunk is a script that is ready for the compiler.
type Chunk struct {
	Tree   []ast.Stmt
	Places []Place
}

// A parser parses one chunk.
type parser struct {
	lexer
	now, second token
	hasSecond   bool
	lastLine    int // of the last token that was read

	scope   *scope
	levels  int
	lookups int
	places  []Place

	plainLine, plainAt int
	known              func(path string) bool
}

// Parse reads a source. name is the name of the chunk in errors. known says which globals, such as "redis"
// and "redis.call", never change; the tree has a constant for them.
func Parse(source, name string, known func(path string) bool) (chunk *Chunk, err error) {
	p := &parser{lexer: lexer{source: source, name: name, line: 1}, known: known, lastLine: 1}
	p.places = append(p.places, Place{})
	defer func() {
		if problem, ok := recover().(*Error); ok {
			chunk, err = nil, problem
		}
	}()
	if len(source) > maxSource {
		p.fail("", "script is longer than %d bytes", maxSource)
	}
	p.scope = &scope{vararg: true}
	p.advance()
	body := p.block()
	if p.now.kind != eof {
		p.expected(eof)
	}
	return &Chunk{Tree: p.counted(body, p.scope.cost, p.scope.usesDots), Places: p.places}, nil
}

// advance reads the next token.
func (p *parser) advance() {
	p.lastLine = p.line
	if p.hasSecond {
		p.now, p.hasSecond = p.second, false
		return
	}
	p.now = p.next()
}

// lookahead reads a token without using it.
func (p *parser) lookahead() kind {
	p.second, p.hasSecond = p.next(), true
	return p.second.kind
}

// syntaxError fails at the current token.
func (p *parser) syntaxError(text string) { p.fail(p.near(p.now), "%s", text) }

func (p *parser) expected(k kind) { p.syntaxError("'" + k.String() + "' expected") }

// accept reads a token if it is of this kind.
func (p *parser) accept(k kind) bool {
	if p.now.kind != k {
		return false
	}
	p.advance()
	return true
}

func (p *parser) want(k kind) {
	if !p.accept(k) {
		p.expected(k)
	}
}

// match reads the token that closes what opened at a line.
func (p *parser) match(closing, opening kind, line int) {
	switch {
	case p.accept(closing):
	case line == p.line:
		p.expected(closing)
	default:
		p.fail(p.near(p.now), "'%s' expected (to close '%s' at line %d)", closing, opening, line)
	}
}

func (p *parser) name() string {
	if p.now.kind != nameToken {
		p.expected(nameToken)
	}
	name := p.now.text
	p.advance()
	return name
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
