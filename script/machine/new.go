package machine

import (
	"cellserver/script/lua51"
	"cellserver/script/syntax"

	lua "github.com/yuin/gopher-lua"
)

// New makes an interpreter without libraries. They are added with Library and Define, until Freeze.
func New(limits Limits) *Machine {
	m := &Machine{
		budget: budget{limits: limits},
		library: library{
			frozen:  map[*lua.LTable]*lua.LTable{},
			shown:   map[*lua.LTable]*lua.LTable{},
			helpers: map[string]*lua.LFunction{},
			unused:  map[string]*lua.LFunction{},
		},
		chunks: map[string]*Function{},
	}
	m.L = lua.NewState(lua.Options{
		CallStackSize: maxFrames,
		RegistrySize:  firstSlots, RegistryMaxSize: maxSlots, RegistryGrowStep: slotStep, SkipOpenLibs: true,
	})
	m.stack, m.frames = stackOf(m.L), framesOf(m.L)
	m.budget.locate = m.locate
	m.contents = m.L.CreateTable(0, 64)
	m.keys, m.argv = newFilled(m.L.CreateTable(0, 0)), newFilled(m.L.CreateTable(0, 0))
	m.Define("KEYS", m.keys.LTable)
	m.Define("ARGV", m.argv.LTable)
	m.openHelpers()
	return m
}

func (m *Machine) openHelpers() {
	for name, f := range map[string]lua.LGFunction{
		trampoline:      m.trampoline,
		syntax.Concat:   m.concat,
		syntax.Set:      m.set,
		syntax.Extend:   m.extend,
		syntax.Key:      m.key,
		syntax.Text:     func(L *lua.LState) int { return 1 },
		syntax.Mod:      m.arithmetic("__mod", lua51.Mod),
		syntax.Pow:      m.arithmetic("__pow", lua51.Pow),
		syntax.ForInit:  m.forNumber("initial value"),
		syntax.ForLimit: m.forNumber("limit"),
		syntax.ForStep:  m.forNumber("step"),
	} {
		m.helpers[name] = m.Func(f)
	}
}
