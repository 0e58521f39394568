package phrase

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Words returns a limit in words: the opposite of [Read]. It returns "" if no words mean this command.
func Words(command, scope string) string {
	text := wordsOf(strings.Fields(command))
	if scope != "" {
		text += " per " + scope
	}
	if m, err := Read(text); err != nil || m.Scope != scope || !strings.EqualFold(m.Command, command) {
		return ""
	}
	return text
}

// wordsOf returns words that may mean a command.
func wordsOf(command []string) string {
	const shortest = 3 // the name and two numbers
	if len(command) < shortest {
		return ""
	}
	name, first, options := strings.ToUpper(command[0]), command[1], command[shortest:]
	switch {
	case name == "CL.LOG":
		return short(first) + periodOf(command[2], 2*day)
	case name == "CL.THROTTLE" && len(options) == 1:
		limit, err := strconv.ParseInt(first, 10, 64)
		if err != nil || limit < 0 || limit+1 < 0 {
			return ""
		}
		burst := short(strconv.FormatInt(limit+1, 10))
		return short(command[2]) + periodOf(options[0], day) + " burst " + burst
	case name != "CL.WINDOW":
	case len(options) == 0:
		return short(first) + periodOf(command[2], day) + " in windows"
	case len(options) == 1:
		return short(first) + periodOf(command[2], day) + " by the clock"
	case len(options) == 2:
		return short(first) + " a " + strings.ToLower(options[1])
	default:
		return short(first) + " a " + strings.ToLower(options[1]) + " in " + options[len(options)-1]
	}
	return ""
}

// short writes a number with a letter, if it is long and round.
func short(number string) string {
	const long = 10_000
	n, err := strconv.ParseInt(number, 10, 64)
	switch {
	case err != nil || n < long || n%1e3 != 0:
		return number
	case n%1e6 == 0:
		return fmt.Sprintf("%dM", n/1e6)
	}
	return fmt.Sprintf("%dk", n/1e3)
}

// periodOf writes a period of seconds. Only from `days` on does it count days: one day may be of the
// calendar.
func periodOf(text string, days int64) string {
	ns, ok := nanosOf(text)
	for i := len(units) - 1; i >= 0 && ok && ns > 0; i-- {
		u := &units[i]
		if u.name == "week" || u.nanos == 0 || ns%u.nanos != 0 || u.nanos == day && ns < days {
			continue
		}
		switch n := ns / u.nanos; {
		case n == 1:
			return "/" + u.name
		case u.name == "ms":
			return fmt.Sprintf(" per %d ms", n)
		default:
			return fmt.Sprintf(" per %d %ss", n, u.name)
		}
	}
	return ""
}

// nanosOf parses seconds with at most 9 decimals.
func nanosOf(text string) (int64, bool) {
	whole, fraction, _ := strings.Cut(text, ".")
	const decimals = 9
	if len(fraction) > decimals || utf8.RuneCountInString(whole) > decimals+1 {
		return 0, false
	}
	ns, err := strconv.ParseInt(whole+(fraction + "000000000")[:decimals], 10, 64)
	return ns, err == nil
}
