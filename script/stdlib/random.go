package stdlib

import (
	"cellserver/script/machine"

	"math"

	lua "github.com/yuin/gopher-lua"
)

// A lrand48 is the generator of drand48 with 48 bits, so that a seed gives the numbers that it gives in
// Redis.
type lrand48 uint64

const (
	randMultiplier = 0x5DEECE66D
	randAddend     = 0xB
	randMask       = 1<<48 - 1
	randSeedLow    = 0x330E
	randMax        = math.MaxInt32
)

func (r *lrand48) seed(n int32) { *r = lrand48(uint64(uint32(n))<<16 | randSeedLow) }

func (r *lrand48) next() int32 {
	*r = (*r*randMultiplier + randAddend) & randMask
	return int32(*r >> 17)
}

func (m *library) mathRandom(L *lua.LState) int {
	r := float64(m.random.next()%randMax) / randMax
	switch L.GetTop() {
	case 0:
		return machine.PushNumber(L, r)
	case 1:
		most := m.Int32(L, 1)
		if most < 1 {
			m.ArgError(L, 1, "interval is empty")
		}
		return machine.PushNumber(L, math.Floor(r*float64(most))+1)
	case 2:
		least, most := m.Int32(L, 1), m.Int32(L, 2)
		if least > most {
			m.ArgError(L, 2, "interval is empty")
		}
		return machine.PushNumber(L, math.Floor(r*float64(int32(most-least+1)))+float64(least))
	}
	m.Raise(L, "wrong number of arguments")
	return 0
}

func (m *library) randomSeed(L *lua.LState) int {
	m.random.seed(int32(m.Int32(L, 1)))
	return 0
}
