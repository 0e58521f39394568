package machine

import (
	"errors"
	"reflect"
	"strings"

	lua "github.com/yuin/gopher-lua"
)

// The bounds on the stacks.
const (
	maxFrames    = 20000 // calls within calls, as in Lua 5.1
	maxDepth     = 200   // calls of Lua from library functions within each other
	firstSlots   = 1024
	maxSlots     = 1 << 20 // values of all frames
	slotStep     = 8192
	keptSlots    = 4 * slotStep
	ThreadFrames = 200 // of a coroutine
	ThreadSlots  = 256
	SlotBytes    = 16
)

// MaxArray is the first index that is not in the array of a table but in its hash.
const MaxArray = 1 << 20

func init() { lua.MaxArrayIndex = MaxArray }

// A Machine is one interpreter. Call Begin before a script, and End after it.
type Machine struct {
	budget
	L *lua.LState

	library
	stack   reflect.Value // of the values of the main thread
	frames  reflect.Value // of the calls of the main thread
	chunks  map[string]*Function
	loaded  []string // the chunks that the script itself has loaded
	chunkID int

	keys, argv *filled
	resets     []func()
	progress
}

// progress is where the script is.
type progress struct {
	depth    int
	counted  int      // slots of the main thread
	raisedAt Position // of the last error
}

// Define adds a global variable.
func (m *Machine) Define(name string, value lua.LValue) { m.contents.RawSetString(name, value) }

// Library makes a library of functions and defines it as a global variable.
func (m *Machine) Library(name string, functions map[string]lua.LGFunction) *lua.LTable {
	t := m.L.CreateTable(0, len(functions))
	for key, f := range functions {
		t.RawSetString(key, m.Func(f))
	}
	m.Define(name, t)
	return t
}

// Func makes a function of Lua.
func (m *Machine) Func(f lua.LGFunction) *lua.LFunction { return m.L.NewFunction(f) }

// Unused adds a function that the machine calls in place of another one if the script does not use the result.
func (m *Machine) Unused(path string, f lua.LGFunction) { m.unused[path] = m.Func(f) }

// OnEnd adds a function that the machine calls after each call. With it a library removes what remains of the
// call.
func (m *Machine) OnEnd(reset func()) { m.resets = append(m.resets, reset) }

// Begin prepares a call: its keys, its arguments and a fresh budget. check is asked every few steps whether
// the script may go on; its error stops the script. Begin returns an error if the keys and arguments alone
// exceed the memory of a script.
func (m *Machine) Begin(keys, args [][]byte, check func() error) error {
	m.budget.begin(check)
	m.counted = m.slots()
	if !m.keys.fill(m, keys) || !m.argv.fill(m, args) {
		return errors.New(m.refusal(0))
	}
	return nil
}

// End forgets what the call leaves. It reports whether the machine can be used again.
func (m *Machine) End() bool {
	if m.stopped != nil || m.worn || m.slots() > keptSlots {
		return false
	}
	m.L.SetTop(0)
	if m.made > keptBytes {
		clearFrames(m.frames)
	}
	for _, reset := range m.resets {
		reset()
	}
	m.keys.forget()
	m.argv.forget()
	for _, name := range m.loaded {
		delete(m.chunks, name)
	}
	m.loaded, m.depth, m.check = m.loaded[:0], 0, nil
	return true
}

// slots returns how large the stack of values has grown. It does not shrink, so a machine with a large one is not kept.
func (m *Machine) slots() int { return m.stack.Len() }

// makeSlots counts the stack of values of the main thread if it has grown since the last time. A stack moves
// each time that it grows by slotStep, so its whole length counts each time.
func (m *Machine) makeSlots() {
	if n, before := m.slots(), m.counted; n > before {
		m.counted = n
		m.Make(SlotBytes * (n + before) / 2 * ((n-before)/slotStep + 1))
	}
}

// known reports whether a path such as "redis" or "redis.call" is a value that never changes.
func (m *Machine) known(path string) bool { return m.constant(path) != nil }

// constant returns the value of a path, or nil.
func (m *Machine) constant(path string) lua.LValue {
	name, field, isField := strings.Cut(path, ".")
	v := m.contents.RawGetString(name)
	if isField {
		t, ok := v.(*lua.LTable)
		if !ok || m.frozen[t] == nil {
			return nil
		}
		v = m.frozen[t].RawGetString(field)
	}
	if lua.LVIsFalse(v) {
		return nil
	}
	return v
}

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
