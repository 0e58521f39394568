package stdlib

import (
	"cellserver/script/machine"

	lua "github.com/yuin/gopher-lua"
)

// threadCost is what a coroutine costs in bytes.
const threadCost = 32 << 10

// A thread is what the library knows of a coroutine.
type thread struct {
	body   *lua.LFunction // nil once it has begun
	slots  int            // of its stack, as far as they are counted
	wanted int            // results of the yield that it waits in, or -1 for all
}

func (m *library) openCoroutine() {
	m.threads = map[*lua.LState]*thread{}
	m.Library("coroutine", map[string]lua.LGFunction{
		"create": m.coCreate, "resume": m.coResume, "running": m.coRunning, "status": m.coStatus, "wrap": m.coWrap, "yield": m.coYield,
	})
}

// newThread makes a coroutine of a function of Lua.
func (m *library) newThread(L *lua.LState) *lua.LState {
	f, ok := L.Get(1).(*lua.LFunction)
	if !ok || f.IsG {
		m.ArgError(L, 1, "Lua function expected")
	}
	m.Make(threadCost)
	options := L.Options
	L.Options.RegistrySize, L.Options.CallStackSize = machine.ThreadSlots, machine.ThreadFrames
	th, _ := L.NewThread()
	L.Options = options
	m.threads[th] = &thread{body: f, slots: machine.ThreadSlots, wanted: -1}
	return th
}

func (m *library) coCreate(L *lua.LState) int {
	L.Push(m.newThread(L))
	return 1
}

// resume continues a coroutine. Its values, or the error, are the result.
func (m *library) resume(L *lua.LState, th *lua.LState, args []lua.LValue) (values []lua.LValue, problem lua.LValue) {
	m.Enter(L)
	defer m.Leave()
	m.Step(1)
	if status := m.status(L, th); status != "suspended" {
		return nil, lua.LString("cannot resume " + status + " coroutine")
	}
	known := m.threads[th]
	if _, hasFrame := th.GetStack(0); known.body == nil && !hasFrame { // it waits in return coroutine.yield()
		th.Dead = true
		return args, nil
	}
	for len(args) < known.wanted { // the interpreter would leave a variable without a value as it was
		args = append(args, lua.LNil)
	}
	if known.wanted >= 0 {
		args = args[:known.wanted]
	}
	state, err, values := L.Resume(th, known.body, args...)
	known.body = nil
	if n := machine.Slots(th); n > known.slots {
		grown := n - known.slots
		known.slots = n
		m.Make(machine.SlotBytes * grown)
	}
	if state == lua.ResumeError {
		m.WearOut() // a coroutine that fails leaves its values open
		return nil, m.Caught(err)
	}
	return values, nil
}

func (m *library) status(L *lua.LState, th *lua.LState) string {
	switch {
	case th.Dead:
		return "dead"
	case th == L:
		return "running"
	case th.Parent != nil || th == L.G.MainThread:
		return "normal"
	}
	return "suspended"
}

func (m *library) threadArg(L *lua.LState) *lua.LState {
	th, ok := L.Get(1).(*lua.LState)
	if !ok {
		m.ArgError(L, 1, "coroutine expected")
	}
	return th
}

func values(L *lua.LState, first int) (all []lua.LValue) {
	for i := first; i <= L.GetTop(); i++ {
		all = append(all, L.Get(i))
	}
	return all
}

func (m *library) coResume(L *lua.LState) int {
	th := m.threadArg(L)
	results, problem := m.resume(L, th, values(L, 2))
	if problem != nil {
		L.Push(lua.LFalse)
		L.Push(problem)
		return 2
	}
	L.Push(lua.LTrue)
	return 1 + machine.PushAll(L, results)
}

func (m *library) coWrap(L *lua.LState) int {
	th := m.newThread(L)
	m.Make(machine.FuncCost)
	L.Push(m.Func(func(L *lua.LState) int {
		results, problem := m.resume(L, th, values(L, 1))
		if problem != nil {
			if text, ok := problem.(lua.LString); ok {
				problem = lua.LString(m.Where(L, 1)) + text
			}
			m.RaiseValue(L, problem)
		}
		return machine.PushAll(L, results)
	}))
	return 1
}

func (m *library) coRunning(L *lua.LState) int {
	if L == L.G.MainThread {
		L.Push(lua.LNil)
	} else {
		L.Push(L)
	}
	return 1
}

func (m *library) coStatus(L *lua.LState) int {
	L.Push(lua.LString(m.status(L, m.threadArg(L))))
	return 1
}

// coYield gives control back to the function that resumed the coroutine. The interpreter cannot suspend a
// library function or a metamethod, and it does not report an error. So all functions of the coroutine must
// be of Lua, each one in the middle of a call.
func (m *library) coYield(L *lua.LState) int {
	if L.Parent == nil || !m.OnlyCalls(L) {
		m.RaisePlain(L, "attempt to yield across metamethod/C-call boundary")
	}
	m.threads[L].wanted = machine.Wanted(L)
	return -1
}
