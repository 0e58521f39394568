package machine

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	"cellserver/script/syntax"

	lua "github.com/yuin/gopher-lua"
)

// A Function is a compiled chunk. It belongs to the machine that compiled it.
type Function struct {
	Source string // as errors of Redis show it, such as "@user_script"
	name   string // as errors of Lua show it, such as "user_script"
	proto  *lua.FunctionProto
	places []syntax.Place
	Bytes  int // of memory that it takes, about
}

// chunkPrefix begins the names of chunks inside the machine. So the machine can distinguish an error of the
// interpreter from a text of the script. The line of such an error is the index of a place.
const chunkPrefix = "\x00c"

// Compile compiles a source. An error is a *syntax.Error.
func (m *Machine) Compile(text, source, name string) (*Function, error) {
	chunk, err := syntax.Parse(text, name, m.known)
	if err != nil {
		return nil, err
	}
	m.chunkID++
	id := chunkPrefix + strconv.Itoa(m.chunkID)
	f := &Function{Source: source, name: name, places: chunk.Places}
	if f.proto, err = compileTree(chunk, id); err != nil {
		return nil, f.compileError(err)
	}
	f.proto.IsVarArg &^= lua.VarArgNeedsArg // a chunk has no table with the name arg
	m.patch(f.proto)
	f.Bytes = clip(f.proto) + placeBytes*len(f.places)
	m.chunks[id] = f
	return f, nil
}

// Forget releases a function that is not used any more.
func (m *Machine) Forget(f *Function) { delete(m.chunks, f.proto.SourceName) }

var errTooComplex = errors.New("function or expression too complex")

// compileTree compiles. The compiler panics where it runs out of registers in the middle of an expression.
func compileTree(chunk *syntax.Chunk, id string) (proto *lua.FunctionProto, err error) {
	defer func() {
		if recover() != nil {
			proto, err = nil, errTooComplex
		}
	}()
	return lua.Compile(chunk.Tree, id)
}

func (f *Function) compileError(err error) error {
	line := 1
	if problem, is := errors.AsType[*lua.CompileError](err); is && problem.Line >= 0 && problem.Line < len(f.places) {
		line = max(f.places[problem.Line].Line, 1)
	}
	return &syntax.Error{Text: f.name + ":" + strconv.Itoa(line) + ": " + errTooComplex.Error()}
}

// Of an instruction that makes a table: where its number is, and how many fields the table has room for.
// With no such number the first field makes room for 32, which takes two kilobytes.
const (
	opShift  = 26
	roomMask = 0x3ffff // for items and for fields
	oneField = 1 << 9
)

// patch replaces constants by the helpers and the values for which they stand. It gives new empty tables room
// for one field.
func (m *Machine) patch(proto *lua.FunctionProto) {
	for i, c := range proto.Constants {
		s, ok := c.(lua.LString)
		if !ok || s == "" || s[0] != 0 {
			continue
		}
		if name, ok := strings.CutPrefix(string(s), syntax.HelperPrefix); ok {
			proto.Constants[i] = m.helper(name)
		} else {
			proto.Constants[i] = s[len(syntax.TextPrefix):]
		}
	}
	for i, op := range proto.Code {
		if int(op>>opShift) == lua.OP_NEWTABLE && op&roomMask == 0 {
			proto.Code[i] |= oneField
		}
	}
	for _, inner := range proto.FunctionPrototypes {
		m.patch(inner)
	}
}

// About how many bytes a place and a function of a chunk take, besides what the slices hold.
const (
	placeBytes = 16
	protoBytes = 1 << 10
)

// clip gives back the room that the compiler has left in the slices of each function: about 14 kB. It returns
// about how many bytes the functions take.
func clip(proto *lua.FunctionProto) (bytes int) {
	proto.Code = slices.Clone(proto.Code)
	proto.Constants = slices.Clone(proto.Constants)
	proto.FunctionPrototypes = slices.Clone(proto.FunctionPrototypes)
	proto.DbgSourcePositions = slices.Clone(proto.DbgSourcePositions)
	proto.DbgLocals = slices.Clone(proto.DbgLocals)
	proto.DbgCalls = slices.Clone(proto.DbgCalls)
	proto.DbgUpvalues = slices.Clone(proto.DbgUpvalues)
	bytes = protoBytes + 12*len(proto.Code) + 32*len(proto.Constants) + 48*len(proto.DbgLocals) +
		24*len(proto.DbgCalls) + 16*len(proto.DbgUpvalues)
	for _, inner := range proto.FunctionPrototypes {
		bytes += clip(inner)
	}
	return bytes
}

// function makes a closure of a chunk.
func (m *Machine) function(f *Function) *lua.LFunction {
	return &lua.LFunction{Env: m.global, Proto: f.proto}
}

// Load compiles a source for the script that runs, and forgets it with the script.
func (m *Machine) Load(text, source, name string) (*lua.LFunction, error) {
	f, err := m.Compile(text, source, name)
	if err != nil {
		return nil, err
	}
	m.loaded = append(m.loaded, f.proto.SourceName)
	return m.function(f), nil
}

// helper returns the function or the value for which a constant of the code stands.
func (m *Machine) helper(name string) lua.LValue {
	if path, ok := strings.CutPrefix(name, syntax.Global); ok {
		return m.constant(path)
	}
	if path, ok := strings.CutPrefix(name, syntax.Unused); ok {
		if f := m.unused[path]; f != nil {
			return f
		}
		return m.constant(path)
	}
	if f := m.helpers[name]; f != nil {
		return f
	}
	return m.step(name)
}
