package ratelimit

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Keys makes keys of requests as the HTTP port of the server does. The zero value is for a service without a
// proxy.
type Keys struct {
	// Proxies says who has written X-Forwarded-For: the number of proxies, such as "1", or their networks,
	// such as "10.0.0.0/8 192.168.0.0/16".
	Proxies string
	// Secret is that of the hashes of headers and cookies. With the text of the file http-key-secret of the
	// server, the keys are those of its HTTP port.
	Secret string
}

// reader reads a part of a key, "" if it is missing.
type reader func(*http.Request) string

// Of returns the key function of a source: "ip", "header:X-Api-Key", "cookie:session", or several with
// commas between them. ../../README.md has all words. If a part is missing, the key is "".
func (k Keys) Of(source string) (func(*http.Request) string, error) {
	trusted, err := parseProxies(k.Proxies)
	if err != nil {
		return nil, err
	}
	if text, ok := strings.CutPrefix(source, "text:"); ok {
		return func(*http.Request) string { return text }, nil
	}
	var parts []reader
	reads := false
	for word := range strings.SplitSeq(source, ",") {
		read, err := k.part(word, trusted)
		switch {
		case err != nil:
			return nil, err
		case read == nil:
			if err := checkText(word); err != nil {
				return nil, err
			}
			read = func(*http.Request) string { return word }
		default:
			reads = true
		}
		parts = append(parts, read)
	}
	switch {
	case !reads:
		const same = "ratelimit: %s is the same key for all requests: write ip or header:NAME, or text:%[1]s"
		return nil, fmt.Errorf(same, source)
	case len(parts) == 1:
		return parts[0], nil
	}
	return func(r *http.Request) string { return join(r, parts) }, nil
}

// kinds are the words with a name behind a colon.
var kinds = []string{"header", "cookie", "plain-header", "plain-cookie", "ip-header"}

// knownWord matches the other words.
var knownWord = regexp.MustCompile(`^(ip(/\d*)?|path|method|host)$`)

// checkText refuses a text that is nearly a word, or has a colon. As a text it would be the same for all
// requests.
func checkText(text string) error {
	word := strings.ToLower(strings.TrimSpace(text))
	switch {
	case text == "":
		return errors.New("ratelimit: a part of a key is empty")
	case slices.Contains(kinds, word):
		return fmt.Errorf("ratelimit: %s is no word of a key: write %s:NAME", text, word)
	case knownWord.MatchString(word):
		return fmt.Errorf("ratelimit: %s is no word of a key: write %s", text, word)
	case strings.Contains(text, ":"):
		const wrong = "ratelimit: %s is no word of a key: before a colon is %s"
		return fmt.Errorf(wrong, text, strings.Join(kinds, ", "))
	}
	return nil
}

func join(r *http.Request, parts []reader) string {
	values := make([]string, len(parts))
	for i, read := range parts {
		if values[i] = read(r); values[i] == "" {
			return ""
		}
		values[i] = strings.NewReplacer("%", "%25", ",", "%2C").Replace(values[i])
	}
	return strings.Join(values, ",")
}

// part returns the reader of a word, nil for a literal one.
func (k Keys) part(word string, trusted proxies) (reader, error) {
	kind, name, named := strings.Cut(word, ":")
	if named && name == "" && slices.Contains(kinds, kind) {
		return nil, fmt.Errorf("ratelimit: %s needs a name", word)
	}
	header := func(r *http.Request) string { return readHeader(r, name) }
	cookie := func(r *http.Request) string { return readCookie(r, name) }
	switch {
	case word == "path" || word == "path:case" || word == "method" || word == "host":
		return nil, fmt.Errorf("ratelimit: %s is for the HTTP port: take the route of your framework", word)
	case named && kind == "header":
		return k.hashed(header), nil
	case named && kind == "cookie":
		return k.hashed(cookie), nil
	case named && kind == "plain-header":
		return header, nil
	case named && kind == "plain-cookie":
		return cookie, nil
	}
	return addressPart(word, trusted)
}

