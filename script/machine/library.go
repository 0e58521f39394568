package machine

import lua "github.com/yuin/gopher-lua"

// library is what all scripts share, and cannot change.
type library struct {
	global, globalMeta *lua.LTable // the frozen globals, and their metatable as scripts see it

	contents *lua.LTable                 // what they contain
	frozen   map[*lua.LTable]*lua.LTable // the contents of each frozen table
	shown    map[*lua.LTable]*lua.LTable // the frozen table of each of these contents
	texts    lua.LValue                  // the metatable of strings, as scripts see it
	helpers  map[string]*lua.LFunction
	// unused has functions that return nothing, by the path of the function with the same effect that returns
	// something.
	unused map[string]*lua.LFunction
}
