package limiters

import (
	"strings"

	"cellserver/internal/quote"
	"cellserver/internal/rediserr"
)

// readers parse the parameters of the limiters that a rule may have, by the name of their command.
// The parameters are the words after the key, without quantity and without options of a single
// request.
var readers = map[string]func(*Args) (Limit, error){
	"cl.log":      reader(ReadLog),
	"cl.sliding":  reader(ReadSliding),
	"cl.throttle": reader(readRate),
	"cl.window":   reader(ReadWindow),
	"allow":       reader(readAllow),
	"block":       reader(readBlock),
}

func reader[L Limit](read func(*Args) (L, error)) func(*Args) (Limit, error) {
	return func(a *Args) (Limit, error) { return read(a) }
}

// Parse parses the name of a limiter and its parameters, as a rule has them: "CL.WINDOW 100 60
// ALIGN". Errors are error replies.
func Parse(words [][]byte) (Limit, error) {
	if len(words) == 0 {
		return nil, rediserr.Error("ERR a limiter is missing: " + useLimiters)
	}
	name := strings.ToLower(string(words[0]))
	read := readers[name]
	if read == nil {
		return nil, rediserr.Error("ERR " + quote.Word(words[0]) +
			" is not a limiter of a rule: " + useLimiters)
	}
	a := &Args{name: name, rest: words[1:], inside: "rule"}
	l, err := read(a)
	if err != nil {
		return nil, a.Explain(err)
	}
	return l, nil
}

// useLimiters names the limiters that a rule may have, for errors.
const useLimiters = "use CL.THROTTLE, CL.WINDOW, CL.SLIDING, CL.LOG, BLOCK, ALLOW, " +
	"or words such as 100/minute"
