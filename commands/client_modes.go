package commands

// CLIENT NO-EVICT and NO-TOUCH are modes of one connection. Clients are not evicted
// here, so the first only shows in CLIENT LIST; with the second, reading a key does not
// count as using it.
var (
	clientNoEvict = &Command{
		Name: "no-evict", Arity: 3, Flags: adminFlags, Since: "7.0.0",
		Summary: "Set client eviction mode for the current connection", Usage: "ON | OFF", Complexity: "O(1)",
		Help: []string{"NO-EVICT (ON|OFF)", "    Protect current client connection from eviction."},
		Run:  func(c *Call) error { return c.setMode(&c.Client.noEvict) },
	}
	// Redis 7.0 has no NO-TOUCH.
	clientNoTouch = &Command{
		Name: "no-touch", Arity: 3, Flags: connectionFlags, Since: "7.2.0",
		Summary: "Controls whether commands sent by the client affect the LRU/LFU of accessed keys.", Usage: "ON | OFF", Complexity: "O(1)",
		Help: []string{"NO-TOUCH (ON|OFF)", "    Will not touch LRU/LFU stats when this mode is on."},
		Run:  func(c *Call) error { return c.setMode(&c.Client.noTouch) },
	}
)

func (c *Call) setMode(mode *bool) error {
	on, err := c.onOff(2)
	if err != nil {
		return err
	}
	*mode = on
	return replyOK(c)
}
