package commands

import (
	"log/slog"
	"strings"

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
pubsub fast: spublish
pubsub slow: pubsub|shardchannels pubsub|shardnumsub ssubscribe sunsubscribe
scripting slow: fcall fcall_ro function|dump function|help function|kill function|list function|stats
scripting slow: script|debug
write scripting slow: function|delete function|flush function|load function|restore
admin slow dangerous: cluster|saveconfig failover psync replconf replicaof slaveof sync
admin slow dangerous: module|list module|load module|loadex module|unload
slow: function module module|help xgroup xinfo

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

// WarnAbsent logs that rights to absent commands have no effect.
func WarnAbsent(log *slog.Logger, names []string) {
	if len(names) > 0 {
		log.Warn("rules of users name commands of Redis that this server does not have: they have no effect",
			"commands", strings.Join(names, " "))
	}
}
