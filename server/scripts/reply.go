package scripts

import (
	"bytes"
	"strconv"
	"unsafe"

	"cellserver/internal/decimal"
	"cellserver/resp"
	"cellserver/script"
)

// parse reads the reply of a command. The texts refer to its bytes. A command that has written nothing has
// failed.
func parse(b []byte) script.Reply {
	if len(b) == 0 {
		return script.Failed("ERR the command has no reply in a script")
	}
	r, _ := parseNext(b)
	return r
}

// itemBytes is the size of an element of a reply.
const itemBytes = int(unsafe.Sizeof(script.Reply{}))

// items returns how many elements of replies there are in bytes, at most.
func items(b []byte) int {
	if len(b) == 0 {
		return 0
	}
	switch b[0] {
	case '*', '>', '~', '%':
		return bytes.Count(b, lineEnd)
	}
	return 1
}

var lineEnd = []byte("\r\n")

func parseNext(b []byte) (r script.Reply, rest []byte) {
	end := bytes.IndexByte(b, '\n')
	kind, line, rest := b[0], b[1:end-1], b[end+1:]
	switch kind {
	case '+':
		return script.Reply{Kind: script.Status, Text: line}, rest
	case '-':
		return script.Reply{Kind: script.Error, Text: line}, rest
	case ':':
		n, _ := decimal.Parse(line)
		return script.Reply{Kind: script.Int, Int: n}, rest
	case '$', '=':
		return parseText(kind, line, rest)
	case '*', '>':
		return parseItems(script.Array, line, rest)
	case '~':
		return parseItems(script.Set, line, rest)
	case '%':
		return parseItems(script.Map, line, rest)
	case '#':
		r.Kind = script.Bool
		if line[0] == 't' {
			r.Int = 1
		}
	case ',':
		r.Kind = script.Double
		r.Double, _ = strconv.ParseFloat(string(line), 64)
	case '(':
		r.Kind, r.Text = script.BigNumber, line
	}
	return r, rest // "_" is the zero Reply
}

func parseText(kind byte, line, b []byte) (r script.Reply, rest []byte) {
	n, _ := decimal.Parse(line)
	if n < 0 {
		return r, b
	}
	r.Kind, r.Text = script.Bulk, b[:n]
	if kind == '=' {
		r.Kind = script.Verbatim
	}
	return r, b[n+2:]
}

func parseItems(kind script.Kind, line, b []byte) (r script.Reply, rest []byte) {
	n, _ := decimal.Parse(line)
	if n < 0 {
		return r, b
	}
	if kind == script.Map {
		n *= 2
	}
	r.Kind, r.Items = kind, make([]script.Reply, n)
	for i := range r.Items {
		r.Items[i], b = parseNext(b)
	}
	return r, b
}

// write writes what a script returns, in the version of RESP of the client.
func write(w *resp.Writer, r *script.Reply) {
	switch r.Kind {
	case script.Null:
		w.Null()
	case script.Status:
		w.Simple(string(r.Text))
	case script.Error:
		w.Error(string(r.Text))
	case script.Int:
		w.Int(r.Int)
	case script.Bulk:
		w.Bulk(r.Text)
	case script.Double:
		w.Double(r.Double)
	case script.Bool:
		w.Bool(r.Int != 0)
	case script.BigNumber:
		w.BigNumber(string(r.Text))
	case script.Verbatim:
		const format = 3
		w.Verbatim(string(r.Text[:format]), string(r.Text[format+1:]))
	default:
		writeItems(w, r)
	}
}

func writeItems(w *resp.Writer, r *script.Reply) {
	switch r.Kind {
	case script.Map:
		w.Map(len(r.Items) / 2)
	case script.Set:
		w.Set(len(r.Items))
	default:
		w.Array(len(r.Items))
	}
	for i := range r.Items {
		write(w, &r.Items[i])
	}
}
