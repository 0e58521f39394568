#!/usr/bin/env bash
# Drives a server with redis-cli and redis-benchmark; the checks are those of README.md.
set -u
cli() { timeout 60 redis-cli -h "${ADDR%:*}" -p "${ADDR#*:}" "$@"; }
cluster() { timeout 60 redis-cli -c -h "${CLUSTER_ADDR%:*}" -p "${CLUSTER_ADDR#*:}" "$@"; }
auth() { timeout 60 redis-cli -h "${AUTH_ADDR%:*}" -p "${AUTH_ADDR#*:}" --no-auth-warning "$@"; }
benchmark() { timeout 60 redis-benchmark -h "${ADDR%:*}" -p "${ADDR#*:}" -n 5000 -P 16 --csv "$@" 2>&1; }
# live: redis-cli that writes each line at once and does not end by itself.
live() { exec timeout 60 stdbuf -oL redis-cli -h "${ADDR%:*}" -p "${ADDR#*:}" "$@"; }
throttle='CL.THROTTLE user 15 30 60'

# is NAME WANT GOT: prints the check's line; WANT is a pattern of the shell.
is() {
  # shellcheck disable=SC2053
  if [[ $3 == $2 ]]; then echo "ok   redis-cli $1"; else printf 'FAIL redis-cli %s: want %q, got %.300q\n' "$1" "$2" "$3"; fi
}

for protocol in 2 3; do
  r() { cli "-$protocol" "$@"; }
  p="RESP$protocol"
  r flushall >/dev/null
  is "$p ping" PONG "$(r ping)"
  is "$p strings" $'OK\nv\nOK\n100\n1\n1\nw\n\n1\n2' \
    "$(printf 'set s v\nget s\nsetex s 100 w\nttl s\nincr n\nexpire n 50\nmget s none n\ndel s n\n' | r)"
  is "$p nulls" $'(nil)\n(nil)\n(integer) -2' "$(printf 'get none\nzscore none m\nttl none\n' | r --no-raw)"
  if [ $protocol = 3 ]; then scores='1) 1) "a"*[(]double) 1*[(]double) 2.5*[(]double) inf'; else scores='1) "a"*2) "1"*4) "2.5"*6) "inf"'; fi
  r zadd z 1 a 2.5 b inf c >/dev/null
  is "$p zset" "$scores" "$(r --no-raw zrange z 0 -1 withscores)"
  is "$p transaction" $'OK\nQUEUED\nQUEUED\nOK\n2' "$(printf 'multi\nset t 1\nincr t\nexec\n' | r)"
  is "$p sliding log" $'OK\nQUEUED\nQUEUED\nQUEUED\nQUEUED\n0\n0\n1\n1' \
    "$(printf 'multi\nzremrangebyscore log 0 900\nzcard log\nzadd log 1000 a\nexpire log 60\nexec\n' | r)"
  is "$p errors" "WRONGTYPE Operation against a key holding the wrong kind of value*PONG" "$(printf 'incr z\nping\n' | r)"
  is "$p client" $'OK\ntester\n*name=tester *' "$(printf 'client setname tester\nclient getname\nclient info\n' | r)"
  is "$p select" $'OK\n\n1' "$(r -n 5 set five 1; r get five; r -n 5 get five)"
  is "$p big" 5242880 "$(head -c 5242880 /dev/zero | r -x set big >/dev/null; r strlen big)"
  is "$p binary" $'OK\n"\\\\x00\\\\xff\\\\r\\\\n"' "$(printf 'set b "\\x00\\xff\\r\\n"\nget b\n' | r --no-raw)"
  is "$p reconnect" '[1-9]*PONG*' "$(printf 'client kill type normal skipme no\nping\nping\n' | r 2>&1)"
  is "$p auth" '*NOAUTH*WRONGPASS*PONG' "$(auth "-$protocol" get k 2>&1; auth "-$protocol" -a no get k 2>&1; auth "-$protocol" -a "$PASSWORD" ping)"
  if [ "${REFERENCE:-}" = 1 ]; then
    # shellcheck disable=SC2086
    is "$p throttle" "ERR unknown command 'CL.THROTTLE'*" "$(r $throttle)"
  else
    is "$p throttle" $'OK\n0\n16\n15\n-1\n2\n0\n16\n14\n-1\n4\nOK\n0\n16\n15\n-1\n2\nOK' \
      "$(printf 'debug clock set 1700000000000000000\n%s\n%s\ndebug clock advance 4000000000\n%s\ndebug clock resume\n' "$throttle" "$throttle" "$throttle" | r)"
    is "$p throttle error" 'Cell error: Store error: Zero rates are not supported*' "$(r CL.THROTTLE u 15 0 60)"
  fi
