package quote

import (
	"errors"
	"regexp"
	"strconv"
	"strings"
)

// ErrUnbalanced says that a quote is not closed, or that text follows a closing quote without a space.
var ErrUnbalanced = errors.New("unbalanced quotes")

// Spaces are the bytes that separate arguments.
const Spaces = " \t\n\v\f\r"

// Split splits a line into arguments at white space outside of quotes. "Double quotes" know the escapes
// \n \r \t \b \a \xFF, and \ before any other byte. 'Single quotes' know only \'. A closing quote ends its
// argument. The error is [ErrUnbalanced]; without an error the result is not nil.
func Split(line string) ([]string, error) {
	args := []string{}
	for {
		line = strings.TrimLeft(line, Spaces)
		if line == "" {
			return args, nil
		}
		arg, rest, err := next(line)
		if err != nil {
			return nil, err
		}
		args, line = append(args, arg), rest
	}
}

// next returns the first argument of s, and what follows it.
func next(s string) (arg, rest string, err error) {
	end := strings.IndexAny(s, " \n\r\t\"'")
	if end < 0 {
		return s, "", nil
	}
	plain, quote := s[:end], s[end]
	if quote != '"' && quote != '\'' {
		return plain, s[end:], nil
	}
	inside, rest, ok := quoted(s[end+1:], quote)
	if !ok || rest != "" && !strings.ContainsRune(Spaces, rune(rest[0])) {
		return "", "", ErrUnbalanced
	}
	return plain + inside, rest, nil
}

// quoted decodes s up to the closing quote, and returns what follows it.
func quoted(s string, quote byte) (inside, rest string, ok bool) {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == quote:
			return b.String(), s[i+1:], true
		case s[i] != '\\' || i+1 == len(s) || quote == '\'' && s[i+1] != '\'':
			b.WriteByte(s[i])
		default:
			char, width := escape(s[i+1:], quote)
			b.WriteByte(char)
			i += width
		}
	}
	return "", "", false
}

// escape decodes the bytes after a backslash, and returns their number.
func escape(s string, quote byte) (char byte, width int) {
	if quote == '"' && s[0] == 'x' && len(s) >= 3 {
		if n, err := strconv.ParseUint(s[1:3], 16, 8); err == nil {
			return byte(n), 3
		}
	}
	if i := strings.IndexByte("nrtba", s[0]); i >= 0 && quote == '"' {
		return "\n\r\t\b\a"[i], 1
	}
	return s[0], 1
}

// Quote writes an argument so that [Split] returns it unchanged: without quotes if possible, otherwise in
// double quotes.
func Quote(arg string) string {
	if arg != "" && !strings.ContainsFunc(arg, needsQuotes) {
		return arg
	}
	var b strings.Builder
	b.WriteByte('"')
	for i := range len(arg) {
		switch c := arg[i]; {
		case c == '"' || c == '\\':
			b.WriteString(`\` + string(c))
		case c < ' ' || c > '~':
			b.WriteString(`\x` + string("0123456789abcdef"[c>>4]) + string("0123456789abcdef"[c&15]))
		default:
			b.WriteByte(c)
		}
	}
	return b.String() + `"`
}

func needsQuotes(r rune) bool { return r <= ' ' || r > '~' || strings.ContainsRune(`"'\#`, r) }

// escapes matches an escape of JSON: a whole pair of surrogates, a surrogate alone, or any other one.
var escapes = regexp.MustCompile(`\\(u[dD][89abAB]..\\u[dD][c-fC-F]..|u[dD][89a-fA-F]..|.)`)

// LoneSurrogate reports whether a text of JSON has one half of a pair of surrogates. It is no character, and
// a decoder makes the same character of each.
func LoneSurrogate(json []byte) bool {
	for _, at := range escapes.FindAllIndex(json, -1) {
		if at[1]-at[0] == len(`\ud800`) {
			return true
		}
	}
	return false
}
