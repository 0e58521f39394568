package httpapi

import (
	"net/http"
	"strconv"
)

// write sends the decision: 200 or the status of a refusal, the headers, and the body.
func (d *decision) write(w http.ResponseWriter, refused int) {
	h := w.Header()
	status := http.StatusOK
	h["Content-Type"] = jsonType
	if !d.allowed {
		status = refused
	}
	if status != http.StatusOK {
		h["Content-Type"] = problemType
	}
	if status == http.StatusUnauthorized {
		h["Www-Authenticate"] = challenge
	}
	if d.known && !d.shadow {
		d.setHeaders(h)
	}
	d.text = d.appendBody(d.text[:0], status)
	w.WriteHeader(status)
	_, _ = w.Write(d.text) // the client has left if this fails
}

// headersOfLimits are the names of the headers of limits. Only a refusal has the last one.
var headersOfLimits = [...]string{
	"X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset",
	"RateLimit-Policy", "RateLimit", "Retry-After",
}

// setHeaders sets the headers of limits. Their values share one string.
func (d *decision) setHeaders(h http.Header) {
	var ends [len(headersOfLimits)]int
	n := 0
	end := func(text []byte) []byte {
		ends[n], n = len(text), n+1
		return text
	}
	text := end(strconv.AppendInt(d.text[:0], d.limit, 10))
	text = end(strconv.AppendInt(text, max(d.remaining, 0), 10))
	text = end(strconv.AppendInt(text, d.reset, 10))
	text = end(d.appendPolicies(text))
	text = end(d.appendLimits(text))
	if !d.allowed && d.retry >= 0 {
		text = end(strconv.AppendInt(text, d.retry, 10))
	}
	d.text = text
	all, values, from := string(text), make([]string, n), 0
	for i, to := range ends[:n] {
		values[i] = all[from:to]
		h[headersOfLimits[i]] = values[i : i+1 : i+1]
		from = to
	}
}

// maxInteger is the largest integer of a structured field.
const maxInteger = 999_999_999_999_999

// appendPolicies appends the value of RateLimit-Policy: "login";q=5;w=60.
func (d *decision) appendPolicies(to []byte) []byte {
	return d.eachPolicy(to, func(to []byte, l *limit) []byte {
		to = strconv.AppendInt(append(to, ";q="...), min(l.limit, maxInteger), 10)
		if l.window > 0 {
			to = strconv.AppendInt(append(to, ";w="...), l.window, 10)
		}
		return to
	})
}

// appendLimits appends the value of RateLimit: "login";r=4;t=12. A client that has used its quota up waits
// for retry_after.
func (d *decision) appendLimits(to []byte) []byte {
	return d.eachPolicy(to, func(to []byte, l *limit) []byte {
		to = strconv.AppendInt(append(to, ";r="...), min(max(l.remaining, 0), maxInteger), 10)
		t := l.reset
		if l.limited && l.retry >= 0 {
			t = l.retry
		}
		return strconv.AppendInt(append(to, ";t="...), t, 10)
	})
}

// eachPolicy appends an element for each limit, but not for a limit with SHADOW, which clients should not
// know.
func (d *decision) eachPolicy(to []byte, parameters func(to []byte, l *limit) []byte) []byte {
	for begin, i := len(to), 0; i < len(d.limits); i++ {
		l := &d.limits[i]
		if l.shadow {
			continue
		}
		if len(to) > begin {
			to = append(to, ", "...)
		}
		to = parameters(l.appendName(to), l)
	}
	return to
}

// appendName appends the name of the policy in quotes. Names of rules need no escapes.
func (l *limit) appendName(to []byte) []byte {
	to = append(append(to, '"'), l.rule...)
	if l.scope != "" {
		to = append(append(to, ':'), l.scope...)
	}
	if l.kind != "" {
		to = append(append(to, ':'), l.kind...)
	}
	if l.number > 1 {
		to = strconv.AppendInt(append(to, ':'), int64(l.number), 10)
	}
	return append(to, '"')
}

// quotaExceeded is the problem type of the draft.
const quotaExceeded = `"type":"https://iana.org/assignments/http-problem-types#quota-exceeded","title":"The quota is used up","status":`

// appendBody appends the JSON of the decision. A refusal is also a problem.
func (d *decision) appendBody(to []byte, status int) []byte {
	to = append(to, '{')
	if status != http.StatusOK {
		to = strconv.AppendInt(append(to, quotaExceeded...), int64(status), 10)
		to = append(to, `,"violated-policies":[`...)
		to = d.appendViolated(to)
		to = append(to, "],"...)
	}
	to = strconv.AppendBool(append(to, `"allowed":`...), d.allowed)
	if d.known {
		to = d.tightest.append(append(to, ','))
		if d.holds {
			to = strconv.AppendInt(append(to, `,"hold_ms":`...), d.hold, 10)
		}
		to = append(to, `,"policies":[`...)
		for i := range d.limits {
			if i > 0 {
				to = append(to, ',')
			}
			to = d.limits[i].append(to)
		}
		to = append(to, ']')
	}
	return append(to, "}\n"...)
}

// appendViolated appends the names of the policies that refuse.
func (d *decision) appendViolated(to []byte) []byte {
	for begin, i := len(to), 0; i < len(d.limits); i++ {
		if l := &d.limits[i]; l.limited && !l.shadow {
			if len(to) > begin {
				to = append(to, ',')
			}
			to = l.appendName(to)
		}
	}
	return to
}

func (t *tightest) append(to []byte) []byte {
	to = strconv.AppendInt(append(to, `"limit":`...), t.limit, 10)
	to = strconv.AppendInt(append(to, `,"remaining":`...), t.remaining, 10)
	to = append(to, `,"retry_after":`...)
	if t.retry < 0 {
		to = append(to, "null"...)
	} else {
		to = strconv.AppendInt(to, t.retry, 10)
	}
	return strconv.AppendInt(append(to, `,"reset_after":`...), t.reset, 10)
}

func (l *limit) append(to []byte) []byte {
	to = l.appendName(append(to, `{"policy":`...))
	to = l.tightest.append(append(to, ','))
	if l.window > 0 {
		to = strconv.AppendInt(append(to, `,"window":`...), l.window, 10)
	}
	if l.shadow {
		to = append(to, `,"shadow":true`...)
	}
	return append(to, '}')
}