done

# typed TEXT: what redis-cli shows after the text is typed: the completion of a tab, and the hint, without colours.
typed() { timeout 60 python3 redis_cli_typed.py "${ADDR%:*}" "${ADDR#*:}" "$1"; }
is 'hint' '*> setnx k value' "$(typed $'setnx k')"
is 'help' '*SETNX key value*group: string*' "$(cli help setnx | sed 's/\x1b\[[0-9;]*m//g')"
if [ "${REFERENCE:-}" != 1 ]; then
  is 'hint of our commands' '*> CL.THROTTLE user:1 max_burst count period *quantity *MS* *PEEK**' "$(typed $'cl.thr\t user:1')"
  is 'help of our commands' '*CL.THROTTLE key max_burst count period *group: limiter*' "$(cli help cl.throttle | sed 's/\x1b\[[0-9;]*m//g')"
fi

cli flushall >/dev/null
mass() { for i in $(seq 5000); do printf '*3\r\n$3\r\nSET\r\n$%d\r\nscan:%d\r\n$1\r\nv\r\n' $((5 + ${#i})) "$i"; done; }
is '--pipe' '*errors: 0, replies: 5000' "$(mass | cli --pipe)"
is '--scan' 5000 "$(cli --scan --pattern 'scan:*' | sort -u | wc -l)"
cli zadd zz 1 a 2 b 3 c >/dev/null
is '--bigkeys' '*Sampled 5001 keys*"zz"* has 3 members*5000 strings with 5000 bytes*' "$(cli --bigkeys)"
is '--memkeys' '*Sampled 5001 keys*Biggest string found*bytes*' "$(cli --memkeys)"
# A sidecar has no keys, and so no policy: the hub has it.
hub=$(cli info sidecar | sed -n 's/^upstream:\([0-9.:]*\).*/\1/p')
keeper() { redis-cli -u "redis://${hub:-$ADDR}" "$@"; }
policy=$(keeper config get maxmemory-policy | tail -1)
keeper config set maxmemory-policy allkeys-lfu >/dev/null
for _ in $(seq 50); do echo get scan:7; done | cli >/dev/null
is '--hotkeys' '*hot key found with counter: *keyname: "scan:7"*' "$(cli --hotkeys)"
keeper config set maxmemory-policy "$policy" >/dev/null
is '--stat' '*keys*5001*' "$(live --stat -i 0.1 | head -n 3)"
is '--latency' '[0-9]* [0-9]* [0-9.]* [1-9]*' "$(cli --raw -i 0.1 --latency)"
is 'commands' 'string' "$(cli --no-raw command docs get | grep -A1 '"group"' | grep -o string)"
# watched: the line that MONITOR shows of a SET. The first line, OK, says that MONITOR has begun.
watched() {
  exec 3< <(live monitor)
  read -r <&3
  cli SET watched 1 >/dev/null
  grep -m 1 watched <&3
  kill "$!"
}
is 'monitor' '*"SET" "watched" "1"*' "$(watched)"

cluster flushall >/dev/null
is 'cluster' $'OK\n1\nOK\n1\n2' "$(printf 'set a 1\nget a\nmset {t}a 1 {t}b 2\nmget {t}a {t}b\n' | cluster)"
is 'cluster crossslot' "CROSSSLOT Keys in request don't hash to the same slot*" "$(cluster mget a b)"
is 'cluster answers' $'15891\n*cluster_state:ok*myself,master*connected 0-16383*0\n16383*' \
  "$(printf 'cluster keyslot {t}a\ncluster info\ncluster nodes\ncluster slots\n' | cluster)"
is 'cluster --check' '*All nodes agree about slots configuration.*All 16384 slots covered.*' "$(timeout 60 redis-cli --cluster check "$CLUSTER_ADDR" 2>&1)"
# shellcheck disable=SC2086
if [ "${REFERENCE:-}" != 1 ]; then is 'cluster throttle' $'0\n16\n15\n-1\n2' "$(cluster $throttle)"; fi

is 'benchmark' '*"PING_INLINE"*"PING_MBULK"*"SET"*"GET"*"INCR"*"ZADD"*"MSET*' "$(benchmark -t ping,set,get,incr,zadd,mset)"
if [ "${REFERENCE:-}" != 1 ]; then is 'benchmark throttle' '*"CL.THROTTLE k 15 30 60","*' "$(benchmark CL.THROTTLE k 15 30 60)"; fi
exit 0
