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

// reset removes what remains of a script.
func (l *library) reset() {
	l.random = lrand48(rand.Uint64() & randMask)
	clear(l.threads)
}
