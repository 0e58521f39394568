package scripting

import "cellserver/commands"

// FUNCTION says that the server has no library of functions. Tools ask at their start, and programs that
// copy a Redis ask for all libraries.
var _ = commands.Register(&commands.Command{
	Name: "function", Arity: -2, Group: commands.GroupScripting, Categories: []string{},
	Subs: []*commands.Command{
		// FUNCTION DUMP replies with the payload of Redis 7.0 for no library.
		{Name: "dump", Arity: 2, Flags: commands.NoScript, Run: functionDump},
		{
			Name: "flush", Arity: -2, Flags: commands.Write | commands.NoScript,
			Tips: commands.AllShardsSucceed, Run: functionFlush,
		},
		{
			Name: "list", Arity: -2, Flags: commands.NoScript, Tips: commands.NondeterministicOrder,
			Run: functionList,
		},
		{
			Name: "stats", Arity: 2, Flags: commands.NoScript | commands.AllowBusy,
			Tips: []string{"nondeterministic_output", "request_policy:all_shards",
				"response_policy:special"},
			Run: functionStats,
		},
		commands.HelpCommand(),
	},
})

const (
	errFunctionFlush commands.Error = "ERR FUNCTION FLUSH only supports SYNC|ASYNC option"
	errLibraryName   commands.Error = "ERR library name argument was not given"
)

// noLibraries is the version 10 of RDB files and the checksum of the payload.
const noLibraries = "\n\x00]\x9b\\@\x0f\x7f\xa2\xda"

func functionDump(c *commands.Call) error {
	c.Out.BulkString(noLibraries)
	return nil
}

func functionFlush(c *commands.Call) error {
	switch n := len(c.Args); {
	case n > 3:
		return c.SubcommandSyntax()
	case n == 3 && !commands.Is(c.Args[2], "async") && !commands.Is(c.Args[2], "sync"):
		return errFunctionFlush
	}
	return commands.ReplyOK(c)
}

func functionList(c *commands.Call) error {
	code, named := false, false
	for i := 2; i < len(c.Args); i++ {
		switch arg := c.Args[i]; {
		case commands.Is(arg, "withcode") && !code:
			code = true
		case commands.Is(arg, "libraryname") && !named:
			if i++; i == len(c.Args) {
				return errLibraryName
			}
			named = true
		default:
			return commands.Error("ERR Unknown argument " + string(arg))
		}
	}
	c.Out.Array(0)
	return nil
}

func functionStats(c *commands.Call) error {
	c.Out.Map(2)
	c.Out.BulkString("running_script")
	c.Out.Null()
	c.Out.BulkString("engines")
	c.Out.Map(1)
	c.Out.BulkString("LUA")
	c.Out.Map(2)
	commands.Number(c.Out, "libraries_count", 0)
	commands.Number(c.Out, "functions_count", 0)
	return nil
}
