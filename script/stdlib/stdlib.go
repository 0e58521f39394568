package stdlib

import (
	"math/rand/v2"

	"cellserver/script/machine"

	lua "github.com/yuin/gopher-lua"
)

// A library is the standard library in one machine.
type library struct {
	*machine.Machine
	random  lrand48
	threads map[*lua.LState]*thread // coroutines
}

// Open defines the standard library in a machine.
func Open(m *machine.Machine) {
	l := &library{Machine: m}
	l.openBase()
	l.openTable()
	l.openStrings()
	l.openMath()
	l.openCoroutine()
	m.OnBegin(l.begin)
}

// begin removes what remains of the previous script.
func (l *library) begin() {
	l.random = lrand48(rand.Uint64() & randMask)
	clear(l.threads)
}
