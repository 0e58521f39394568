package commands

import "cellserver/resp"

// ReplyOK replies +OK.
func ReplyOK(c *Call) error {
	c.Out.OK()
	return nil
}

// ReplyBit replies 1 for true and 0 for false.
func (c *Call) ReplyBit(done bool) { c.Out.Int(int64(Bit(done))) }

// Bit returns 1 for true and 0 for false.
func Bit(on bool) int {
	if on {
		return 1
	}
	return 0
}

// StartPairs starts the reply of n members, which the caller writes. If each comes with a value or a score,
// RESP3 has an array of pairs and RESP2 a flat array.
func (c *Call) StartPairs(n int, with bool) {
	if with && c.Out.Proto != 3 {
		n *= 2
	}
	c.Out.Array(n)
}

// ReplyKeys replies with an array of keys.
func (c *Call) ReplyKeys(keys [][]byte) {
	c.Out.Array(len(keys))
	for _, k := range keys {
		c.Out.Bulk(k)
	}
}

// StringArray writes an array of bulk strings.
func StringArray(w *resp.Writer, all []string) {
	w.Array(len(all))
	for _, s := range all {
		w.BulkString(s)
	}
}

// StringSet writes a set of bulk strings.
func StringSet(w *resp.Writer, all []string) {
	w.Set(len(all))
	for _, s := range all {
		w.BulkString(s)
	}
}

// SimpleSet writes a set of simple strings.
func SimpleSet(w *resp.Writer, all []string) {
	w.Set(len(all))
	for _, s := range all {
		w.Simple(s)
	}
}

// Field writes one entry of a map: a name and a string.
func Field(w *resp.Writer, name, value string) {
	w.BulkString(name)
	w.BulkString(value)
}

// Number writes one entry of a map: a name and an integer.
func Number(w *resp.Writer, name string, n int64) {
	w.BulkString(name)
	w.Int(n)
}
