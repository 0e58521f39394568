'use strict';

const { inspect } = require('node:util');

/** The milliseconds of the longest timer. A longer one would end at once. */
const LONGEST_TIMEOUT = 2 ** 31 - 1;

/**
 * How many commands may wait for the client. A further one fails at once, so that a hanging server costs
 * bounded memory.
 */
const MOST_WAITING = 1000;

/**
 * Returns a function that sends a command and waits for `timeout` milliseconds at most. Its arguments are
 * those of the command, its key, which finds the node of a cluster, and what is left of the time-out.
 */
const sender = (client, timeout) => {
  const send = through(client);
  if (!(typeof timeout === 'number' && timeout >= 1 && timeout <= LONGEST_TIMEOUT)) {
    throw new TypeError(
      `timeout is a number of milliseconds from 1 to ${LONGEST_TIMEOUT}, not ${inspect(timeout)}`,
    );
  }
  let waiting = 0;
  return async (args, key, left = timeout) => {
    const tooLate = () => new Error(`no decision within ${timeout} ms`);
    if (waiting >= MOST_WAITING) throw new Error(`${MOST_WAITING} questions wait for the server`);
    if (left <= 0) throw tooLate();
    waiting++;
    const reply = send(args, key).finally(() => waiting--);
    let timer;
    const late = new Promise((_, reject) => {
      timer = setTimeout(() => reject(tooLate()), left);
    });
    return Promise.race([reply, late]).finally(() => clearTimeout(timer));
  };
};

/** Returns the function that sends a command over a client. */
const through = (client) => {
  if (typeof client === 'function') return async (args, key) => client(args, key);
  if (typeof client?.call === 'function') return async (args) => client.call(...args); // ioredis
  if (typeof client?.sendCommand !== 'function') {
    throw new TypeError('client is a client of node-redis or ioredis, or a function that sends a command');
  }
  if (isCluster(client)) return async (args, key) => client.sendCommand(key, false, args);
  return async (args) => client.sendCommand(args);
};

/**
 * Reports whether a client is one of several nodes: `createCluster` of node-redis, or `Cluster` of ioredis.
 */
const isCluster = (client) => 'masters' in client || client.isCluster === true;

/**
 * Reports whether a client sends no command twice. ioredis does after a lost connection, unless its options
 * say otherwise, and a cluster may.
 */
const sendsOnce = (client) => {
  if (typeof client === 'function' || isCluster(client)) return false;
  return typeof client.call !== 'function' || client.options?.autoResendUnfulfilledCommands === false;
};

module.exports = { isCluster, sender, sendsOnce };
