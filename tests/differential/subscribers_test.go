package differential

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// subscriberSteps is how many commands a run sends.
const subscriberSteps = 1_000

// subscriberCommands have channels in the place of <a> and <b>, and patterns in that of <p>. A line is a pipeline.
var subscriberCommands = [][]string{
	{"SSUBSCRIBE <a>"}, {"SSUBSCRIBE <a> <b>"}, {"SUNSUBSCRIBE <a>"}, {"SUNSUBSCRIBE <a> <b>"}, {"SUNSUBSCRIBE"},
	{"SUBSCRIBE <a> <b>"}, {"UNSUBSCRIBE <a>"}, {"UNSUBSCRIBE"}, {"PSUBSCRIBE <p>"}, {"PUNSUBSCRIBE <p>"}, {"PUNSUBSCRIBE"},
	{"SPUBLISH <a> m"}, {"SPUBLISH <a> m"}, {"SPUBLISH <b> m"}, {"PUBLISH <a> m"}, {"SPUBLISH <a>"}, {"SSUBSCRIBE"},
	{"PUBSUB SHARDCHANNELS <a>"}, {"PUBSUB SHARDNUMSUB <a> <b>"}, {"PUBSUB NUMSUB <a> <b>"}, {"PUBSUB NUMPAT"},
	{"PUBSUB SHARDCHANNELS <a> x"}, {"GET k"}, {"RESET"}, {"HELLO 3"}, {"HELLO 2"},
	{"MULTI", "SPUBLISH <a> m", "SPUBLISH <b> m", "EXEC"}, {"MULTI", "SSUBSCRIBE <a>", "SUNSUBSCRIBE <b>", "EXEC"},
	{"MULTI", "SET <a> 1", "SPUBLISH <b> m", "EXEC"}, {"EVAL return{redis.call('spublish',ARGV[1],'m')} 0 <a>"},
	{"EVAL return{redis.call('spublish',ARGV[1],'m'),redis.call('spublish',ARGV[2],'m')} 0 <a> <b>"},
	{"EVAL redis.call('ssubscribe',ARGV[1]) 0 <a>"}, {"COMMAND GETKEYS SPUBLISH <a> m"}, {"COMMAND INFO spublish ssubscribe sunsubscribe"},
	{"COMMAND GETKEYSANDFLAGS SSUBSCRIBE <a> <b>"},
	{"ACL SETUSER u on nopass -@all +spublish +ssubscribe +sunsubscribe +auth resetchannels &{a}*"},
	{"AUTH u x"}, {"AUTH default x"},
}

// ownID is the number of the client in the reply of HELLO.
var ownID = regexp.MustCompile(`\$"id" :[0-9]+`)

// TestSubscribersOfShards: both servers give several clients the same confirmations, messages and errors, alone and
// in cluster mode.
func TestSubscribersOfShards(t *testing.T) {
	t.Run("alone", func(t *testing.T) { compareSubscribers(t, startRedis(t, false), startOurs(t)) })
	t.Run("cluster", func(t *testing.T) {
		redis, ours := startClusters(t)
		compareSubscribers(t, redis, ours)
	})
}

func compareSubscribers(t *testing.T, redis, ours *peer) {
	seed := seed(t)
	t.Logf("SEED=%d", seed)
	random := rand.New(rand.NewPCG(seed, 3))
	for range subscriberSteps {
		at, line := random.IntN(clients), subscriberCommands[random.IntN(len(subscriberCommands))]
		if line[0] == "MULTI" || strings.HasPrefix(line[0], "EVAL") {
			at = clients // not subscribed: Redis 7.0 puts messages into the reply of EXEC
		}
		words := strings.NewReplacer(
			"<a>", []string{"{a}1", "{a}2", "b"}[random.IntN(3)], "<b>", []string{"{a}1", "{a}2"}[random.IntN(2)],
			"<p>", "*",
		)
		var all [][]string
		for _, command := range line {
			name, rest, _ := strings.Cut(command, " ")
			all = append(all, append([]string{name}, strings.Fields(words.Replace(rest))...))
		}
		want, got := redis.heard(t, at, all), ours.heard(t, at, all)
		if len(all[0]) == 1 && strings.HasSuffix(all[0][0], "UNSUBSCRIBE") {
			require.Len(t, got, len(want), "Redis has the order of a hash table")
		} else {
			require.Equal(t, want, got, "client %d: %s", at, all)
		}
		require.Equal(t, redis.subscriptions(t), ours.subscriptions(t), "client %d: %s", at, all)
	}
}

// subscriptions returns what CLIENT LIST says about the subscriptions of all clients.
func (p *peer) subscriptions(t *testing.T) (all []string) {
	t.Helper()
	list, err := p.admin.do("CLIENT", "LIST")
	require.NoError(t, err)
	for line := range strings.Lines(list.text) {
		all = append(all, strings.Join(aboutSubscriptions.FindAllString(line, -1), ""))
	}
	return all
}

var aboutSubscriptions = regexp.MustCompile(` (flags|db|sub|psub|ssub|multi|user|resp)=\S*`)

// heard sends commands of one client, and returns what every client then reads.
func (p *peer) heard(t *testing.T, at int, pipeline [][]string) (lines []string) {
	t.Helper()
	all := append(slices.Clone(p.clients[:]), p.admin)
	for _, args := range pipeline {
		require.NoError(t, all[at].send(args))
	}
	for i := range all {
		client := (at + i) % len(all)
		w := all[client]
		_ = w.send([]string{"PING", "the end"}) // a closed connection fails below
		// Messages of a client to itself follow the reply here, and Redis 7.0 sends them before it.
		var messages []string
		for {
			r, err := w.read()
			if err != nil { // the right to a channel of its subscriptions is gone
				lines = append(lines, fmt.Sprint(client, " is closed"))
				p.clients[client], err = dial(p.addr)
				require.NoError(t, err)
				break
			}
			line := r.String()
			if strings.Contains(line, "the end") || strings.HasPrefix(line, `-"NOPERM`) && strings.Contains(line, "'ping'") {
				break
			}
			line = ownID.ReplaceAllString(line, "")
			line = fmt.Sprint(client, " ", line)
			if strings.Contains(line, `message" `) {
				messages = append(messages, line)
			} else {
				lines = append(lines, line)
			}
		}
		lines = append(lines, messages...)
	}
	return lines
}
