package commands

import (
	"cmp"
	"log/slog"
	"slices"
	"strings"
	"sync"

	"cellserver/acl"
)

// absent has the commands of Redis and Valkey that this server does not have, with their ACL categories. The
// rules of a user may name them: a file of users moves in as it is. The first part is Redis 7.0, and a test
// compares it with redis-server. The second part is Redis 7.2 to 8.4 and Valkey 8 and 9.
const absent = `
read bitmap fast: bitfield_ro getbit
read bitmap slow: bitcount bitpos
write bitmap slow: bitfield bitop setbit
read stream slow blocking: xread
write stream slow blocking: xreadgroup
read stream fast: xlen
read stream slow: xinfo|consumers xinfo|groups xinfo|stream xpending xrange xrevrange
write stream fast: xack xadd xautoclaim xclaim xdel xsetid
write stream slow: xgroup|create xgroup|createconsumer xgroup|delconsumer xgroup|destroy xgroup|setid xtrim
stream slow: xgroup|help xinfo|help
read geo slow: geodist geohash geopos georadius_ro georadiusbymember_ro geosearch
write geo slow: geoadd georadius georadiusbymember geosearchstore
read hyperloglog slow: pfcount
write hyperloglog slow: pfmerge
write hyperloglog fast: pfadd
admin dangerous hyperloglog slow: pfselftest
write admin dangerous hyperloglog slow: pfdebug
write keyspace slow dangerous: migrate restore-asking
read set sortedset list slow dangerous: sort_ro
write set sortedset list slow dangerous: sort
scripting slow: fcall fcall_ro function|kill script|debug
write scripting slow: function|delete function|load function|restore
admin slow dangerous: cluster|saveconfig failover psync replconf sync
admin slow dangerous: module|load module|loadex module|unload
slow: xgroup xinfo

slow blocking connection: waitaof
slow connection: client|capa client|import-source
slow scripting: script|show
slow: cluster|myshardid cluster|slot-stats commandlog commandlog|help
admin slow dangerous: commandlog|get commandlog|len commandlog|reset
admin slow dangerous: cluster|cancelslotmigrations cluster|flushslot cluster|getslotmigrations
admin slow dangerous: cluster|migrateslots cluster|migration cluster|syncslots
read hash fast: hexpiretime hpexpiretime hpttl httl
write hash fast: hexpire hexpireat hgetdel hgetex hpersist hpexpire hpexpireat hsetex
read string fast: digest
write string fast: delex delifeq
write string slow: msetex
write stream fast: xackdel xdelex
read fast: vcard vdim vemb vgetattr vinfo vismember vlinks
read slow: vrandmember vrange vsim
write fast: vsetattr
write slow: vadd vrem
`

// Absent returns the absent commands.
func Absent() (all []acl.Command) {
	for line := range strings.Lines(absent) {
		categories, names, _ := strings.Cut(line, ":")
		for name := range strings.FieldsSeq(names) {
			all = append(all, acl.Command{Name: name, Categories: strings.Fields(categories), Absent: true})
		}
	}
	return all
}

// instead says where the words about absent commands are, by a category or by the parent.
var instead = map[string]string{
	"stream":   noStreams,
	"xgroup":   noStreams,
	"xinfo":    noStreams,
	"fcall":    noFunctions,
	"fcall_ro": noFunctions,
	"function": noFunctions,
	"module":   "cellserver loads no modules: docs/migrating.md says what it has of theirs",
	"":         "cellserver does not have it: docs/migrating.md lists all such commands",
}

const (
	noStreams   = "cellserver has no streams: docs/libraries.md says which queues run without them"
	noFunctions = "cellserver has no functions: use SCRIPT LOAD and EVALSHA"
)

// whyAbsent has a sentence in brackets for each absent command.
var whyAbsent = sync.OnceValue(func() map[string]string {
	why := map[string]string{}
	for _, cmd := range Absent() {
		parent, _, _ := strings.Cut(cmd.Name, "|")
		text := instead[parent]
		if slices.Contains(cmd.Categories, "stream") {
			text = instead["stream"]
		}
		why[cmd.Name] = "(" + cmp.Or(text, instead[""]) + ")"
	}
	return why
})

// longestAbsent is the largest length in bytes of a name that NotHere finds.
const longestAbsent = 32

// NotHere returns the sentence about a command of Redis that this server does not have, "" for all other
// names. It does not copy long names.
func NotHere(parent string, name []byte) string {
	if len(name) > longestAbsent {
		return ""
	}
	full := strings.ToLower(string(name))
	if parent != "" {
		full = parent + "|" + full
	}
	return whyAbsent()[full]
}

// WarnAbsent logs that rights to absent commands have no effect.
func WarnAbsent(log *slog.Logger, names []string) {
	if len(names) > 0 {
		log.Warn("rules of users name commands of Redis that this server does not have: they have no effect",
			"commands", strings.Join(names, " "))
	}
}

// UnknownCommand is the error of a command that is not in the table. It has the text of Redis. For a command
// of Redis it also says what to do. It reads only the bytes that it quotes, because a client may send large
// arguments in a loop.
func UnknownCommand(args [][]byte) error {
	var quoted [quotedBytes + len("'' ")]byte
	list := quoted[:0]
	for _, a := range args[1:] {
		if len(list) >= quotedBytes {
			break
		}
		list = append(append(append(list, '\''), clip(a, quotedBytes-len(list))...), "' "...)
	}
	var all [3 * quotedBytes]byte
	text := append(append(all[:0], "ERR unknown command '"...), clip(args[0], quotedBytes)...)
	text = append(append(text, "', with args beginning with: "...), list...)
	return Error(append(text, NotHere("", args[0])...))
}

func unknownSubcommand(parent string, name []byte) error {
	text := "ERR unknown subcommand '" + Clip(name, quotedBytes) + "'. " +
		"Try " + strings.ToUpper(parent) + " HELP."
	if why := NotHere(parent, name); why != "" {
		text += " " + why
	}
	return Error(text)
}
