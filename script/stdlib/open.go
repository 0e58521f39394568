package stdlib

import "cellserver/script/machine"

// Open defines the standard library in a machine.
func Open(m *machine.Machine) {
	l := &library{Machine: m}
	l.openBase()
	l.openTable()
	l.openStrings()
	l.openMath()
	l.openCoroutine()
	l.reset()
	m.OnEnd(l.reset)
}
