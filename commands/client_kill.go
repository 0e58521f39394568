package commands

// CLIENT KILL closes connections: the one from an address (old form), or all that pass
// every filter.
var clientKill = &Command{
	Name: "kill", Arity: -3, Flags: adminFlags, Since: "2.4.0",
	Summary: "Kill the connection of a client",
	Usage: "<ip:port | <[ID client-id] | [TYPE <NORMAL | MASTER | SLAVE | REPLICA | PUBSUB>] | [USER username] | " +
		"[ADDR ip:port] | [LADDR ip:port] | [SKIPME <YES | NO>] [[ID client-id] | [TYPE <NORMAL | MASTER | SLAVE | REPLICA | PUBSUB>] | " +
		"[USER username] | [ADDR ip:port] | [LADDR ip:port] | [SKIPME <YES | NO>] ...]>>",
	Complexity: "O(N) where N is the number of client connections",
	Help: []string{"KILL <ip:port>", "    Kill connection made from <ip:port>.",
		"KILL <option> <value> [<option> <value> [...]]", "    Kill connections. Options are:",
		"    * ADDR (<ip:port>|<unixsocket>:0)", "      Kill connections made from the specified address",
		"    * LADDR (<ip:port>|<unixsocket>:0)", "      Kill connections made to specified local address",
		"    * TYPE (NORMAL|MASTER|REPLICA|PUBSUB)", "      Kill connections by type.",
		"    * USER <username>", "      Kill connections authenticated by <username>.",
		"    * SKIPME (YES|NO)", "      Skip killing current connection (default: yes)."},
	Run: kill,
}

// killFilter says which clients to close; a field's zero value lets all pass.
type killFilter struct {
	id                int64
	addr, laddr, kind string
	skip              *Client
}

func (f *killFilter) matches(c *Client) bool {
	return (f.id == 0 || c.ID == f.id) && (f.addr == "" || c.addr() == f.addr) && (f.laddr == "" || c.laddr() == f.laddr) &&
		(f.kind == "" || c.kind() == f.kind) && c != f.skip
}

func kill(c *Call) error {
	if len(c.Args) == 3 {
		addr := string(c.Args[2])
		if addr == "" || c.killAll(&killFilter{addr: addr}) == 0 {
			return Error("ERR No such client")
		}
		return replyOK(c)
	}
	filter, err := c.killOptions()
	if err != nil {
		return err
	}
	c.Out.Int(int64(c.killAll(&filter)))
	return nil
}

func (c *Call) killOptions() (f killFilter, err error) {
	f.skip = c.Client
	args := c.Args[2:]
	for ; len(args) > 1 && err == nil; args = args[2:] {
		value := args[1]
		switch {
		case is(args[0], "id"):
			f.id, err = clientIDFilter(value)
		case is(args[0], "type"):
			f.kind, err = clientType(value)
		case is(args[0], "addr"):
			f.addr = string(value)
		case is(args[0], "laddr"):
			f.laddr = string(value)
		case is(args[0], "user"):
			err = knownUser(value)
		case is(args[0], "skipme") && is(value, "yes"):
			f.skip = c.Client
		case is(args[0], "skipme") && is(value, "no"):
			f.skip = nil
		default:
			err = errSyntax
		}
	}
	if err == nil && len(args) > 0 {
		err = errSyntax
	}
	return f, err
}

func clientIDFilter(arg []byte) (int64, error) {
	id, ok := parseInt(arg)
	if !ok || id < 1 {
		return 0, Error("ERR client-id should be greater than 0")
	}
	return id, nil
}

// knownUser passes the one user that there is, as whom everybody is connected.
func knownUser(name []byte) error {
	if string(name) != defaultUser {
		return Error("ERR No such user '" + clip(name, len(name)) + "'")
	}
	return nil
}

// killAll closes the clients that pass a filter and counts them. The caller itself
// still gets its reply.
func (c *Call) killAll(f *killFilter) int {
	n := 0
	for _, client := range c.Server.everyClient() {
		if !f.matches(client) {
			continue
		}
		n++
		if client == c.Client {
			client.leaving = true
			continue
		}
		client.killed.Store(true)
		client.peer.Close()
	}
	return n
}
