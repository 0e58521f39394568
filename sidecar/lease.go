package sidecar

import (
	"bytes"
	"strconv"

	"cellserver/internal/decimal"
	"cellserver/limiters"
	"cellserver/router"
	"cellserver/sidecar/account"
)

// longestText is the most bytes of a limit's text that an account has: so upstream-keys bounds the memory.
const longestText = 512

// limit is the limit of a command.
type limit struct {
	text   []byte   // in RESP, without a quantity
	hashes []uint32 // see written.hashes
}

// key returns the hash of the key.
func (l *limit) key() uint32 { return l.hashes[0] }

// set sets the text. It has the name of the command, the words before the limit, and those of the limit.
func (l *limit) set(name string, before, words [][]byte) {
	l.text = router.AppendHeader(l.text[:0], '*', 1+len(before)+len(words))
	l.text = router.AppendWord(l.text, name)
	for _, word := range before {
		l.text = router.AppendWord(l.text, word)
	}
	for _, word := range words {
		l.text = router.AppendWord(l.text, word)
	}
}

// withMillis adds a quantity and MS to a command.
func withMillis(command []byte, quantity int64) []byte {
	head, words, _ := bytes.Cut(command, []byte("\r\n"))
	n, _ := decimal.Parse(head[1:])
	all := router.AppendHeader(make([]byte, 0, len(command)+48), '*', int(n)+3)
	all = append(all, words...)
	name := "QUANTITY"
	if bytes.HasPrefix(words, []byte("$4\r\ngcra\r\n")) {
		name = "TOKENS"
	}
	for _, word := range []string{name, number(quantity), "MS"} {
		all = router.AppendWord(all, word)
	}
	return all
}

// leaseCommand writes CL.LEASE want ttl [BACK n at ends] command…; the command is in RESP already.
func leaseCommand(command []byte, q account.Ask) []byte {
	head, words, _ := bytes.Cut(command, []byte("\r\n"))
	n, _ := decimal.Parse(head[1:])
	own := []string{"CL.LEASE", number(q.Want), number(q.TTL)}
	if q.Back.Units > 0 {
		own = append(own, "BACK", number(q.Back.Units), number(q.Back.At), number(q.Back.Ends))
	}
	all := router.AppendHeader(make([]byte, 0, len(command)+96), '*', int(n)+len(own))
	for _, word := range own {
		all = router.AppendWord(all, word)
	}
	return append(all, words...)
}

// wordsOf returns the words of a command in RESP.
func wordsOf(command []byte) (words [][]byte) {
	_, rest, _ := bytes.Cut(command, []byte("\r\n"))
	for len(rest) > 0 {
		head, after, _ := bytes.Cut(rest, []byte("\r\n"))
		n, _ := decimal.Parse(head[1:])
		words, rest = append(words, after[:n]), after[n+2:]
	}
	return words
}

func number(n int64) string { return strconv.FormatInt(n, 10) }

// tellPeriod tells an account in what time its limit comes back. The command says that, unless it names a rule.
func tellPeriod(a *account.Account) {
	const key = 1
	var args limiters.Args
	words := wordsOf([]byte(a.Command()))
	if l, err := args.Lessor(string(words[0]), words[key+1:]); err == nil {
		a.TellPeriod(l.Window())
	}
}
