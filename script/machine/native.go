package machine

import (
	"strconv"
	"strings"

	"cellserver/script/syntax"

	lua "github.com/yuin/gopher-lua"
)

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
