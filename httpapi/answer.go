package httpapi

import (
	"net/http"
	"strconv"
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
	if d.numbers != nil && !d.hidden {
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
// headers. Names of rules and of limiters need no escapes.
func (d *decision) addRefusal(status int) {
	b := append(d.body, `"type":"https://iana.org/assignments/http-problem-types#quota-exceeded",`...)
	b = append(b, `"title":"The quota is used up","status":`...)
	b = append(strconv.AppendInt(b, int64(status), 10), `,"violated-policies":[`...)
	comma := ""
	for i := range d.Policies {
		if p := &d.Policies[i]; p.limited && !p.Shadow {
			b = append(append(append(append(b, comma...), '"'), p.Name...), '"')
			comma = ","
		}
	}
	d.body = append(b, "],"...)
}

// addDecision adds the rest of a body.
func (d *decision) addDecision() {
	b := strconv.AppendBool(append(d.body, `"allowed":`...), d.Allowed)
	if d.numbers != nil {
		b = d.numbers.appendTo(b)
	}
	if d.Hold != nil {
		b = strconv.AppendInt(append(b, `,"hold_ms":`...), *d.Hold, 10)
	}
	begin := `,"policies":[{"policy":"`
	for i := range d.Policies {
		p := &d.Policies[i]
		b = p.numbers.appendTo(append(append(append(b, begin...), p.Name...), '"'))
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

// appendTo appends the numbers as fields that follow others.
func (n *numbers) appendTo(b []byte) []byte {
	b = strconv.AppendInt(append(b, `,"limit":`...), n.Limit, 10)
	b = append(strconv.AppendInt(append(b, `,"remaining":`...), n.Remaining, 10), `,"retry_after":`...)
	if n.Retry == nil {
		b = append(b, "null"...)
	} else {
		b = strconv.AppendInt(b, *n.Retry, 10)
	}
	return strconv.AppendInt(append(b, `,"reset_after":`...), n.Reset, 10)
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
// limit with SHADOW. Names of rules need no escapes.
func (d *decision) setHeaders(h http.Header) {
	var some, more [128]byte // most values fit
	policies, limits := some[:0], more[:0]
	for i := range d.Policies {
		p := &d.Policies[i]
		if p.Shadow {
			continue
		}
		if len(policies) > 0 {
			policies, limits = append(policies, ", "...), append(limits, ", "...)
		}
		policies = append(append(append(policies, '"'), p.Name...), `";q=`...)
		if policies = strconv.AppendInt(policies, min(p.Limit, maxInteger), 10); p.Window > 0 {
			policies = strconv.AppendInt(append(policies, ";w="...), p.Window, 10)
		}
		wait := p.Reset
		if p.limited && p.Retry != nil {
			wait = *p.Retry
		}
		limits = append(append(append(limits, '"'), p.Name...), `";r=`...)
		limits = strconv.AppendInt(limits, min(max(p.Remaining, 0), maxInteger), 10)
		limits = strconv.AppendInt(append(limits, ";t="...), wait, 10)
	}
	values := []string{
		strconv.FormatInt(d.Limit, 10), strconv.FormatInt(max(d.Remaining, 0), 10),
		strconv.FormatInt(d.Reset, 10), string(policies), string(limits), "",
	}
	if d.Allowed || d.Retry == nil {
		values = values[:5]
	} else {
		values[5] = strconv.FormatInt(*d.Retry, 10)
	}
	for i := range values {
		h[headersOfLimits[i]] = values[i : i+1 : i+1]
	}
}
