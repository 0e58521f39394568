package machine

import (
	"reflect"

	lua "github.com/yuin/gopher-lua"
)

// Walk counts the work of passing all fields of a table.
func (m *Machine) Walk(t *lua.LTable) { m.Step(Fields(t) / fieldsPassed) }

// Fields returns how many fields the hash of a table has, the deleted ones, too, and how long its array is.
func Fields(t *lua.LTable) int {
	return t.Len() + reflect.ValueOf(t).Elem().Field(keysField).Len()
}

// keysField is where a table has the keys of its hash.
var keysField = func() int {
	keys, isThere := reflect.TypeFor[lua.LTable]().FieldByName("keys")
	if !isThere {
		panic("script: a table has no list of keys")
	}
	return keys.Index[0]
}()
