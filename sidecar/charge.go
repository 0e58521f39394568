package sidecar

import (
	"bytes"

	"cellserver/internal/decimal"
	"cellserver/limiters"
	"cellserver/router"
	"cellserver/sidecar/account"
)

// view gives an account a view of the hub's state, if the hub can charge its limit. Without a view all its
// requests pass.
func view(a *account.Account, name string, limit [][]byte) {
	var args limiters.Args
	interval := int64(0)
	switch name {
	case "cl.check":
		interval = account.OnlyHub
	case "cl.log":
		if len(limit) > 2 { // RESOLUTION
			return
		}
	case "cl.throttle", "gcra", "throttle":
		l, err := args.Lessor(name, limit)
		rate, ok := l.(limiters.Rate)
		if err != nil || !ok {
			return
		}
		interval = rate.Quota.Interval()
	}
	a.Report(interval)
}

// chargeCommand writes the command that counts units of a limit, even if less is left. The command is in
// RESP.
func chargeCommand(command []byte, units int64) []byte {
	words, n := wordsOf(command), []byte(number(units))
	switch name := string(words[0]); name {
	case "throttle": // its max_burst is the limit itself
		burst, _ := decimal.Parse(words[2])
		words[2] = []byte(number(burst - 1))
		fallthrough
	case "cl.throttle", "gcra":
		words[0] = []byte("CL.CHARGE")
		words = append(words, n)
	case "cl.sliding", "cl.log":
		words = append([][]byte{[]byte("CL.MWINDOW"), []byte("1")}, words[1:]...)
		words = append(words, n, []byte("BY"), []byte(name[len("cl."):]), []byte("CHARGE"))
	default:
		words = append(words, []byte("QUANTITY"), n, []byte("CHARGE"))
	}
	return router.AppendCommand(nil, append(words, []byte("MS"))...)
}

// readCharge reads the reply to a charge. That of several windows has the answer of the only one inside.
func readCharge(reply []byte) (answer account.Answer, ok bool) {
	if i := bytes.Index(reply, []byte("*5\r\n")); i > 0 && reply[0] == '*' {
		reply = reply[i:]
	}
	_, answer, ok = form{}.read(reply)
	return answer, ok
}
