package commands

import "cellserver/resp"

// What replies of many commands are made of.

// replyOK replies +OK. It is all of a command that has nothing else to do.
func replyOK(c *Call) error {
	c.Out.OK()
	return nil
}

// replyDone replies 1 or 0.
func (c *Call) replyDone(done bool) { c.Out.Int(int64(bit(done))) }

// bit is a truth value as a number.
func bit(on bool) int {
	if on {
		return 1
	}
	return 0
}

// replyKeys replies with an array of keys.
func (c *Call) replyKeys(keys [][]byte) {
	c.Out.Array(len(keys))
	for _, k := range keys {
		c.Out.Bulk(k)
	}
}

// stringArray writes an array of bulk strings.
func stringArray(w *resp.Writer, all []string) {
	w.Array(len(all))
	for _, s := range all {
		w.BulkString(s)
	}
}

// stringSet writes a set of bulk strings.
func stringSet(w *resp.Writer, all []string) {
	w.Set(len(all))
	for _, s := range all {
		w.BulkString(s)
	}
}

// simpleSet writes a set of simple strings.
func simpleSet(w *resp.Writer, all []string) {
	w.Set(len(all))
	for _, s := range all {
		w.Simple(s)
	}
}

// field writes one name and value of a map, number one whose value is an integer.
func field(w *resp.Writer, name, value string) {
	w.BulkString(name)
	w.BulkString(value)
}

func number(w *resp.Writer, name string, n int64) {
	w.BulkString(name)
	w.Int(n)
}
