package lib

import (
	"cellserver/script/machine"

	lua "github.com/yuin/gopher-lua"
)

// A cjson is one instance of the library, with its options.
type cjson struct {
	m    *machine.Machine
	null *lua.LUserData
	jsonOptions
}

// The limits of cjson.
const maxJSONDepth = 1000

// jsonOptions are what a script can set.
type jsonOptions struct {
	encodeDepth, decodeDepth int
	precision                int
	encodeInvalid            invalid
	decodeInvalid            bool
	keepBuffer               bool
	sparseConvert            bool
	sparseRatio, sparseSafe  int
}

// An invalid is the setting that says what encode does with numbers that JSON does not have.
type invalid string

const (
	refuseInvalid invalid = "off"
	encodeInvalid invalid = "on"
	nullInvalid   invalid = "null"
)

func defaultOptions() jsonOptions {
	return jsonOptions{
		encodeDepth: maxJSONDepth, decodeDepth: maxJSONDepth, precision: 14, encodeInvalid: refuseInvalid, decodeInvalid: true,
		keepBuffer: true, sparseRatio: 2, sparseSafe: 10,
	}
}

func openCJSON(m *machine.Machine) {
	j := &cjson{m: m, null: &lua.LUserData{Metatable: lua.LNil}, jsonOptions: defaultOptions()}
	m.OnEnd(func() { j.jsonOptions = defaultOptions() })
	t := m.Library("cjson", j.functions())
	j.complete(t)
}

func (j *cjson) functions() map[string]lua.LGFunction {
	return map[string]lua.LGFunction{
		"encode": j.encode, "decode": j.decode, "new": j.fresh,
		"encode_max_depth":        j.intOption(&j.encodeDepth, 1, maxInt),
		"decode_max_depth":        j.intOption(&j.decodeDepth, 1, maxInt),
		"encode_number_precision": j.intOption(&j.precision, 1, 14),
		"encode_keep_buffer":      j.boolOption(&j.keepBuffer),
		"decode_invalid_numbers":  j.boolOption(&j.decodeInvalid),
		"encode_invalid_numbers":  j.invalidOption,
		"encode_sparse_array":     j.sparseOption,
	}
}

// complete adds the fields of the library that are not functions.
func (j *cjson) complete(t *lua.LTable) {
	t.RawSetString("null", j.null)
	t.RawSetString("_NAME", lua.LString("cjson"))
	t.RawSetString("_VERSION", lua.LString("2.1.0"))
}

// fresh is cjson.new: an instance with options of its own.
func (j *cjson) fresh(L *lua.LState) int {
	other := &cjson{m: j.m, null: j.null, jsonOptions: defaultOptions()}
	functions := other.functions()
	t := j.m.NewTable(0, len(functions)+3)
	j.m.Make(machine.FuncCost * len(functions))
	for name, f := range functions {
		t.RawSetString(name, j.m.Func(f))
	}
	other.complete(t)
	L.Push(t)
	return 1
}

// one checks that a function has one argument.
func (j *cjson) one(L *lua.LState) {
	if L.GetTop() != 1 {
		j.m.ArgError(L, 1, "expected 1 argument")
	}
}
