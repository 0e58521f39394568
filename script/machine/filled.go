package machine

import (
	"reflect"

	lua "github.com/yuin/gopher-lua"
)

// filled is a table of texts, KEYS or ARGV. Each run fills it again. It keeps a text that the previous run
// had at the same index, because most runs get nearly the same texts.
type filled struct {
	*lua.LTable
	n, bytes int           // of the texts
	array    reflect.Value // the parts of the table
	fields   reflect.Value
}

func newFilled(t *lua.LTable) *filled {
	parts := reflect.ValueOf(t).Elem()
	return &filled{LTable: t, array: parts.FieldByName("array"), fields: parts.FieldByName("keys")}
}

// keptBytes is how many bytes of a run the machine may keep until the next one. These are texts of a table,
// which the next run overwrites, and what the frames of calls refer to.
const keptBytes = 4 << 10

// fill fills the table. It reports false if the script must not make so much.
func (t *filled) fill(m *Machine, values [][]byte) bool {
	t.bytes = 0
	for _, v := range values {
		t.bytes += len(v)
	}
	if !m.MayMake(TextCost*len(values) + t.bytes) {
		return false
	}
	if len(values) != t.n || !t.asFilled() {
		*t.LTable = *m.L.CreateTable(len(values), 0)
	}
	t.n = len(values)
	for i, v := range values {
		if before, ok := t.RawGetInt(i + 1).(lua.LString); !ok || string(before) != string(v) {
			t.RawSetInt(i+1, lua.LString(v))
		}
	}
	return true
}

// asFilled reports whether the previous script has added nothing to the table.
func (t *filled) asFilled() bool {
	return t.array.Len() == t.n && t.array.Cap() <= 2*t.n && t.fields.Len() == 0 && t.Metatable == lua.LNil
}

// forget drops large texts.
func (t *filled) forget() {
	if t.bytes > keptBytes || t.n > keptBytes/TextCost {
		*t.LTable, t.n = lua.LTable{Metatable: lua.LNil}, 0
	}
}
