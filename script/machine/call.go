package machine

import (
	lua "github.com/yuin/gopher-lua"
)

// Run runs a function and returns its first value, or what it raised and where.
func (m *Machine) Run(f *Function) (value lua.LValue, problem *Problem) {
	m.L.Push(m.helpers[trampoline])
	m.L.Push(m.function(f))
	if err := m.L.PCall(1, 1, nil); err != nil {
		return lua.LNil, m.problem(err)
	}
	value = m.L.Get(-1)
	m.L.Pop(1)
	return value, nil
}

// A Problem is an error that ended a script.
type Problem struct {
	Value   lua.LValue
	At      Position
	Stopped bool
}

func (m *Machine) problem(err error) *Problem {
	if m.stopped != nil {
		return &Problem{Value: m.stopped.Object, At: m.stopAt, Stopped: true}
	}
	return &Problem{Value: m.Caught(err), At: m.raisedAt}
}

// trampoline is the helper through which protected calls go. It sets how errors are raised within the call.
const trampoline = "trampoline"

func (m *Machine) trampoline(L *lua.LState) int {
	L.Panic = m.raised
	if f := L.Get(1); f.Type() != lua.LTFunction && MetaField(f, lua.LNil, "__call") == lua.LNil {
		m.RaisePlain(L, operandText("call", "", TypeName(f)))
	}
	L.Call(L.GetTop()-1, lua.MultRet)
	return L.GetTop()
}

// raised is called with an error on top of the stack.
func (m *Machine) raised(L *lua.LState) {
	value := m.translate(L.Get(-1))
	m.raisedAt = m.locate(L)
	panic(&lua.ApiError{Type: lua.ApiErrorRun, Object: value, StackTrace: noTrace})
}

// Caught returns what was raised. A panic of Go in the interpreter is an error too; it wears out the machine.
func (m *Machine) Caught(err error) lua.LValue {
	if m.stopped != nil {
		panic(m.stopped)
	}
	raised, ok := err.(*lua.ApiError)
	if !ok || raised.Type == lua.ApiErrorPanic {
		m.worn = true
		return lua.LString("error in the interpreter: " + err.Error())
	}
	return m.translate(raised.Object)
}

// Protected calls the function on the stack with its arguments. The results are on the stack then, unless
// there is an error.
func (m *Machine) Protected(L *lua.LState, first int) (value lua.LValue, ok bool) {
	m.Enter(L)
	depth := m.depth
	L.Insert(m.helpers[trampoline], first)
	err := L.PCall(L.GetTop()-first, lua.MultRet, nil)
	m.depth = depth - 1
	if err != nil {
		return m.Caught(err), false
	}
	return nil, true
}

// Enter counts a call of Lua from a library function.
func (m *Machine) Enter(L *lua.LState) {
	if m.depth++; m.depth > maxDepth {
		m.depth--
		m.RaisePlain(L, "C stack overflow")
	}
}

// Call calls a function of Lua from a library function, and returns its first value.
func (m *Machine) Call(L *lua.LState, f lua.LValue, args ...lua.LValue) lua.LValue {
	m.Enter(L)
	L.Push(f)
	for _, arg := range args {
		L.Push(arg)
	}
	L.Call(len(args), 1)
	m.depth--
	value := L.Get(-1)
	L.Pop(1)
	return value
}

// Leave ends what Enter began.
func (m *Machine) Leave() { m.depth-- }

// OnlyCalls reports whether all functions below the running one are of Lua and in the middle of a call.
// Others are in the middle of a metamethod or of a library function.
func (m *Machine) OnlyCalls(L *lua.LState) bool {
	for level := 1; ; level++ {
		f, at, ok := m.frame(L, level)
		if !ok {
			return true
		}
		if f == nil || !at.IsCall {
			return false
		}
	}
}