// hashed returns the reader of a credential.
func (k Keys) hashed(read reader) reader {
	return func(r *http.Request) string {
		if value := read(r); value != "" {
			return k.Hash(value)
		}
		return ""
	}
}

// Hash returns what a key has in the place of a credential, such as one of the metadata of gRPC.
func (k Keys) Hash(credential string) string {
	mac := hmac.New(sha256.New, []byte(k.Secret))
	mac.Write([]byte(credential))
	return "hmac:" + hex.EncodeToString(mac.Sum(nil)[:16])
}

// readHeader reads a header that occurs once. The scheme of a credential has small letters and one space
// behind it.
func readHeader(r *http.Request, name string) string {
	values := r.Header.Values(name)
	if len(values) != 1 {
		return ""
	}
	if !strings.EqualFold(name, "Authorization") && !strings.EqualFold(name, "Proxy-Authorization") {
		return values[0]
	}
	words := strings.FieldsFunc(values[0], func(c rune) bool { return c == ' ' || c == '\t' })
	if len(words) > 0 {
		words[0] = toLowerASCII(words[0])
	}
	return strings.Join(words, " ")
}

// toLowerASCII keeps all other bytes: strings.ToLower would make the same character of all that are no UTF-8.
func toLowerASCII(s string) string {
	b := []byte(s)
	for i, c := range b {
		if 'A' <= c && c <= 'Z' {
			b[i] += 'a' - 'A'
		}
	}
	return string(b)
}

// readCookie reads a cookie that occurs once, as frameworks decode it: without quotes, \101 and %41 for A.
func readCookie(r *http.Request, name string) (value string) {
	found := 0
	for _, line := range r.Header["Cookie"] {
		for pair := range strings.SplitSeq(line, ";") {
			left, right, _ := strings.Cut(pair, "=")
			if strings.TrimSpace(left) == name {
				found, value = found+1, strings.TrimSpace(right)
			}
		}
	}
	if found != 1 {
		return ""
	}
	if inner, quoted := strings.CutPrefix(value, `"`); quoted {
		value = decode(strings.TrimSuffix(inner, `"`), '\\', 3, 8)
	}
	return strings.Trim(decode(value, '%', 2, 16), " \t")
}

// decode replaces escapes of a number of digits. Without correct digits, a backslash is left out, and %
// stays.
func decode(s string, mark byte, digits, base int) string {
	var to []byte
	for i := 0; i < len(s); i++ {
		if s[i] != mark {
			to = append(to, s[i])
			continue
		}
		if i+digits < len(s) {
			if n, err := strconv.ParseUint(s[i+1:i+1+digits], base, 8); err == nil {
				to, i = append(to, byte(n)), i+digits
				continue
			}
		}
		if mark == '%' {
			to = append(to, mark)
		} else if i+1 < len(s) {
			i++
			to = append(to, s[i])
		}
	}
	return string(to)
}

// proxies says which addresses proxies have written.
type proxies struct {
	count    int
	networks []netip.Prefix
}

// errProxies says what Proxies may be.
var errProxies = errors.New("ratelimit: Proxies is a number from 0 to 16, or networks such as 10.0.0.0/8")

// errEverybody refuses the network of every address, as the server does: a client could choose its own.
var errEverybody = errors.New("ratelimit: a network of Proxies has every address: name the networks of the proxies")

func parseProxies(text string) (p proxies, err error) {
	if n, err := strconv.Atoi(text); err == nil && n >= 0 && n <= 16 || text == "" {
		return proxies{count: n}, nil
	}
	for word := range strings.FieldsSeq(text) {
		network, err := netip.ParsePrefix(word)
		if err != nil {
			at, err := netip.ParseAddr(word)
			if err != nil {
				return proxies{}, errProxies
			}
			network = netip.PrefixFrom(at, at.BitLen())
		}
		if network.Bits() == 0 {
			return proxies{}, errEverybody
		}
		p.networks = append(p.networks, network)
	}
	if len(p.networks) == 0 {
		return proxies{}, errProxies
	}
	return p, nil
}
