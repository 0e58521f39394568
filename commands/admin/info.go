package admin

import (
	"slices"
	"strings"

	"cellserver/commands"
)

// INFO [section ...] describes the server as text. Each section has a title line "# Title", and a
// line "field:value" for each field. Without arguments it replies with the default sections; for
// "all" and "everything" with every section.
var _ = commands.Register(&commands.Command{
	Name: "info", Arity: -1, Flags: commands.Loading | commands.Stale, Group: commands.GroupServer,
	Tips:       []string{"nondeterministic_output", "request_policy:all_shards", "response_policy:special"},
	Categories: []string{"dangerous"}, Run: info,
})

func info(c *commands.Call) error {
	asked := c.Args[1:]
	wanted := func(title string, optional bool) bool {
		if len(asked) == 0 {
			return !optional
		}
		return slices.ContainsFunc(asked, func(arg []byte) bool { return asksFor(arg, title, optional) })
	}
	c.Out.Verbatim("txt", c.Server.Stats.Report.Info(c.Now, c.Conn.Link.Door(), wanted))
	return nil
}

// asksFor reports whether an argument of INFO asks for a section.
func asksFor(arg []byte, title string, optional bool) bool {
	switch {
	case commands.Is(arg, "all"), commands.Is(arg, "everything"):
		return true
	case commands.Is(arg, "default"):
		return !optional
	}
	return commands.Is(arg, strings.ToLower(title))
}
