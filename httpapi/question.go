package httpapi

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"unicode/utf8"

	"cellserver/httpapi/keysource"
	"cellserver/internal/quote"
)

// question is what a request asks of one rule or several.
type question struct {
	rules    []string
	sources  []keysource.Source // one for each rule, or one for all
	quantity string             // "" for 1
	peek     bool
	charge   bool // the quantity counts even if less is left
	missing  missing
	refused  int // the status of a refusal
	// preflight says that preflight requests of browsers pass and do not count.
	preflight bool
}

// forget makes the question ready for another request. It keeps the memory of its lists.
func (q *question) forget() {
	clear(q.rules)
	clear(q.sources)
	*q = question{rules: q.rules[:0], sources: q.sources[:0], refused: http.StatusTooManyRequests}
}

// missing is the answer to a request without a key.
type missing struct {
	allow, deny bool
	skip        bool              // the rule of the key is not asked; those of the other keys decide
	source      *keysource.Source // another source; nil for none
}

// maxRules is the most rules of one request: what CL.MCHECK takes.
const maxRules = 16

// addQuery adds the parameters of a query: rule=…&key=…&quantity=…&peek&charge&missing=…&status=….
func (q *question) addQuery(query string) *Problem {
	for query != "" {
		var pair string
		pair, query, _ = strings.Cut(query, "&")
		name, value, _ := strings.Cut(pair, "=")
		value, err := unescape(value)
		if err != nil {
			return wrong("the value of %.64s has a wrong escape", name)
		}
		if err := q.set(name, value); err != nil {
			return err
		}
	}
	return nil
}

// unescape decodes a value of a query. Most values need no decoding.
func unescape(s string) (string, error) {
	if strings.IndexByte(s, '%') < 0 && strings.IndexByte(s, '+') < 0 {
		return s, nil
	}
	return url.QueryUnescape(s)
}

// set sets one parameter.
func (q *question) set(name, value string) *Problem {
	switch name {
	case "rule":
		q.rules = append(q.rules, value)
	case "key":
		return q.addKey(value)
	case "quantity":
		return q.setQuantity(value)
	case "peek":
		return setSwitch(&q.peek, name, value)
	case "charge":
		return setSwitch(&q.charge, name, value)
	case "missing":
		return q.setMissing(value)
	case "status":
		n, err := strconv.Atoi(value)
		if err != nil || n != http.StatusUnauthorized && n != http.StatusForbidden && n != http.StatusTooManyRequests {
			return wrong("status %s: use 401, 403 or 429", quote.Word(value))
		}
		q.refused = n
	case "preflight":
		if q.preflight = value == "allow"; !q.preflight {
			return wrong("preflight must be allow, and not %.64q", value)
		}
	case "":
	default:
		return wrong("unknown parameter %.64q: "+
			"use rule, key, quantity, peek, charge, missing, preflight or status", name)
	}
	if len(q.rules) > maxRules {
		return wrong("a request has at most %d rules", maxRules)
	}
	return nil
}

// setSwitch sets a parameter that is on without a value.
func setSwitch(to *bool, name, value string) *Problem {
	on, err := strconv.ParseBool(value)
	if value != "" && err != nil {
		return wrong("%s %s: use true or false", name, quote.Word(value))
	}
	*to = on || value == ""
	return nil
}

// setQuantity accepts integers only: another word would be an option of the command. A negative quantity
// would give actions back. A request that asks for an action must not do this.
func (q *question) setQuantity(text string) *Problem {
	n, err := strconv.ParseInt(text, 10, 64)
	switch {
	case err != nil:
		return wrong("quantity %s is not an integer or out of range", quote.Word(text))
	case n < 0:
		return wrong("quantity %s must not be negative", quote.Word(text))
	}
	q.quantity = text
	return nil
}

// maxSource is the most bytes of the text of a source. The head of a request has no more.
const maxSource = 32 << 10

func (q *question) addKey(text string) *Problem {
	if len(text) > maxSource {
		return wrong("key has more than %d bytes", maxSource)
	}
	source, err := keysource.Parse(text)
	if err != nil {
		return wrong("key: %v", err)
	}
	if len(q.sources) == maxRules {
		return wrong("a request has at most %d keys", maxRules)
	}
	q.sources = append(q.sources, source)
	return nil
}

func (q *question) setMissing(text string) *Problem {
	q.missing = missing{allow: text == "allow", deny: text == "deny", skip: text == "skip"}
	if q.missing.allow || q.missing.deny || q.missing.skip {
		return nil
	}
	source, err := keysource.Parse(text)
	if err != nil {
		return wrong("missing: %v", err)
	}
	q.missing.source = &source
	return nil
}

// MaxBody is the most bytes of a body.
const MaxBody = 64 << 10

