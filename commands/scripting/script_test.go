package scripting

import (
	"fmt"
	"testing"

	"cellserver/commands"
	"cellserver/script"
	"cellserver/server/servertest"

	"github.com/stretchr/testify/require"
)

const errNotRunning commands.Error = "NOTBUSY No scripts in execution right now."

func TestScript(t *testing.T) {
	h := servertest.New(t)
	sha := script.SHA([]byte("return 7"))
	h.Want("SCRIPT LOAD 'return 7'", sha)
	h.Want("SCRIPT LOAD 'return 7'", sha)
	h.Want("EVALSHA "+sha+" 0", 7)
	require.Equal(t, "1", h.Info("memory")["number_of_cached_scripts"])
	require.Equal(t, "264", h.Info("memory")["used_memory_scripts"])
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

// TestLoadedScriptsStay: others load many scripts, and a client still finds its own.
func TestLoadedScriptsStay(t *testing.T) {
	h := servertest.New(t)
	sha := script.SHA([]byte("return 7"))
	h.Want("SCRIPT LOAD 'return 7'", sha)
	for i := range 5000 {
		h.Do(fmt.Sprintf("SCRIPT LOAD 'return %d'", 1000+i))
	}
	h.Want("EVALSHA "+sha+" 0", 7)
	require.Equal(t, "0", h.Info("stats")["evicted_scripts"])
	require.Equal(t, "5001", h.Info("memory")["number_of_cached_scripts"])
}

// TestScriptFlushInATransaction: the server has looked for the script before the transaction forgets it.
func TestScriptFlushInATransaction(t *testing.T) {
	h := servertest.New(t)
	sha := script.SHA([]byte("return 7"))
	h.Want("SCRIPT LOAD 'return 7'", sha)
	h.Want("MULTI", ok)
	for _, line := range []string{"SCRIPT FLUSH", "EVAL 'return 8' 0", "EVALSHA " + sha + " 0"} {
		h.Want(line, servertest.Queued)
	}
	h.Want("EXEC", []any{ok, 8, commands.Error("NOSCRIPT No matching script. Please use EVAL.")})
}
