package stdlib

import (
	"cellserver/script/machine"

	"strings"

	lua "github.com/yuin/gopher-lua"
)

func (m *library) loadString(L *lua.LState) int {
	text := m.Text(L, 1)
	return m.loadChunk(L, text, m.OptText(L, 2, text))
}

func (m *library) load(L *lua.LState) int {
	reader := m.Function(L, 1)
	name := m.OptText(L, 2, "=(load)")
	var text strings.Builder
	for {
		m.Step(1)
		piece := m.Call(L, reader)
		if piece == lua.LNil || piece == lua.LString("") {
			break
		}
		if !machine.IsText(piece) {
			m.Raise(L, "reader function must return a string")
		}
		part := machine.Text(piece)
		m.MakeText(text.Len() + 2*len(part)) // the builder moves
		text.WriteString(part)
	}
	return m.loadChunk(L, text.String(), name)
}

// compileCost is what a chunk costs for each byte of its source. The chunk itself and each of its functions
// cost chunkCost besides, because the compiler makes room for instructions.
const (
	compileCost = 64
	chunkCost   = 16 << 10
)

func (m *library) loadChunk(L *lua.LState, text, source string) int {
	m.Make(compileCost*len(text) + chunkCost*(1+strings.Count(text, "function")))
	m.Step(len(text)/4 + 10)
	if strings.HasPrefix(text, "\x1b") {
		L.Push(lua.LNil)
		L.Push(lua.LString("attempt to load chunk with wrong mode"))
		return 2
	}
	f, err := m.Load(text, source, chunkName(source))
	if err != nil {
		L.Push(lua.LNil)
		L.Push(lua.LString(err.Error()))
		return 2
	}
	L.Push(f)
	return 1
}

// maxName is how long the name of a chunk in errors is.
const maxName = 79

// chunkName returns the name of a chunk as errors show it: @x and =x are x, all else is the first line of
// the source.
func chunkName(source string) string {
	const around, mark = ` [string "..."] `, "..."
	switch {
	case strings.HasPrefix(source, "="):
		return source[1:min(len(source), maxName+1)]
	case strings.HasPrefix(source, "@"):
		if most := maxName - len(" '...' "); len(source)-1 > most {
			return mark + source[len(source)-most:]
		}
		return source[1:]
	}
	line, cut := source, false
	if end := strings.IndexAny(source, "\r\n"); end >= 0 {
		line, cut = source[:end], true
	}
	if most := maxName - len(around); len(line) > most {
		line, cut = line[:most], true
	}
	if cut {
		line += mark
	}
	return `[string "` + line + `"]`
}