// hasJSON reports whether a request has a body of JSON. Another body is a problem, because nobody would read
// it. The body of a method that takes none is no problem: a proxy may pass on that of its client.
func hasJSON(r *http.Request) (bool, *Problem) {
	if r.Method != http.MethodPost && r.Method != http.MethodPut {
		return false, nil
	}
	kind := strings.Join(r.Header["Content-Type"], ", ")
	media, parameters, err := mime.ParseMediaType(kind)
	charset := strings.ToLower(cmp.Or(parameters["charset"], "utf-8"))
	encoding := strings.Join(r.Header["Content-Encoding"], ", ")
	switch {
	case err != nil && r.ContentLength == 0:
		return false, nil
	case err != nil || media != jsonType[0]:
		return false, otherBody("the body needs Content-Type: application/json, and has %.64q", kind)
	case charset != "utf-8" && charset != "us-ascii":
		return false, otherBody("the charset of JSON must be utf-8, and not %.64q", charset)
	case encoding != "" && !strings.EqualFold(encoding, "identity"):
		return false, otherBody("send the body without Content-Encoding, and not as %.64q", encoding)
	}
	return true, nil
}

func otherBody(format string, args ...any) *Problem {
	return problem(http.StatusUnsupportedMediaType, otherType, format, args...)
}

// readBody decodes the JSON of a request. It refuses bytes after the value.
func readBody(w http.ResponseWriter, r *http.Request, into *fields) *Problem {
	text, err := []byte(nil), error(&http.MaxBytesError{Limit: MaxBody})
	if r.ContentLength <= MaxBody { // a client that expects 100 Continue need not send the others
		text, err = io.ReadAll(http.MaxBytesReader(w, r.Body, MaxBody))
	}
	if _, large := errors.AsType[*http.MaxBytesError](err); large {
		return problem(http.StatusRequestEntityTooLarge, tooLarge, "the body has more than %d bytes", MaxBody)
	}
	if err != nil {
		return wrong("the body has not arrived whole")
	}
	if !utf8.Valid(text) { // JSON would replace each wrong byte, and two keys would be one
		return otherBody("the body is not UTF-8")
	}
	in := json.NewDecoder(bytes.NewReader(text))
	in.UseNumber()
	err = in.Decode(into)
	if err == nil {
		if _, more := in.Token(); more != io.EOF {
			err = errors.New("there is more than one value")
		}
	}
	return ofBody(err)
}

// ofBody returns the problem of a body that cannot be decoded, nil without an error.
func ofBody(err error) *Problem {
	kind, isKind := errors.AsType[*json.UnmarshalTypeError](err)
	switch {
	case err == nil:
		return nil
	case isKind:
		return wrong("the body must be an object of JSON: it is of the type %s", kind.Value)
	}
	return wrong("the body is not the JSON of this request: %.200s", strings.TrimPrefix(err.Error(), "json: "))
}

// addBody adds the fields of a body. Its keys are never sources.
func (q *question) addBody(w http.ResponseWriter, r *http.Request) *Problem {
	body := fields{}
	if err := readBody(w, r, &body); err != nil {
		return err
	}
	if err := q.addRules(body); err != nil {
		return err
	}
	for name, to := range map[string]*bool{"peek": &q.peek, "charge": &q.charge} {
		on, err := body.takeSwitch(name)
		if err != nil {
			return err
		}
		*to = *to || on
	}
	quantity, ok, err := body.take("quantity")
	if err != nil {
		return err
	}
	if ok {
		if err := q.setQuantity(quantity); err != nil {
			return err
		}
	}
	return body.empty()
}

// addRules adds the keys of a body, and its further rules. The field key is the key of each rule without one.
func (q *question) addRules(body fields) *Problem {
	further, err := body.takeList("rules")
	if err != nil {
		return err
	}
	if len(further) == 0 {
		keys, err := body.takeKeys()
		for _, key := range keys {
			q.sources = append(q.sources, keysource.Literal(key))
		}
		return err
	}
	if len(q.rules)+len(further) > maxRules {
		return wrong("a request has at most %d rules", maxRules)
	}
	shared, isShared, err := body.take("key")
	if isShared && len(q.rules) == 1 {
		q.sources = append(q.sources, keysource.Literal(shared))
	}
	for _, one := range further {
		object, ok := one.(map[string]any)
		if err == nil && !ok {
			err = mustBe("rules", "a list of objects, each with rule and key", one)
		}
		if err != nil {
			return err
		}
		err = q.addRule(object, shared, isShared)
	}
	return err
}

// addRule adds a rule of a body. Without a key of its own, it has the shared key, if there is one.
func (q *question) addRule(body fields, shared string, isShared bool) *Problem {
	name, err := body.takeRule()
	if err != nil {
		return err
	}
	key, ok, err := body.take("key")
	if err != nil {
		return err
	}
	if !ok {
		if key = shared; !isShared {
			return problem(http.StatusBadRequest, missingKey, "the rule %.64q has no key", name)
		}
	}
	q.rules, q.sources = append(q.rules, name), append(q.sources, keysource.Literal(key))
	return body.empty()
}
