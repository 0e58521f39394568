package scripting

import "cellserver/commands"

// SCRIPT manages the scripts that the server knows.
var _ = commands.Register(&commands.Command{
	Name: "script", Arity: -2, Group: commands.GroupScripting, Categories: []string{},
	Subs: []*commands.Command{
		// SCRIPT EXISTS sha1 … replies with 1 for each script that the server knows, and with 0 for the
		// others.
		{
			Name: "exists", Arity: -3, Flags: commands.NoScript,
			Tips: []string{"request_policy:all_shards", "response_policy:agg_logical_and"}, Run: exists,
		},
		// SCRIPT FLUSH [ASYNC | SYNC] forgets all scripts. Running scripts go on.
		{Name: "flush", Arity: -2, Flags: commands.NoScript, Tips: commands.AllNodesSucceed, Run: flush},
		// SCRIPT KILL ends the scripts that take long, unless they have written.
		{
			Name: "kill", Arity: 2, Flags: commands.NoScript | commands.AllowBusy,
			Tips: []string{"request_policy:all_shards", "response_policy:one_succeeded"}, Run: kill,
		},
		// SCRIPT LOAD script keeps a script for EVALSHA. It replies with the SHA-1 of the script.
		{
			Name: "load", Arity: 3, Flags: commands.NoScript | commands.Stale,
			Tips: commands.AllNodesSucceed, Run: load,
		},
		commands.HelpCommand(),
	},
})

const errFlushMode commands.Error = "ERR SCRIPT FLUSH only support SYNC|ASYNC option"

func exists(c *commands.Call) error {
	c.Out.Array(len(c.Args) - 2)
	for _, sha := range c.Args[2:] {
		n := int64(0)
		if c.Server.Scripts.Exists(sha) {
			n = 1
		}
		c.Out.Int(n)
	}
	return nil
}

func flush(c *commands.Call) error {
	if n := len(c.Args); n > 3 || n == 3 && !commands.Is(c.Args[2], "async") && !commands.Is(c.Args[2], "sync") {
		return errFlushMode
	}
	c.Server.Scripts.Flush()
	return commands.ReplyOK(c)
}

func load(c *commands.Call) error {
	sha, err := c.Server.Scripts.Load(c.Args[2])
	if err != nil {
		return err
	}
	c.Out.BulkString(sha)
	return nil
}

func kill(c *commands.Call) error {
	if err := c.Server.Scripts.Kill(); err != nil {
		return err
	}
	return commands.ReplyOK(c)
}
