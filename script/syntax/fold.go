package syntax

import (
	"math"
	"strconv"

	"cellserver/script/lua51"

	"github.com/yuin/gopher-lua/ast"
)

// constantNumber returns the number of an operand that is a numeral.
func constantNumber(e operand) (float64, bool) {
	n, ok := e.expr.(*ast.NumberExpr)
	if !ok {
		return 0, false
	}
	f, err := strconv.ParseFloat(n.Value, 64)
	return f, err == nil
}

// fold computes an operation on two numerals, as the compiler of Lua does. It leaves divisions by zero to
// the script, and results that are not a number.
func fold(op kind, left, right operand) (n float64, ok bool) {
	a, isA := constantNumber(left)
	b, isB := constantNumber(right)
	if !isA || !isB {
		return 0, false
	}
	switch op {
	case '+':
		n = a + b
	case '-':
		n = a - b
	case '*':
		n = a * b
	case '^':
		n = lua51.Pow(a, b)
	case '/':
		n = a / b
	case '%':
		n = lua51.Mod(a, b)
	}
	if (op == '/' || op == '%') && b == 0 || math.IsNaN(n) {
		return 0, false
	}
	return n, true
}
