package machine

import (
	"fmt"
	"strconv"
	"strings"

	"cellserver/script/syntax"

	lua "github.com/yuin/gopher-lua"
)

// A Position is where an error was raised: the source and the line. The line is 0 if it is not known.
type Position struct {
	Source string
	Line   int
}

// frame describes a function on the stack: level 0 is the running one.
func (m *Machine) frame(L *lua.LState, level int) (f *Function, at syntax.Place, ok bool) {
	dbg, ok := L.GetStack(level)
	if !ok {
		return nil, at, false
	}
	if _, err := L.GetInfo("Sl", dbg, nil); err != nil {
		return nil, at, true
	}
	f = m.chunks[dbg.Source]
	if f == nil || dbg.CurrentLine < 0 || dbg.CurrentLine >= len(f.places) {
		return nil, at, true
	}
	return f, f.places[dbg.CurrentLine], true
}

// locate returns where the running function is: the function itself, or its caller if it is of a library.
func (m *Machine) locate(L *lua.LState) Position {
	if L == nil {
		return Position{}
	}
	for level := range 3 {
		if f, at, _ := m.frame(L, level); f != nil {
			return Position{f.Source, at.Line}
		}
	}
	return Position{"=[C]", -1}
}

// Where returns the position of a level as errors begin with it: "user_script:1: ", or nothing for a library function.
func (m *Machine) Where(L *lua.LState, level int) string {
	if f, at, _ := m.frame(L, level); f != nil {
		return f.name + ":" + strconv.Itoa(at.Line) + ": "
	}
	return ""
}

// Raise raises an error at the position of the caller of a library function.
func (m *Machine) Raise(L *lua.LState, format string, args ...any) {
	where := m.Where(L, 1)
	size := len(where) + len(format)
	for _, arg := range args {
		if text, ok := arg.(string); ok {
			size += len(text)
		}
	}
	m.MakeText(raiseCopies * size)
	m.RaiseValue(L, lua.LString(where+fmt.Sprintf(format, args...)))
}

// raiseCopies is how often the text of an error is in memory: while its buffer grows, and with its position.
const raiseCopies = 4

// RaisePlain raises an error without a position.
func (m *Machine) RaisePlain(L *lua.LState, text string) {
	m.MakeText(len(text))
	m.RaiseValue(L, lua.LString(text))
}

// Quoted returns a text of the script in quotes, for an error.
func (m *Machine) Quoted(text string) string {
	m.MakeText(len(text))
	return "'" + text + "'"
}

// RaiseValue raises a value as an error.
func (m *Machine) RaiseValue(L *lua.LState, value lua.LValue) { L.Error(value, 0) }

// callee returns the name of the library function that runs, as the code calls it, and whether it is a method.
func (m *Machine) callee(L *lua.LState) (name string, isMethod bool) {
	_, at, _ := m.frame(L, 1)
	if at.IsFor {
		return "(for generator)", false
	}
	if !at.IsCall || at.Name == "" {
		return "?", false
	}
	kind, name := splitName(at.Name)
	return name, kind == "method"
}

// splitName splits "local 'x'" into local and x.
func splitName(s string) (kind, name string) {
	for i := range len(s) {
		if s[i] == ' ' {
			return s[:i], s[i+2 : len(s)-1]
		}
	}
	return "", s
}

// ArgError raises an error about an argument of the library function that runs.
func (m *Machine) ArgError(L *lua.LState, arg int, problem string) {
	name, isMethod := m.callee(L)
	if isMethod {
		if arg--; arg == 0 {
			m.Raise(L, "calling '%s' on bad self (%s)", name, problem)
		}
	}
	m.Raise(L, "bad argument #%d to '%s' (%s)", arg, name, problem)
}

// TypeError raises an error about an argument of a wrong type.
func (m *Machine) TypeError(L *lua.LState, arg int, want string) {
	got := "no value"
	if arg <= L.GetTop() {
		got = TypeName(L.Get(arg))
	}
	m.ArgError(L, arg, want+" expected, got "+got)
}

// TypeName returns the name of the type of a value.
func TypeName(v lua.LValue) string { return v.Type().String() }

// operandError raises an error about an operand of the code that runs. name is the name of the operand, from
// the place.
func (m *Machine) operandError(L *lua.LState, doing, name string, v lua.LValue) {
	m.RaisePlain(L, m.Where(L, 1)+operandText(doing, name, TypeName(v)))
}

func operandText(doing, name, kind string) string {
	if name == "" {
		return fmt.Sprintf("attempt to %s a %s value", doing, kind)
	}
	return fmt.Sprintf("attempt to %s %s (a %s value)", doing, name, kind)
}

// translate gives an error of the interpreter itself the words, the line and the names of Lua 5.1. Such an
// error begins with the name of a chunk in the machine and a place. Other values stay as they are.
func (m *Machine) translate(value lua.LValue) lua.LValue {
	text, ok := value.(lua.LString)
	if !ok || !strings.HasPrefix(string(text), chunkPrefix) {
		return value
	}
	id, rest, _ := strings.Cut(string(text), ":")
	place, message, _ := strings.Cut(rest, ": ")
	f := m.chunks[id]
	n, err := strconv.Atoi(place)
	if f == nil || err != nil || n < 0 || n >= len(f.places) {
		return lua.LString(words(message, syntax.Place{}))
	}
	at := f.places[n]
	if strings.HasSuffix(message, "overflow") {
		m.worn = true // the stacks do not shrink
	}
	translated := f.name + ":" + strconv.Itoa(at.Line) + ": " + words(message, at)
	m.MakeText(len(translated))
	return lua.LString(translated)
}

// words translates a message of the interpreter into the words of Lua 5.1.
func words(message string, at syntax.Place) string {
	if rest, ok := strings.CutPrefix(message, "attempt to index a non-table object("); ok {
		kind, _, _ := strings.Cut(rest, ")")
		if strings.HasPrefix(at.Name, "method ") {
			return operandText("index", at.Second, kind) // the object has no such method because it is not a table
		}
		return operandText("index", at.Name, kind)
	}
	if _, rest, ok := strings.Cut(message, " operation between "); ok {
		left, right, _ := strings.Cut(rest, " and ")
		if left == "number" {
			return operandText(arithmetic, at.Second, right)
		}
		return operandText(arithmetic, at.Name, left)
	}
	if rest, ok := strings.CutPrefix(message, "attempt to compare "); ok {
		if left, right, _ := strings.Cut(rest, " with "); left == right {
			return "attempt to compare two " + left + " values"
		}
		return message
	}
	switch message {
	case "attempt to call a non-function object":
		return operandText("call", at.Name, "table")
	case "__unm undefined":
		return operandText(arithmetic, at.Name, "table")
	case "__len undefined":
		return operandText("get length of", at.Name, "userdata")
	case "registry overflow":
		return "stack overflow"
	case "too many recursions in gettable":
		return "loop in gettable"
	case "too many recursions in settable":
		return "loop in settable"
	}
	return message
}

const arithmetic = "perform arithmetic on"
