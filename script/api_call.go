package script

import (
	"strconv"

	"cellserver/script/lua51"

	lua "github.com/yuin/gopher-lua"
)

// caller makes redis.call, and redis.pcall if it does not raise. Most scripts of limiters ignore the replies
// of their writes: then the reply is not wanted, and the script gets none.
func (e *Engine) caller(raise, wanted bool) lua.LGFunction {
	return func(L *lua.LState) int {
		e.m.Step(callSteps)
		args, problem := e.arguments(L)
		if problem != "" {
			return e.misused(L, raise, problem)
		}
		reply, stop := e.run.Caller.Call(args, e.run.resp)
		if stop != nil {
			e.m.Stop(stop.Error())
		}
		failed := raise && reply[0] == '-'
		if !wanted && !failed {
			return 0
		}
		value, _ := e.toLua(reply)
		if failed {
			e.m.RaiseValue(L, value)
		}
		return push(L, value)
	}
}

// misused ends a call that is none.
func (e *Engine) misused(L *lua.LState, raise bool, problem string) int {
	if raise {
		e.raise(L, problem)
	}
	return push(L, e.ownError(L, problem))
}

// callSteps is how many steps a command counts.
const callSteps = 10

// arguments returns the arguments of a call as bytes, which the next call overwrites.
func (e *Engine) arguments(L *lua.LState) (args [][]byte, problem string) {
	n := L.GetTop()
	if n == 0 {
		return nil, "Please specify at least one argument for this redis lib call"
	}
	size := 0
	for i := 1; i <= n; i++ {
		switch v := L.Get(i).(type) {
		case lua.LString:
			size += len(v)
		case lua.LNumber:
			size += numberSize
		default:
			return nil, "Lua redis lib command arguments must be strings or integers"
		}
	}
	if cap(e.run.buf) < size {
		e.m.Make(size)
		e.run.buf = make([]byte, 0, size)
	}
	args, buf := e.run.args[:0], e.run.buf[:0]
	for i := 1; i <= n; i++ {
		start := len(buf)
		if s, ok := L.Get(i).(lua.LString); ok {
			buf = append(buf, s...)
		} else {
			buf = appendArgument(buf, float64(L.Get(i).(lua.LNumber)))
		}
		args = append(args, buf[start:len(buf):len(buf)])
	}
	e.run.args, e.run.buf = args, buf
	return args, ""
}

// numberSize is a size in bytes that is enough for every number.
const numberSize = 32

// appendArgument appends a number as %.17g writes it.
func appendArgument(dst []byte, f float64) []byte {
	if i := int64(f); float64(i) == f && i > -1e15 && i < 1e15 && i != 0 {
		return strconv.AppendInt(dst, i, 10)
	}
	return lua51.AppendG(dst, f, lua51.ExactDigits)
}

func (e *Engine) checkCommand(L *lua.LState) int {
	args, problem := e.arguments(L)
	if problem != "" {
		e.raise(L, problem)
	}
	allowed, known := e.run.Caller.Allows(args)
	if !known {
		e.raise(L, "Invalid command passed to redis.acl_check_cmd()")
	}
	return push(L, lua.LBool(allowed))
}
