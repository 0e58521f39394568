package httpapi

import (
	"net/http"
	"strconv"

	"cellserver/limiters"
	"cellserver/limiters/rules"
)

// write sends the decision: 200 or the status of a refusal, the headers, and the body.
func (d *decision) write(w http.ResponseWriter, refused int) {
	h := w.Header()
	h["Content-Type"] = jsonType
	status := http.StatusOK
	if !d.Allowed && refused != status {
		status = refused
		h["Content-Type"] = problemType
	}
	if status == http.StatusUnauthorized {
		h["Www-Authenticate"] = challenge
	}
	if d.decides != nil && !d.hidden {
		d.setHeaders(h)
	}
	w.WriteHeader(status)
	d.body = append(d.body[:0], '{')
	if status != http.StatusOK {
		d.addRefusal(status)
	}
	d.addDecision()
	_, _ = w.Write(d.body) // the client has left if this fails
}

// addRefusal adds the part of a body that makes it a problem, too. Its type is that of the draft of the
// headers.
func (d *decision) addRefusal(status int) {
	b := append(d.body, `"type":"https://iana.org/assignments/http-problem-types#quota-exceeded",`...)
	b = append(b, `"title":"The quota is used up","status":`...)
	b = append(strconv.AppendInt(b, int64(status), 10), `,"violated-policies":[`...)
	comma := ""
	for i := range d.Policies {
		if p := &d.Policies[i]; p.Limited && !p.Shadow {
			b = append(appendName(append(append(b, comma...), '"'), p), '"')
			comma = ","
		}
	}
	d.body = append(b, "],"...)
}

// addDecision adds the rest of a body.
func (d *decision) addDecision() {
	b := strconv.AppendBool(append(d.body, `"allowed":`...), d.Allowed)
	if d.decides != nil {
		b = appendAnswer(b, d.decides)
	}
	if d.Hold != nil {
		b = strconv.AppendInt(append(b, `,"hold_ms":`...), *d.Hold, 10)
	}
	begin := `,"policies":[{"policy":"`
	for i := range d.Policies {
		p := &d.Policies[i]
		b = appendAnswer(append(appendName(append(b, begin...), p), '"'), &p.Answer)
		if p.Window != 0 {
			b = strconv.AppendInt(append(b, `,"window":`...), p.Window, 10)
		}
		if p.Shadow {
			b = append(b, `,"shadow":true`...)
		}
		begin = `},{"policy":"`
	}
	if len(d.Policies) > 0 {
		b = append(b, "}]"...)
	}
	d.body = append(b, "}\n"...)
}

// appendName appends the name of a limit. Names of rules need no escapes.
func appendName(b []byte, p *rules.Policy) []byte {
	if b = append(b, p.Rule...); p.Scope != "" {
		b = append(append(b, ':'), p.Scope...)
	}
	return append(b, p.Kind...)
}

// appendAnswer appends the numbers of an answer as fields that follow others.
func appendAnswer(b []byte, a *limiters.Answer) []byte {
	b = strconv.AppendInt(append(b, `,"limit":`...), a.Limit, 10)
	b = append(strconv.AppendInt(append(b, `,"remaining":`...), a.Remaining, 10), `,"retry_after":`...)
	if a.RetryAfter == limiters.Never {
		b = append(b, "null"...)
	} else {
		b = strconv.AppendInt(b, a.RetryAfter, 10)
	}
	return strconv.AppendInt(append(b, `,"reset_after":`...), a.ResetAfter, 10)
}

// maxInteger is the largest integer of a structured field.
const maxInteger = 999_999_999_999_999

// headersOfLimits are the names of the headers of limits. Only a refusal has the last one.
var headersOfLimits = [...]string{
	"X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset",
	"RateLimit-Policy", "RateLimit", "Retry-After",
}

// setHeaders sets the headers of limits: RateLimit-Policy is "login";q=5;w=60, and RateLimit is
// "login";r=4;t=12. A client that has used its quota up waits for retry_after. Clients should not know a
// limit with SHADOW.
func (d *decision) setHeaders(h http.Header) {
	var some, more [128]byte // most values fit
	policies, limits := some[:0], more[:0]
	tightest, others, shadow := d.decides, d.decides, false // others has no rule with SHADOW
	for i := range d.Policies {
		p := &d.Policies[i]
		if p.Shadow {
			shadow = true
			continue
		}
		if len(policies) == 0 || p.Tighter(others) {
			others = &p.Answer
		}
		if len(policies) > 0 {
			policies, limits = append(policies, ", "...), append(limits, ", "...)
		}
		policies = append(appendName(append(policies, '"'), p), `";q=`...)
		if policies = strconv.AppendInt(policies, min(p.Limit, maxInteger), 10); p.Window > 0 {
			policies = strconv.AppendInt(append(policies, ";w="...), p.Window, 10)
		}
		wait := p.ResetAfter
		if p.Limited && p.RetryAfter != limiters.Never {
			wait = p.RetryAfter
		}
		limits = append(appendName(append(limits, '"'), p), `";r=`...)
		limits = strconv.AppendInt(limits, min(max(p.Remaining, 0), maxInteger), 10)
		limits = strconv.AppendInt(append(limits, ";t="...), wait, 10)
	}
	if shadow {
		tightest = others
	}
	values := []string{
		strconv.FormatInt(tightest.Limit, 10), strconv.FormatInt(max(tightest.Remaining, 0), 10),
		strconv.FormatInt(tightest.ResetAfter, 10), string(policies), string(limits), "",
	}
	if d.Allowed || tightest.RetryAfter == limiters.Never {
		values = values[:5]
	} else {
		values[5] = strconv.FormatInt(tightest.RetryAfter, 10)
	}
	for i := range values {
		h[headersOfLimits[i]] = values[i : i+1 : i+1]
	}
}
