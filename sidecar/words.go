package sidecar

import (
	"strings"

	"cellserver/commands"
	"cellserver/router"
)

// way is how a command is answered.
type way uint8

const (
	relays  way = iota // the hub answers
	here               // this process answers
	logins             // the hub says whether the client is a user
	owns               // the client needs a connection to the hub of its own
	streams            // any number of replies may come, and messages
	decides            // an account decides, or the hub
	scripts            // the hub answers, as soon as a script has ended
	longs              // the hub answers, perhaps after a long time
	briefs             // the hub answers, after a long time only for a large value or many words: it relays
)

// ways has the way of each command that the hub does not answer as it is.
var ways = waysOf(map[way]string{
	logins: "auth hello",
	here: `ping echo quit reset info command command|count command|docs command|getkeys command|help
		command|getkeysandflags command|info command|list
		client|id client|getname client|setname client|setinfo client|info client|list client|kill
		client|unblock config|get config|set shutdown`,
	owns: `multi exec discard watch unwatch select wait debug readonly readwrite asking client|tracking
		client|caching client|no-evict client|no-touch client|getredir client|trackinginfo`,
	streams: "monitor client|reply", // and all that subscribe
	scripts: "eval evalsha eval_ro evalsha_ro",
	briefs: `append cl.mcheck cl.rule|get cl.rule|list cl.rule|set dump get getdel getex getset hget hscan hset
		publish randomkey replicaof restore sadd scan set setrange slaveof spublish sscan zadd`,
	decides: "cl.check cl.log cl.sliding cl.throttle cl.window gcra throttle",
})

func waysOf(names map[way]string) map[string]way {
	ways := map[string]way{}
	for way, names := range names {
		for _, name := range strings.Fields(names) {
			ways[name] = way
		}
	}
	return ways
}

// wayOf returns the way of a command. An unknown command is answered here, and so is one with a wrong number
// of words. The hub has the same commands, and so the same errors.
func wayOf(cmd *commands.Command, args [][]byte) (*commands.Command, way) {
	if !cmd.Fits(len(args)) {
		var err error
		if cmd, err = commands.Resolve(cmd, args); err != nil {
			return cmd, here
		}
	}
	switch {
	case cmd.Flags&commands.Blocking != 0:
		return cmd, owns
	case strings.HasSuffix(cmd.Name, "subscribe"):
		return cmd, streams
	}
	way := ways[cmd.FullName()]
	switch {
	case way == briefs:
		way = relays
	case way == relays && (cmd.Cost != nil || cmd.Flags&commands.WholeKeyspace != 0):
		way = longs
	}
	return cmd, way
}

// classes has the class of each way that leads to the hub.
var classes = [...]router.Class{scripts: router.Scripts, longs: router.Long}

// isFarewell reports whether a command ends what the client has.
func isFarewell(cmd *commands.Command) bool {
	return cmd != nil && (cmd.Name == "quit" || cmd.Name == "reset")
}

// isPersonal reports whether a command is about the client itself, or about this process. The hub knows another
// client, and is another process.
func isPersonal(cmd *commands.Command) bool {
	switch cmd.FullName() {
	case "client|id", "client|info", "client|kill", "client|list", "client|unblock", "shutdown":
		return true
	}
	return false
}

// personal returns a command for the hub in the place of a personal one that cannot run here. The hub refuses
// it in words that the client understands, and so the transaction, too.
func personal(cmd *commands.Command, where string) [][]byte {
	return [][]byte{[]byte("CLIENT"), []byte(cmd.FullName() + " through a sidecar " + where)}
}
