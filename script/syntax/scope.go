package syntax

// The bounds of Lua 5.1 on one function, and on nesting.
const (
	maxLocals   = 200
	maxUpvalues = 60
	maxLevels   = 200
)

// The bounds that Lua does not have. They keep the time and the memory of compiling small, and jumps within
// reach.
const (
	maxSource    = 1 << 20 // bytes
	maxNodes     = 40000   // of one function
	maxConstants = 8192    // of one function
	maxLookups   = 1 << 28 // how many constants the compiler compares
	maxChain     = 2000    // of suffixes and operators
	maxItems     = 25000   // of a table constructor, without keys
	storedItems  = 50      // the compiler stores so many of them at once
)

// A scope is a function that is being parsed.
type scope struct {
	outer     *scope
	line      int // 0 for the chunk
	vararg    bool
	usesDots  bool
	locals    []string
	upvalues  map[string]bool
	constants map[string]bool
	nodes     int
	loops     int
	cost      int // what one run of the function or of the innermost loop makes, in bytes
}

// The kinds of names.
type binding int

const (
	globalName binding = iota
	localName
	upvalueName
)

func (s *scope) has(name string) bool {
	for i := len(s.locals) - 1; i >= 0; i-- {
		if s.locals[i] == name {
			return true
		}
	}
	return false
}

// bind finds out what a name is.
func (p *parser) bind(name string) binding {
	if p.scope.has(name) {
		return localName
	}
	for s := p.scope.outer; s != nil; s = s.outer {
		if s.has(name) {
			p.capture(name, s)
			return upvalueName
		}
	}
	return globalName
}

// capture makes a name an upvalue of each function between the current function and the function that
// declares the name.
func (p *parser) capture(name string, of *scope) {
	for s := p.scope; s != of; s = s.outer {
		if !s.upvalues[name] {
			if s.upvalues == nil {
				s.upvalues = map[string]bool{}
			}
			s.upvalues[name] = true
			if len(s.upvalues) > maxUpvalues {
				p.limit(s, maxUpvalues, "upvalues")
			}
		}
	}
}

// declare adds local names.
func (p *parser) declare(names ...string) {
	p.scope.locals = append(p.scope.locals, names...)
	if len(p.scope.locals) > maxLocals {
		p.limit(p.scope, maxLocals, "local variables")
	}
}

func (p *parser) limit(s *scope, most int, what string) {
	if s.line == 0 {
		p.fail("", "main function has more than %d %s", most, what)
	}
	p.fail("", "function at line %d has more than %d %s", s.line, most, what)
}

// constant counts a constant, and what the compiler compares to find it.
func (p *parser) constant(text string) {
	s := p.scope
	if s.constants == nil {
		s.constants = map[string]bool{}
	}
	s.constants[text] = true
	p.lookups += len(s.constants)
	if len(s.constants) > maxConstants || p.lookups > maxLookups {
		p.fail("", "constant table overflow")
	}
}

// enter begins a nested construct; leave ends it.
func (p *parser) enter() {
	if p.levels++; p.levels > maxLevels {
		p.fail("", "chunk has too many syntax levels")
	}
}

func (p *parser) leave() { p.levels-- }
