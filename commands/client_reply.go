package commands

import "cellserver/resp"

// CLIENT REPLY switches the replies of the connection off and on, or skips one.
var clientReply = &Command{
	Name: "reply", Arity: 3, Flags: connectionFlags, Since: "3.2.0",
	Summary: "Instruct the server whether to reply to commands", Usage: "ON | OFF | SKIP", Complexity: "O(1)",
	Help: []string{"REPLY (ON|OFF|SKIP)", "    Control the replies sent to the current connection."},
	Run:  setReply,
}

// replyMode is what CLIENT REPLY chose.
type replyMode uint8

const (
	replyOn replyMode = iota
	replyOff
	replySkipNext // CLIENT REPLY SKIP itself has been run: the next reply is dropped
	replySkip
)

func setReply(c *Call) error {
	client := c.Client
	switch mode := c.Args[2]; {
	case is(mode, "on"):
		client.reply = replyOn
		c.Out.OK()
	case is(mode, "off"):
		client.reply = replyOff
	case !is(mode, "skip"):
		return errSyntax
	case client.reply != replyOff:
		client.reply = replySkipNext
	}
	return nil
}

// silence drops a reply that CLIENT REPLY told not to send.
func (c *Client) silence(w *resp.Writer, mark int) {
	w.Truncate(mark)
	switch c.reply {
	case replySkipNext:
		c.reply = replySkip
	case replySkip:
		c.reply = replyOn
	}
}
