package settings

import "strings"

// A note is what is said once about variables that have a value and no use. The value may be a password.
type note struct{ names, text string }

var notes = []note{
	{"REDIS_PIPELINE_WINDOW REDIS_PIPELINE_LIMIT " +
		"REDIS_PERSECOND_PIPELINE_WINDOW REDIS_PERSECOND_PIPELINE_LIMIT",
		"the client sends what waits, without a window"},
	{"REDIS_POOL_ON_EMPTY_BEHAVIOR REDIS_POOL_ON_EMPTY_WAIT_DURATION REDIS_PERSECOND_POOL_ON_EMPTY_BEHAVIOR",
		"a request waits for a connection until its deadline"},
	{"REDIS_PERSECOND_SOCKET_TYPE REDIS_PERSECOND_TYPE REDIS_PERSECOND_URL REDIS_PERSECOND_POOL_SIZE " +
		"REDIS_PERSECOND_AUTH REDIS_PERSECOND_TLS REDIS_PERSECOND_TIMEOUT",
		"limits a second count where all limits count, REDIS_URL"},
	{"REDIS_POOL_SIZE", "requests share a few connections to each node"},
	{"REDIS_CLUSTER_PIPELINE_PARALLELISM", "a cluster is asked at once"},
	{"XDS_CLIENT_BACKOFF_RANDOM_FACTOR XDS_CLIENT_BACKOFF_JITTER " +
		"CONFIG_GRPC_XDS_SERVER_CONNECT_RETRY_INTERVAL",
		"half of each wait is by chance"},
	{"EXPIRATION_JITTER_MAX_SECONDS", "a counter ends with its window"},
	{"LOCAL_CACHE_SIZE_IN_BYTES", "there is no local cache"},
	{"GRPC_SERVER_TLS_CA_CERT",
		"set GRPC_CLIENT_TLS_CACERT to accept only clients with a certificate of yours"},
	{"USE_DOG_STATSD_MOGRIFIERS", "metrics keep their names"},
}

// notesOf returns what is to be said about the variables.
func notesOf(r *reader) (said []string) {
	for _, n := range notes {
		for _, name := range strings.Fields(n.names) {
			if _, ok := r.value(name); ok {
				said = append(said, name+" is accepted and has no use: "+n.text)
			}
		}
	}
	if r.flag("REDIS_PERSECOND", false) {
		said = append(said, "REDIS_PERSECOND=true is accepted and has no use: all limits count in REDIS_URL")
	}
	return said
}

// refuse keeps errors about a backend that is not there.
func refuse(r *reader) {
	if v, ok := r.value("BACKEND_TYPE"); ok && v != "redis" {
		r.wrong("BACKEND_TYPE", v, "redis: there is no other backend, and without REDIS_URL none is needed")
	}
	for _, name := range []string{"MEMCACHE_HOST_PORT", "MEMCACHE_SRV"} {
		if v, ok := r.value(name); ok {
			r.wrong(name, v, "empty: there is no memcached, set REDIS_URL or nothing")
		}
	}
}
