package machine

import (
	"fmt"
	"reflect"
	"unsafe"

	"cellserver/script/lua51"

	lua "github.com/yuin/gopher-lua"
)

// ToNumber returns a number, or what a string means as a number.
func ToNumber(v lua.LValue) (float64, bool) {
	switch v := v.(type) {
	case lua.LNumber:
		return float64(v), true
	case lua.LString:
		return lua51.ParseNumber(string(v))
	}
	return 0, false
}

// Text returns a value as tostring shows it, without metatables.
func Text(v lua.LValue) string {
	switch v := v.(type) {
	case lua.LNumber:
		return lua51.Number(float64(v))
	case *lua.LFunction:
		if v.IsG {
			return fmt.Sprintf("function: builtin: %p", v)
		}
	case *lua.LUserData:
		if v.Value == nil {
			return "userdata: (nil)"
		}
	}
	return v.String()
}

// AppendText appends a string or a number.
func AppendText(dst []byte, v lua.LValue) []byte {
	if n, ok := v.(lua.LNumber); ok {
		return append(dst, lua51.Number(float64(n))...)
	}
	return append(dst, v.(lua.LString)...)
}

// IsText reports whether a value is a string or a number.
func IsText(v lua.LValue) bool {
	switch v.(type) {
	case lua.LString, lua.LNumber:
		return true
	}
	return false
}

// MetaField returns a field of the metatable of `a`. If there is no such field, it returns the field of the
// metatable of `b`.
func MetaField(a, b lua.LValue, event string) lua.LValue {
	for _, v := range []lua.LValue{a, b} {
		var meta lua.LValue
		switch v := v.(type) {
		case *lua.LTable:
			meta = v.Metatable
		case *lua.LUserData:
			meta = v.Metatable
		}
		if t, ok := meta.(*lua.LTable); ok {
			if f := t.RawGetString(event); f != lua.LNil {
				return f
			}
		}
	}
	return lua.LNil
}

// PushFilled returns a string of bytes that are counted, and that nobody changes any more.
func PushFilled(L *lua.LState, b []byte) int {
	L.Push(lua.LString(unsafe.String(unsafe.SliceData(b), len(b))))
	return 1
}

// PushAll returns values.
func PushAll(L *lua.LState, values []lua.LValue) int {
	for _, v := range values {
		L.Push(v)
	}
	return len(values)
}

// Slots returns how many values the stack of a thread has room for.
func Slots(L *lua.LState) int { return stackOf(L).Len() }

func stackOf(L *lua.LState) reflect.Value {
	return reflect.ValueOf(L).Elem().FieldByIndex(registryField).Elem().FieldByIndex(arrayField)
}

// Wanted returns how many results the caller of the running function takes. It is negative if the caller takes all.
func Wanted(L *lua.LState) int {
	return int(reflect.ValueOf(L).Elem().FieldByName("currentFrame").Elem().FieldByName("NRet").Int())
}

// framesOf returns the frames of the calls of a thread, which its owner may set.
func framesOf(L *lua.LState) reflect.Value {
	array := reflect.ValueOf(L).Elem().FieldByName("stack").Elem().Elem().FieldByName("array")
	return reflect.NewAt(array.Type(), unsafe.Pointer(array.UnsafeAddr())).Elem()
}

// clearFrames clears the frames of calls. The frame of a call that has ended still refers to its function, and
// with it to all that the function has used.
func clearFrames(frames reflect.Value) {
	for i := range frames.Len() {
		frame := frames.Index(i)
		if frame.IsZero() {
			return // no call was so deep
		}
		frame.SetZero()
	}
}

// registryField and arrayField are where a thread has its stack of values, and the stack its values.
var registryField, arrayField = func() (registry, array []int) {
	r, isThread := reflect.TypeFor[lua.LState]().FieldByName("reg")
	a, isStack := r.Type.Elem().FieldByName("array")
	if !isThread || !isStack {
		panic("script: a thread has no stack of values")
	}
	return r.Index, a.Index
}()
