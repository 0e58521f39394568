package keysource

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"net/textproto"
	"strings"
)

// MaxKey is the most bytes of a key. A longer one is replaced by its SHA-256, as the middleware of clients/
// does it.
const MaxKey = 256

// Errors of a request.
var (
	ErrMissing   = errors.New("the request has no key")
	ErrTwice     = errors.New("the request has the key twice")
	ErrForwarded = errors.New("a quote in the header Forwarded has no end")
	errTooFew    = fmt.Errorf("%w: fewer proxies than http-trusted-proxies says have written an address", ErrMissing)
)

// Request is what a source reads.
type Request struct {
	*http.Request
	Trust
	Path string // of the request that a proxy asks about; "" for that of X-Forwarded-Uri
}

// Trust says what a source believes, and what it hides.
type Trust struct {
	Proxies  int            // between the client and this server; each appends an address to X-Forwarded-For
	Networks []netip.Prefix // of these proxies; if there are any, their number does not count
	Secret   []byte         // of the hashes of headers and cookies
}

// Source makes keys. The zero Source has no key for any request.
type Source struct {
	part        // the first one
	more []part // the others
	Text string // that it was parsed from
}

// part is one part of a key. read is nil for a literal part.
type part struct {
	text string // the name of the header or of the cookie, or the literal
	read reader
}

// reader reads the value of a part.
type reader func(r *Request, name string) (string, error)

// Literal returns the source of one key.
func Literal(key string) Source { return Source{part: part{text: key}, Text: key} }

// MaxParts is the most parts of a key. Each part may take time for all bytes of a header.
const MaxParts = 16

// Parse returns the source of a text. After "text:" the rest is the key as it is.
func Parse(text string) (Source, error) {
	if key, ok := strings.CutPrefix(text, "text:"); ok {
		return Literal(key), nil
	}
	s, literal := Source{Text: text}, true
	if strings.Count(text, ",") >= MaxParts {
		return Source{}, fmt.Errorf("a key has at most %d parts", MaxParts)
	}
	for i, rest, more := 0, text, true; more; i++ {
		var word string
		word, rest, more = strings.Cut(rest, ",")
		one, err := parsePart(word)
		if err == nil && one.read == nil {
			err = checkWord(word)
		}
		if err != nil {
			return Source{}, err
		}
		if one.read != nil && one.text == "" && strings.HasSuffix(word, ":") {
			return Source{}, fmt.Errorf("%s needs a name", word)
		}
		literal = literal && one.read == nil
		if i == 0 {
			s.part = one
		} else {
			s.more = append(s.more, one)
		}
	}
	if literal {
		return Literal(text), nil
	}
	err := s.checkBeside()
	for i := 0; i < len(s.more) && err == nil; i++ {
		err = s.more[i].checkBeside()
	}
	return s, err
}

func parsePart(word string) (part, error) {
	kind, name, named := strings.Cut(word, ":")
	switch {
	case named && kind == "header":
		return part{textproto.CanonicalMIMEHeaderKey(name), headerHash}, nil
	case named && kind == "plain-header":
		return part{textproto.CanonicalMIMEHeaderKey(name), readHeader}, nil
	case named && kind == "cookie":
		return part{name, cookieHash}, nil
	case named && kind == "plain-cookie":
		return part{name, readCookie}, nil
	case word == "path":
		return part{read: readPath}, nil
	case word == "path:case":
		return part{read: readPathCase}, nil
	case word == "method":
		return part{read: readMethod}, nil
	case word == "host":
		return part{read: readHost}, nil
	}
	p, err := parseAddressPart(word)
	if p.read == nil {
		p.text = word
	}
	return p, err
}

// Key returns the key of a request. A key of several parts has a comma between them; commas and percent
// signs inside a part are written as %2C and %25.
func (s Source) Key(r *Request) (string, error) {
	first, err := s.value(r)
	switch {
	case err != nil:
		return "", err
	case len(s.more) > 0:
	case first == "":
		return "", ErrMissing // a variable of a proxy was empty: all such requests would be one client
	default:
		return Shorten(first), nil
	}
	var key strings.Builder
	key.WriteString(escape.Replace(first))
	for _, p := range s.more {
		value, err := p.value(r)
		if err != nil {
			return "", err
		}
		key.WriteByte(',')
		key.WriteString(escape.Replace(value))
	}
	return Shorten(key.String()), nil
}

// value returns the value of a part.
func (p *part) value(r *Request) (string, error) {
	if p.read == nil {
		return p.text, nil
	}
	return p.read(r, p.text)
}

var escape = strings.NewReplacer("%", "%25", ",", "%2C")

// Shorten returns a key, or the hash of a long key.
func Shorten(key string) string {
	if len(key) <= MaxKey {
		return key
	}
	hash := sha256.Sum256([]byte(key))
	return "sha256:" + hex.EncodeToString(hash[:])
}

func readHeader(r *Request, name string) (string, error) {
	if name == "Host" {
		return filled(normalHost(r.Host))
	}
	value, err := only(r.Header[name])
	return normalHeader(name, value), err
}

func readCookie(r *Request, name string) (string, error) {
	var values []string
	for _, line := range r.Header["Cookie"] {
		for pair := range strings.SplitSeq(line, ";") {
			if left, value, _ := strings.Cut(pair, "="); strings.TrimSpace(left) == name {
				values = append(values, normalCookie(strings.TrimSpace(value)))
			}
		}
	}
	return only(values)
}

// only returns the only value. An empty value counts as missing.
func only(values []string) (string, error) {
	switch len(values) {
	case 0:
		return "", ErrMissing
	case 1:
		return filled(values[0])
	}
	return "", ErrTwice
}

func filled(value string) (string, error) {
	if value == "" {
		return "", ErrMissing
	}
	return value, nil
}

// forwarded returns what a header of a proxy says about the request that the proxy asks about. own is what
// this request says. It counts without the header, and if the proxy has forwarded the request itself.
func forwarded(r *Request, header, own string) (string, error) {
	values := r.Header[header]
	if r.Path != "" || len(values) == 0 {
		return filled(own)
	}
	return only(values)
}

func readMethod(r *Request, _ string) (string, error) {
	method, err := forwarded(r, "X-Forwarded-Method", r.Method)
	return normalMethod(method), err
}

// readHost refuses a list of hosts, because it is unknown which one the proxy has written.
func readHost(r *Request, _ string) (string, error) {
	host, err := forwarded(r, "X-Forwarded-Host", r.Host)
	switch {
	case err != nil:
		return "", err
	case strings.Contains(host, ","):
		return "", ErrTwice
	}
	return filled(normalHost(host))
}

func readPath(r *Request, _ string) (string, error) {
	plain, err := readPathCase(r, "")
	return toLower(plain), err
}

// readPathCase returns the path of the request that a proxy asks about, in its shortest form.
func readPathCase(r *Request, _ string) (string, error) {
	if r.Path != "" {
		return normalPath(r.Path), nil
	}
	target, err := only(r.Header["X-Forwarded-Uri"])
	if err != nil {
		return "", err
	}
	return normalPath(target), nil
}
