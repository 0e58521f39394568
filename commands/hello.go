package commands

// HELLO [protover [AUTH username password] [SETNAME name]] chooses the protocol and
// replies with what the server is.
var _ = register(&Command{
	Name: "hello", Arity: -1, Flags: connectionFlags | Fast | NoAuth | AllowBusy, Group: Connection, Since: "6.0.0",
	Summary: "Handshake with Redis", Usage: "[protover [AUTH username password] [SETNAME clientname]]",
	Complexity: "O(1)", Run: hello,
})

const (
	errProtocol    Error = "ERR Protocol version is not an integer or out of range"
	errNoProto     Error = "NOPROTO unsupported protocol version"
	errHelloNoAuth Error = "NOAUTH HELLO must be called with the client already authenticated, otherwise the HELLO AUTH <user> <pass> option can be used to authenticate the client and select the RESP protocol version at the same time"
	errHelloSyntax       = "ERR Syntax error in HELLO option '"
)

func hello(c *Call) error {
	proto := c.Out.Proto
	if len(c.Args) > 1 {
		n, ok := parseInt(c.Args[1])
		switch {
		case !ok:
			return errProtocol
		case n < 2 || n > 3:
			return errNoProto
		}
		proto = int(n)
	}
	name, err := c.helloOptions()
	if err != nil {
		return err
	}
	if c.Client.mustAuthenticate() {
		return errHelloNoAuth
	}
	if name != nil {
		c.Client.setName(string(name))
	}
	c.Client.setProto(c.Out, proto)
	c.replyHello()
	return nil
}

// helloOptions reads AUTH and SETNAME; AUTH takes effect at once, as in Redis.
func (c *Call) helloOptions() (name []byte, err error) {
	args := c.Args[min(len(c.Args), 2):]
	var user, password []byte
	for i := 0; i < len(args); i++ {
		more := len(args) - 1 - i
		switch {
		case is(args[i], "auth") && more >= 2:
			user, password = args[i+1], args[i+2]
			c.Secret = append(c.Secret, 2+i+1, 2+i+2)
			i += 2
		case is(args[i], "setname") && more >= 1:
			name = args[i+1]
			if !validName(name) {
				return nil, errClientBadName
			}
			i++
		default:
			return nil, Error(errHelloSyntax + clip(args[i], 128) + "'")
		}
	}
	if user != nil {
		err = c.authenticate(user, password)
	}
	return name, err
}

func (c *Call) replyHello() {
	w := c.Out
	w.Map(7)
	field(w, "server", "redis")
	field(w, "version", RedisVersion)
	number(w, "proto", int64(w.Proto))
	number(w, "id", c.Client.ID)
	field(w, "mode", c.Server.mode())
	field(w, "role", "master")
	w.BulkString("modules")
	w.Array(0)
}

// mode is what INFO and HELLO call the server.
func (s *Server) mode() string {
	if s.Config().ClusterEnabled {
		return "cluster"
	}
	return "standalone"
}
