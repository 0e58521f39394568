package syntax

import "github.com/yuin/gopher-lua/ast"

// A Chunk is a script that is ready for the compiler.
type Chunk struct {
	Tree   []ast.Stmt
	Places []Place
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
