package httpapi

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"cellserver/httpapi/line"
)

// Problem is an error reply, in the form of RFC 9457.
type Problem struct {
	Status int    `json:"status"`
	Title  string `json:"title"`
	Code   string `json:"code"` // one word for programs
	Detail string `json:"detail,omitempty"`
	Leader string `json:"leader,omitempty"` // host:port of the node that leads, for clients of Redis
	retry  int64  // seconds until another try is sensible; 0 if the problem does not say it
}

// Error implements error.
func (p *Problem) Error() string { return p.Detail }

// The codes of problems.
const (
	badRequest   = "bad_request"
	missingKey   = "missing_key"
	noSuchRule   = "no_such_rule"
	noReserved   = "no_reservation"
	wrongType    = "wrong_type"
	notAllowed   = "method_not_allowed"
	notFound     = "not_found"
	tooLarge     = "too_large"
	otherType    = "unsupported_media_type"
	unauthorized = "unauthorized"
	forbidden    = "forbidden"
	misdirected  = "misdirected"
	unavailable  = "unavailable"
	notLeader    = "not_leader"
)

func problem(status int, code, format string, args ...any) *Problem {
	return &Problem{Status: status, Title: http.StatusText(status), Code: code, Detail: fmt.Sprintf(format, args...)}
}

func wrong(format string, args ...any) *Problem {
	return problem(http.StatusBadRequest, badRequest, format, args...)
}

// ofReply returns the problem of an error reply of the server.
func ofReply(text string) *Problem {
	code, rest, _ := strings.Cut(text, " ")
	switch code {
	case "ERR", "Cell", "CROSSSLOT":
		if name, found := strings.CutPrefix(rest, "no such rule: "); found {
			return problem(http.StatusNotFound, noSuchRule, "there is no rule %s: see CL.RULE LIST", name)
		}
		if strings.HasPrefix(rest, "too many reservations") || strings.HasPrefix(rest, "somebody already tries limits") {
			return problem(http.StatusServiceUnavailable, unavailable, "%s", rest)
		}
		return wrong("%s", strings.TrimPrefix(strings.TrimPrefix(text, "ERR "), "Cell error: Store error: "))
	case "NORESERVATION":
		return problem(http.StatusNotFound, noReserved, "%s", rest)
	case "WRONGTYPE":
		return problem(http.StatusConflict, wrongType, "%s", rest)
	case "NOPERM":
		return problem(http.StatusForbidden, forbidden, "the user of http-user has no right to this: ask ACL LOG")
	case "MOVED":
		_, leader, _ := strings.Cut(rest, " ")
		p := problem(http.StatusServiceUnavailable, notLeader, "another node of the cluster decides: ask it")
		p.Leader = leader
		return p
	}
	return problem(http.StatusServiceUnavailable, unavailable, "%s", text)
}

// ofError returns the problem of an error reply, or of a command without a reply.
func ofError(err error) *Problem {
	refused, isReply := errors.AsType[line.Refused](err)
	switch {
	case isReply:
		return ofReply(string(refused))
	case errors.Is(err, context.DeadlineExceeded):
		return problem(http.StatusServiceUnavailable, unavailable, "the server holds commands back: CLIENT PAUSE")
	case errors.Is(err, line.ErrLost):
		return problem(http.StatusServiceUnavailable, unavailable, "%v", err)
	}
	return problem(http.StatusServiceUnavailable, unavailable, "the command has no reply: %v", err)
}

// Forbidden answers a request whose connection may not ask, and closes the connection.
func Forbidden(w http.ResponseWriter, reason string) {
	w.Header()["Cache-Control"] = noStore
	w.Header()["Connection"] = []string{"close"}
	problem(http.StatusForbidden, forbidden, "%s", reason).write(w)
}

// write sends the problem.
func (p *Problem) write(w http.ResponseWriter) {
	h := w.Header()
	h["Content-Type"] = problemType
	if p.retry > 0 {
		h["Retry-After"] = []string{strconv.FormatInt(p.retry, 10)}
	}
	switch p.Status {
	case http.StatusServiceUnavailable:
		h["Retry-After"] = []string{"1"}
	case http.StatusUnsupportedMediaType:
		h["Accept"] = jsonType
	case http.StatusUnauthorized:
		h["Www-Authenticate"] = challenge
		h["Connection"] = []string{"close"} // each guess of a token needs a new connection
	}
	w.WriteHeader(p.Status)
	_ = json.NewEncoder(w).Encode(p) // the client has left if this fails
}
