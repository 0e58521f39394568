package keysource

import (
	"encoding/hex"
	"net/http"
	"net/netip"
	"path"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"
)

// normalPath returns the path of a target in its shortest form: "/a//b;x/../%63?d#e" is "/a/c". Some servers
// leave a part out, and others do not. The form leaves out all of them, so no spelling of a path has a limit
// of its own.
func normalPath(target string) string {
	if scheme := strings.Index(target, "://"); scheme > 0 && !strings.ContainsAny(target[:scheme], "/?#") {
		target = target[scheme+len("://"):] // the absolute form
		target = strings.TrimLeftFunc(target, inAuthority)
	}
	plain, _, _ := strings.Cut(target, "?")
	plain, _, _ = strings.Cut(unescape(plain), "#")
	segments := strings.Split(strings.ReplaceAll(plain, `\`, "/"), "/")
	for i := range segments {
		segments[i], _, _ = strings.Cut(segments[i], ";")
	}
	return path.Clean("/" + strings.Join(segments, "/"))
}

// inAuthority reports whether a character may stand before the path of an absolute target.
func inAuthority(c rune) bool { return !strings.ContainsRune(`/?#\`, c) }

// unescape decodes all correct escapes, and keeps the others.
func unescape(s string) string {
	at := strings.IndexByte(s, '%')
	if at < 0 {
		return s
	}
	to := make([]byte, at, len(s))
	copy(to, s)
	for i := at; i < len(s); i++ {
		if s[i] == '%' && i+2 < len(s) {
			if b, err := hex.DecodeString(s[i+1 : i+3]); err == nil {
				to, i = append(to, b[0]), i+2
				continue
			}
		}
		to = append(to, s[i])
	}
	return string(to)
}

// normalHost returns a host in small letters, without a user, a port and dots at its end. An IPv6 address has
// brackets.
func normalHost(host string) string {
	host = host[strings.LastIndexByte(host, '@')+1:]
	literal, _, _ := strings.Cut(strings.TrimPrefix(host, "["), "]")
	if at, err := netip.ParseAddr(literal); err == nil && at.Is6() {
		if at = at.Unmap().WithZone(""); at.Is6() {
			return "[" + at.String() + "]"
		}
		return at.String()
	}
	host, _, _ = strings.Cut(host, ":")
	return toLower(strings.TrimRight(host, "."))
}

// toLower returns a text in small letters. In a text that is not UTF-8 it changes ASCII only: strings.ToLower
// would make the same character of all wrong bytes.
func toLower(s string) string {
	if utf8.ValidString(s) {
		return strings.ToLower(s)
	}
	return toLowerASCII(s)
}

func toLowerASCII(s string) string {
	b := []byte(s)
	for i, c := range b {
		if 'A' <= c && c <= 'Z' {
			b[i] += 'a' - 'A'
		}
	}
	return string(b)
}

// normalMethod returns a method in capital letters. All methods that HTTP itself does not know are OTHER,
// because a client can invent any number of them.
func normalMethod(method string) string {
	method = strings.ToUpper(method)
	switch method {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch,
		http.MethodDelete, http.MethodOptions, http.MethodConnect, http.MethodTrace:
		return method
	}
	return "OTHER"
}

// IsPreflight reports whether a browser asks whether it may send a request to another site (CORS).
func (r *Request) IsPreflight() bool {
	method, err := readMethod(r, "")
	return err == nil && method == http.MethodOptions && len(r.Header["Origin"]) > 0 &&
		len(r.Header["Access-Control-Request-Method"]) > 0
}

// normalHeader returns the value of a header. The scheme of a credential has small letters and one space
// behind it.
func normalHeader(name, value string) string {
	if name == "Authorization" || name == "Proxy-Authorization" {
		words := strings.FieldsFunc(value, func(c rune) bool { return c == ' ' || c == '\t' })
		if len(words) > 0 {
			words[0] = toLowerASCII(words[0])
		}
		return strings.Join(words, " ")
	}
	return value
}

// normalCookie returns the value of a cookie as frameworks decode it: without quotes, \101 and %41 for A.
func normalCookie(value string) string {
	if inner := strings.TrimPrefix(value, `"`); len(inner) < len(value) {
		value = octal.ReplaceAllStringFunc(strings.TrimSuffix(inner, `"`), func(escape string) string {
			if b, err := strconv.ParseUint(escape[1:], 8, 8); err == nil && len(escape) == len(`\101`) {
				return string([]byte{byte(b)})
			}
			return escape[1:]
		})
	}
	return strings.Trim(unescape(value), " \t")
}

// octal matches the escapes of a quoted cookie.
var octal = regexp.MustCompile(`\\([0-3][0-7][0-7]|.)`)
