package httpapi

import (
	"encoding/json"
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
		d.refusal = &refusal{quotaExceeded, "The quota is used up", status, []string{}}
		for i := range d.Policies {
			if p := &d.Policies[i]; p.limited && !p.Shadow {
				d.Violated = append(d.Violated, p.Name)
			}
		}
	}
	if status == http.StatusUnauthorized {
		h["Www-Authenticate"] = challenge
	}
	if d.numbers != nil && !d.hidden {
		d.setHeaders(h)
	}
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(d) // the client has left if this fails
}

// quotaExceeded is the problem type of the draft.
const quotaExceeded = "https://iana.org/assignments/http-problem-types#quota-exceeded"

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
