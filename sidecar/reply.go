package sidecar

import (
	"bytes"
	"slices"

	"cellserver/internal/decimal"
	"cellserver/resp"
	"cellserver/router"
	"cellserver/sidecar/account"
)

// request is what a client asks of an account.
type request struct {
	account  *account.Account
	quantity int64
	form     form
}

// form is how a command replies.
type form struct {
	throttlecrab bool // in the order of THROTTLE
	millis       bool
}

// answer writes the reply of a limiter.
func (f form) answer(w *resp.Writer, limited bool, a account.Answer) {
	first := int64(0)
	if limited != f.throttlecrab {
		first = 1
	}
	retry, reset := f.time(a.RetryAfter), f.time(a.ResetAfter)
	if !f.throttlecrab {
		w.Ints(first, a.Limit, a.Remaining, retry, reset)
		return
	}
	if !limited {
		retry = 0
	}
	w.Ints(first, a.Limit, a.Remaining, reset, retry)
}

// reply returns the reply of a limiter.
func (f form) reply(limited bool, a account.Answer) []byte {
	var w resp.Writer
	f.answer(&w, limited, a)
	return w.Bytes()
}

// time converts milliseconds to what the reply has. Negative times have a meaning of their own.
func (f form) time(ms int64) int64 {
	if f.millis || ms < 0 {
		return ms
	}
	return (ms + 999) / 1000
}

// read reads a reply of a limiter that has milliseconds.
func (f form) read(reply []byte) (limited bool, a account.Answer, ok bool) {
	var n [5]int64
	if !readInts(reply, n[:]) {
		return false, a, false
	}
	if f.throttlecrab {
		if n[3], n[4] = n[4], n[3]; n[0] == 1 {
			n[3] = -1
		}
	}
	a = account.Answer{Limit: n[1], Remaining: n[2], RetryAfter: n[3], ResetAfter: n[4]}
	return (n[0] == 1) != f.throttlecrab, a, true
}

// readInts reads an array of integers.
func readInts(reply []byte, all []int64) bool {
	head, rest, _ := bytes.Cut(reply, []byte("\r\n"))
	if n, ok := decimal.Parse(bytes.TrimPrefix(head, []byte("*"))); !ok || n != int64(len(all)) {
		return false
	}
	for i := range all {
		var line []byte
		line, rest, _ = bytes.Cut(rest, []byte("\r\n"))
		n, ok := decimal.Parse(bytes.TrimPrefix(line, []byte(":")))
		if !ok {
			return false
		}
		all[i] = n
	}
	return len(rest) == 0
}

// isLoss reports whether an error of the hub means that it cannot decide now.
func isLoss(reply []byte) bool {
	return hasCode(reply, "BUSY", "CLUSTERDOWN", "LOADING", "MASTERDOWN", "MOVED", "NOREPLICAS", "READONLY",
		"TRYAGAIN")
}

// isRefusal reports whether an error of the hub means that the user lacks a right.
func isRefusal(reply []byte) bool { return hasCode(reply, "NOPERM", "NOAUTH", "WRONGPASS") }

// hasCode reports whether a reply is an error with one of the codes.
func hasCode(reply []byte, codes ...string) bool {
	if len(reply) == 0 || reply[0] != '-' {
		return false
	}
	word, _, _ := bytes.Cut(bytes.TrimRight(reply[1:], "\r\n"), []byte(" "))
	for _, c := range codes {
		if string(word) == c {
			return true
		}
	}
	return false
}

// withSections puts the sections of the hub in the place of our own in a reply of INFO: the hub has the keys.
func withSections(reply, hub []byte) []byte {
	head, ours := sectionsOf(reply)
	_, theirs := sectionsOf(hub)
	for i, mine := range ours {
		for _, section := range theirs {
			title, _, _ := bytes.Cut(section, []byte("\r\n"))
			if at := bytes.Index(mine, title); at >= 0 && bytes.HasPrefix(title, []byte("# ")) {
				ours[i] = slices.Concat(mine[:at], section) // RESP3 has the format before the first title
			}
		}
	}
	text := append(bytes.Join(ours, []byte("\r\n\r\n")), "\r\n"...)
	return slices.Concat(router.AppendHeader(nil, head[0], len(text)), text, []byte("\r\n"))
}

// sectionsOf returns the sections in a reply of INFO, and its first line.
func sectionsOf(reply []byte) (head []byte, sections [][]byte) {
	head, text, _ := bytes.Cut(reply, []byte("\r\n"))
	return head, bytes.Split(bytes.TrimRight(text, "\r\n"), []byte("\r\n\r\n"))
}
