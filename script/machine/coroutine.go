package machine

import (
	lua "github.com/yuin/gopher-lua"
)

// threadCost is what a coroutine costs in bytes.
const threadCost = 24 << 10

func (m *Machine) openCoroutine() {
	m.bodies = map[*lua.LState]*lua.LFunction{}
	m.Library("coroutine", map[string]lua.LGFunction{
		"create": m.coCreate, "resume": m.coResume, "running": m.coRunning, "status": m.coStatus, "wrap": m.coWrap, "yield": m.coYield,
	})
}

// thread makes a coroutine of a function of Lua.
func (m *Machine) thread(L *lua.LState) *lua.LState {
	f, ok := L.Get(1).(*lua.LFunction)
	if !ok || f.IsG {
		m.ArgError(L, 1, "Lua function expected")
	}
	m.Make(threadCost)
	options := L.Options
	L.Options.RegistrySize, L.Options.CallStackSize = threadSlots, threadFrames
	th, _ := L.NewThread()
	L.Options = options
	m.bodies[th] = f
	return th
}

func (m *Machine) coCreate(L *lua.LState) int {
	L.Push(m.thread(L))
	return 1
}

// resume continues a coroutine. Its values, or the error, are the result.
func (m *Machine) resume(L *lua.LState, th *lua.LState, args []lua.LValue) (values []lua.LValue, problem lua.LValue) {
	m.deeper(L)
	defer func() { m.depth-- }()
	m.Step(1)
	if status := m.status(L, th); status != "suspended" {
		return nil, lua.LString("cannot resume " + nonSuspended(status))
	}
	state, err, values := L.Resume(th, m.bodies[th], args...)
	if m.stopped != nil {
		panic(m.stopped)
	}
	if state == lua.ResumeError {
		m.worn = true // a coroutine that fails leaves its values open
		return nil, m.caught(err)
	}
	return values, nil
}

func nonSuspended(status string) string { return status + " coroutine" }

func (m *Machine) status(L *lua.LState, th *lua.LState) string {
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

func (m *Machine) threadArg(L *lua.LState) *lua.LState {
	th, ok := L.Get(1).(*lua.LState)
	if !ok {
		m.ArgError(L, 1, "coroutine expected")
	}
	return th
}

func values(L *lua.LState, first int) []lua.LValue {
	var all []lua.LValue
	for i := first; i <= L.GetTop(); i++ {
		all = append(all, L.Get(i))
	}
	return all
}

func (m *Machine) coResume(L *lua.LState) int {
	th := m.threadArg(L)
	results, problem := m.resume(L, th, values(L, 2))
	if problem != nil {
		L.Push(lua.LFalse)
		L.Push(problem)
		return 2
	}
	L.Push(lua.LTrue)
	for _, v := range results {
		L.Push(v)
	}
	return 1 + len(results)
}

func (m *Machine) coWrap(L *lua.LState) int {
	th := m.thread(L)
	L.Push(m.Func(func(L *lua.LState) int {
		results, problem := m.resume(L, th, values(L, 1))
		if problem != nil {
			if text, ok := problem.(lua.LString); ok {
				problem = lua.LString(m.Where(L, 1)) + text
			}
			m.RaiseValue(L, problem)
		}
		for _, v := range results {
			L.Push(v)
		}
		return len(results)
	}))
	return 1
}

func (m *Machine) coRunning(L *lua.LState) int {
	if L == L.G.MainThread {
		L.Push(lua.LNil)
	} else {
		L.Push(L)
	}
	return 1
}

func (m *Machine) coStatus(L *lua.LState) int {
	L.Push(lua.LString(m.status(L, m.threadArg(L))))
	return 1
}

// coYield gives control back. The interpreter cannot leave a library function or a metamethod in the middle, and does
// not notice it: all functions of the coroutine must be of Lua, and each one in the middle of a call.
func (m *Machine) coYield(L *lua.LState) int {
	for level := 1; ; level++ {
		f, at, ok := m.frame(L, level)
		if !ok {
			break
		}
		if f == nil || !at.IsCall {
			m.RaisePlain(L, "attempt to yield across metamethod/C-call boundary")
		}
	}
	if L.Parent == nil {
		m.RaisePlain(L, "attempt to yield across metamethod/C-call boundary")
	}
	return -1
}
