// Package syntax reads Lua 5.1 and writes the tree that the compiler of gopher-lua compiles. The tree is
// rewritten where the interpreter deviates from Lua 5.1 or does not bound a script.
//
//	lexer.go, lexer_text.go   characters to tokens
//	chunk.go                  Parse: a source becomes a tree
//	parser.go, statement.go   statements
//	assign.go                 assignments and local names
//	expression.go             expressions
//	constructor.go            tables and functions
//	fold.go                   arithmetic on constants
//	scope.go                  names: local, upvalue, global
//	emit.go                   nodes of the tree, helpers and their places
//
// The parser of gopher-lua v1.1.2 is not used, for these cases:
//
//   - It refuses 0x1p4, 0x.8, a local with the name goto, and a form feed between two words.
//   - It accepts ::a:: goto a, ;;, '\256', [[a[[b]] and a call whose arguments begin in a new line.
//   - Its tree has no parentheses, and an operator in it has the line of its left side. The names and the
//     lines in errors need both.
//   - It has no bounds: 1 MB of ( takes 1 GB and 3 s.
//
// Errors here have the words of Lua 5.1. Lua does not have one of them: the source is too long or too large.
//
// Each node of the tree has a place instead of a line: an index into Chunk.Places. A place knows the line,
// and the names that an error of this node may show. So the interpreter finds both from the line of an
// instruction.
//
// A helper is a function of the interpreter that a rewritten node calls. The tree has a string constant in
// its place, whose text begins with HelperPrefix. No string of a script begins so.
//
// Invariants: the parser accepts what Lua 5.1 accepts, within the bounds. A tree behaves as its source does
// in Lua 5.1.
//
// Nesting, locals, upvalues, constants and nodes are bounded, so compiling takes bounded time and memory.
// The package holds no state between calls and takes no locks.
package syntax
