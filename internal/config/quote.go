package config

import (
	"errors"
	"strconv"
	"strings"
)

// ErrQuotes is the error of [SplitArgs].
var ErrQuotes = errors.New("unbalanced quotes")

const spaces = " \t\n\v\f\r"

// SplitArgs cuts a line into arguments as redis.conf does: at white space, outside of
// "double quotes" (with \n \r \t \b \a \xFF and \ before anything) and 'single quotes'
// (with \'). A closing quote ends its argument. The result is never nil without an error.
func SplitArgs(line string) ([]string, error) {
	args := []string{}
	for {
		line = strings.TrimLeft(line, spaces)
		if line == "" {
			return args, nil
		}
		arg, rest, err := nextArg(line)
		if err != nil {
			return nil, err
		}
		args, line = append(args, arg), rest
	}
}

func nextArg(s string) (arg, rest string, err error) {
	end := strings.IndexAny(s, " \n\r\t\"'")
	if end < 0 {
		return s, "", nil
	}
	plain, quote := s[:end], s[end]
	if quote != '"' && quote != '\'' {
		return plain, s[end:], nil
	}
	inside, rest, ok := quoted(s[end+1:], quote)
	if !ok || rest != "" && !strings.ContainsRune(spaces, rune(rest[0])) {
		return "", "", ErrQuotes
	}
	return plain + inside, rest, nil
}

// quoted reads up to the closing quote and returns what follows it.
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

// escape decodes what follows a backslash and says how many bytes that was.
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

// Quote writes an argument so that [SplitArgs] reads it back as it is: bare where that
// is safe, in double quotes otherwise.
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
