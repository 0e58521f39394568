package syntax

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
