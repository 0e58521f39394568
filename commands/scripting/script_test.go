package scripting

import (
	"testing"

	"cellserver/commands"
	"cellserver/script"
	"cellserver/server/servertest"
)

const errNotRunning commands.Error = "NOTBUSY No scripts in execution right now."

func TestScript(t *testing.T) {
	h := servertest.New(t)
	sha := script.SHA([]byte("return 7"))
	h.Want("SCRIPT LOAD 'return 7'", sha)
	h.Want("SCRIPT LOAD 'return 7'", sha)
	h.Want("EVALSHA "+sha+" 0", 7)
	h.Want("EVALSHA_RO "+sha+" 0", 7)
	h.Want("SCRIPT EXISTS "+sha+" x", []any{1, 0})
	h.Want("SCRIPT FLUSH x", errFlushMode)
	h.Want("SCRIPT FLUSH async", ok)
	h.Want("SCRIPT EXISTS "+sha, []any{0})
	h.Want("EVALSHA "+sha+" 0", commands.Error("NOSCRIPT No matching script. Please use EVAL."))
	h.Want("SCRIPT KILL", errNotRunning)
	h.Want("SCRIPT LOAD 'x y'", commands.Error("ERR Error compiling script (new function): user_script:1: '=' expected near 'y'"))
	h.Want("SCRIPT LOAD '#!lua flags=no-writes'", commands.Error("ERR Invalid script shebang"))
}
