package script

import (
	"strings"

	"cellserver/script/machine"

	lua "github.com/yuin/gopher-lua"
)

// openAPI makes the library redis. Scripts of Valkey call it server.
func (e *Engine) openAPI(m *machine.Machine) {
	t := m.Library("redis", map[string]lua.LGFunction{
		"call":               e.caller(true, true),
		"pcall":              e.caller(false, true),
		"error_reply":        e.errorReply,
		"status_reply":       e.statusReply,
		"sha1hex":            e.sha1hex,
		"log":                e.log,
		"setresp":            e.setResp,
		"set_repl":           e.setRepl,
		"acl_check_cmd":      e.checkCommand,
		"replicate_commands": func(L *lua.LState) int { return push(L, lua.LTrue) },
		"breakpoint":         func(L *lua.LState) int { return push(L, lua.LFalse) },
		"debug":              func(*lua.LState) int { return 0 },
	})
	for _, name := range []string{"redis", "server"} {
		m.Unused(name+".call", e.caller(true, false))
		m.Unused(name+".pcall", e.caller(false, false))
	}
	for name, n := range map[string]int{
		"LOG_DEBUG": 0, "LOG_VERBOSE": 1, "LOG_NOTICE": 2, "LOG_WARNING": 3,
		"REPL_NONE": 0, "REPL_AOF": 1, "REPL_SLAVE": 2, "REPL_REPLICA": 2, "REPL_ALL": 3,
		"REDIS_VERSION_NUM": e.options.VersionNum,
	} {
		t.RawSetString(name, lua.LNumber(n))
	}
	t.RawSetString("REDIS_VERSION", lua.LString(e.options.Version))
	m.Define("server", t)
}

func push(L *lua.LState, v lua.LValue) int {
	L.Push(v)
	return 1
}

// errorTable makes the table of an error. A text without a code, which is one word, gets the code ERR in
// Redis 7.
func errorTable(m *machine.Machine, text string, style Style) *lua.LTable {
	if style == Redis7 && !strings.Contains(text, " ") {
		text = "ERR " + text
	}
	t := m.NewTable(0, 2)
	t.RawSetString("err", lua.LString(oneLine(text)))
	return t
}

// ownError makes the error of a function of the library, whose text has no code.
func (e *Engine) ownError(L *lua.LState, text string) *lua.LTable {
	if e.run.Style == Redis6 {
		return e.field("err",
			lua.LString(strings.Replace(e.m.Where(L, 1), "user_script:", "@user_script: ", 1)+text))
	}
	return e.field("err", lua.LString("ERR "+text))
}

func (e *Engine) raise(L *lua.LState, text string) { e.m.RaiseValue(L, e.ownError(L, text)) }

func (e *Engine) errorReply(L *lua.LState) int {
	text, ok := L.Get(1).(lua.LString)
	if !ok || L.GetTop() != 1 {
		return push(L, e.ownError(L, "wrong number or type of arguments"))
	}
	e.m.MakeText(2 * len(text))
	return push(L, errorTable(e.m, strings.TrimPrefix(string(text), "-"), e.run.Style))
}

func (e *Engine) statusReply(L *lua.LState) int {
	text, ok := L.Get(1).(lua.LString)
	if !ok || L.GetTop() != 1 {
		return push(L, e.ownError(L, "wrong number or type of arguments"))
	}
	return push(L, e.field("ok", text))
}

func (e *Engine) sha1hex(L *lua.LState) int {
	if L.GetTop() != 1 {
		e.raise(L, "wrong number of arguments")
	}
	text := ""
	switch v := L.Get(1).(type) {
	case lua.LString, lua.LNumber:
		text = machine.Text(v)
	}
	e.m.Step(len(text) / 256)
	return e.m.PushText(L, SHA(bytesOf(text)))
}

func (e *Engine) log(L *lua.LState) int {
	if L.GetTop() < 2 {
		e.raise(L, "redis.log() requires two arguments or more.")
	}
	level, ok := e.m.ToNumber(L.Get(1))
	switch {
	case !ok:
		e.raise(L, "First argument must be a number (log level).")
	case int(level) < 0 || int(level) > 3:
		e.raise(L, "Invalid debug level.")
	}
	var words []string
	size := 0
	for i := 2; i <= L.GetTop(); i++ {
		switch v := L.Get(i).(type) {
		case lua.LString, lua.LNumber:
			words = append(words, machine.Text(v))
			size += len(words[len(words)-1])
		}
	}
	e.m.Make(logCopies * size)
	e.run.Caller.Log(int(level), strings.Join(words, " "))
	return 0
}

// logCopies is how often the bytes of a line of the log are in memory: as one text, and as the log quotes it.
const logCopies = 6

func (e *Engine) setResp(L *lua.LState) int {
	if L.GetTop() != 1 {
		e.raise(L, "redis.setresp() requires one argument.")
	}
	version, _ := e.m.ToNumber(L.Get(1))
	if v := int(version); v != 2 && v != 3 {
		e.raise(L, "RESP version must be 2 or 3.")
	}
	e.run.resp = int(version)
	return 0
}

// setRepl accepts what Redis accepts. All effects are logged in any case: a log that lacks some would lose
// data.
func (e *Engine) setRepl(L *lua.LState) int {
	if L.GetTop() != 1 {
		e.raise(L, "redis.set_repl() requires two arguments.")
	}
	if flags, _ := e.m.ToNumber(L.Get(1)); int(flags)&^3 != 0 {
		e.raise(L, "Invalid replication flags. Use REPL_AOF, REPL_REPLICA, REPL_ALL or REPL_NONE.")
	}
	return 0
}
