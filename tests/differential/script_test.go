package differential

import (
	"bufio"
	"bytes"
	_ "embed"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"cellserver/resp"
	lua "cellserver/script"

	"github.com/stretchr/testify/require"
)

//go:embed testdata/scripts.txt
var scriptLines string

// A noCommands is a caller for scripts that call nothing.
type noCommands struct{}

func (noCommands) Call([][]byte, int) (reply []byte, stop error) {
	return []byte("-ERR Unknown Redis command called from script\r\n"), nil
}
func (noCommands) Log(int, string)                       {}
func (noCommands) Allows([][]byte) (allowed, known bool) { return true, true }

// newEngine makes an engine that says of itself what redis-server 7.0.15 says.
func newEngine() *lua.Engine {
	return lua.New(lua.Options{Version: "7.0.15", VersionNum: 0x0007000f})
}

// runScript runs a script in the engine and returns the reply as a client of RESP2 receives it.
func runScript(e *lua.Engine, source string, keys, args []string) reply {
	s, err := e.Compile([]byte(source))
	if err != nil {
		return reply{kind: '-', text: strings.NewReplacer("\r", " ", "\n", " ").Replace("ERR " + err.Error())}
	}
	var out resp.Writer
	failure := e.Run(s, lua.Run{Keys: byteSlices(keys), Args: byteSlices(args), Caller: noCommands{}, Out: &out})
	if failure != nil {
		out.Reset()
		out.Error(failure.Text)
	}
	got, err := (&wire{in: bufio.NewReader(bytes.NewReader(out.Bytes()))}).read()
	if err != nil {
		panic(err)
	}
	return got
}

func byteSlices(all []string) (b [][]byte) {
	for _, s := range all {
		b = append(b, []byte(s))
	}
	return b
}

// operandNames finds how an error names an operand. Lua finds the name in its code, and finds another one, or none, for
// the result of "and" and "or".
var operandNames = regexp.MustCompile(`(local|global|field|upvalue|method|constant) '[^']*' \((a \w+ value)\)`)

// withoutNames returns a reply without the names of operands. Of an endless reply only the error is left: Redis nests
// 8,000 arrays around it, and the call that overflows the stack is not always the same one.
func withoutNames(r reply) string {
	text := operandNames.ReplaceAllString(r.String(), "$2")
	for _, endless := range []string{"reached lua stack limit", "stack overflow"} {
		if strings.Contains(text, endless) {
			return endless
		}
	}
	return strings.ReplaceAll(text, "-0", "0") // a chunk of Lua has one constant for 0 and -0: the one that it has first
}

// sameScript compares a script in the engine with the same one in Redis.
func sameScript(t *testing.T, redis *peer, e *lua.Engine, source string, keys, args []string) bool {
	t.Helper()
	want, err := redis.eval(source, keys, args)
	require.NoError(t, err, "redis does not answer to:\n%s", source)
	return sameReply(t, want, e, source, keys, args)
}

func (p *peer) eval(source string, keys, args []string) (reply, error) {
	command := append([]string{"EVAL", source, strconv.Itoa(len(keys))}, keys...)
	return p.admin.do(append(command, args...)...)
}

// sameReply compares a script in the engine with the reply of Redis.
func sameReply(t *testing.T, want reply, e *lua.Engine, source string, keys, args []string) bool {
	t.Helper()
	want.text = strings.TrimRight(want.text, " ") // Redis ends an error of its compiler with a line end
	got := runScript(e, source, keys, args)
	if want.String() == got.String() || withoutNames(want) == withoutNames(got) {
		return true
	}
	t.Errorf("%s\nkeys %q args %q\n redis: %s\n  ours: %s", source, keys, args, want, got)
	return false
}

// TestScriptsOneByOne runs the lines of testdata/scripts.txt.
func TestScriptsOneByOne(t *testing.T) {
	redis, e := startRedis(t, false), newEngine()
	for line := range strings.Lines(scriptLines) {
		if line = strings.TrimSuffix(line, "\n"); line == "" || strings.HasPrefix(line, "--") {
			continue
		}
		source, err := strconv.Unquote(`"` + strings.ReplaceAll(line, `"`, `\"`) + `"`)
		if err != nil || !strings.Contains(line, `\x0a`) {
			source = line
		}
		sameScript(t, redis, e, source, []string{"k1", "k2"}, []string{"10", "x", "0x1f", ""})
	}
}
