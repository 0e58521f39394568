package connection

import "cellserver/commands"

// HELLO [protover [AUTH username password] [SETNAME name]] chooses the RESP version. It replies
// with a description of the server.
var _ = commands.Register(&commands.Command{
	Name: "hello", Arity: -1,
	Flags: commands.ConnectionFlags | commands.Fast | commands.NoAuth | commands.AllowBusy,
	Group: commands.GroupConnection, Run: hello,
})

const (
	errProtocol    commands.Error = "ERR Protocol version is not an integer or out of range"
	errNoProto     commands.Error = "NOPROTO unsupported protocol version"
	errHelloSyntax                = "ERR Syntax error in HELLO option '"
)

func hello(c *commands.Call) error {
	for i, arg := range c.Args {
		if commands.Is(arg, "auth") {
			c.Secret = append(c.Secret, i+1, i+2)
		}
	}
	proto := c.Out.Proto
	if len(c.Args) > 1 {
		n, ok := commands.ParseInt(c.Args[1])
		switch {
		case !ok:
			c.Hide(1) // the words of AUTH without a version
			return errProtocol
		case n < 2 || n > 3:
			c.Hide(2)
			return errNoProto
		}
		proto = int(n)
	}
	name, err := helloOptions(c)
	if err != nil {
		c.Hide(2) // a wrong word may be AUTH, or a part of a password
		return err
	}
	if c.Conn.MustAuthenticate(c.Server) {
		return commands.ErrHelloNoAuth
	}
	if name != nil {
		c.Conn.Identity.Name = string(name)
	}
	c.Conn.Link.SetProto(c.Out, proto)
	replyHello(c)
	return nil
}

// helloOptions parses AUTH and SETNAME. AUTH takes effect even if a later check fails, as in Redis.
func helloOptions(c *commands.Call) (name []byte, err error) {
	args := c.Args[min(len(c.Args), 2):]
	var user, password []byte
	for i := 0; i < len(args); i++ {
		more := len(args) - 1 - i
		switch {
		case commands.Is(args[i], "auth") && more >= 2:
			user, password = args[i+1], args[i+2]
			i += 2
		case commands.Is(args[i], "setname") && more >= 1:
			name = args[i+1]
			if !commands.ValidName(name) {
				return nil, errClientBadName
			}
			i++
		default:
			return nil, commands.Error(errHelloSyntax + commands.Clip(args[i], 128) + "'")
		}
	}
	if user != nil {
		err = authenticate(c, user, password)
	}
	return name, err
}

func replyHello(c *commands.Call) {
	w := c.Out
	w.Map(7)
	commands.Field(w, "server", "redis")
	commands.Field(w, "version", commands.RedisVersion)
	commands.Number(w, "proto", int64(w.Proto))
	commands.Number(w, "id", c.Conn.ID)
	commands.Field(w, "mode", commands.Mode(c.Server.Config(), c.Conn.Link.Whole))
	role, of := "master", c.Server.Control
	t, r := of.Topology(), of.Replication()
	follows := t != nil && t.Epoch() == 0
	if r != nil && !follows {
		_, follows = r.State()
	}
	if follows {
		role = "replica"
	}
	commands.Field(w, "role", role)
	w.BulkString("modules")
	w.Array(0)
}
