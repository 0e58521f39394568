package commands

// RedisVersion is the Redis whose behaviour this server has; INFO and HELLO report it,
// because clients decide by it.
const RedisVersion = "7.0.15"

// Version is the server's own version.
const Version = "0.1.0"
