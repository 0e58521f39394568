//! Calls a cluster until standard input ends. Each call prints a line, which ../README.md describes.
//!
//! usage: failover redis-rs-cluster|redis-rs-async-cluster|fred-cluster
use fred::interfaces::ClientLike;
use fred::types::config::{ReconnectPolicy, ServerConfig};
use fred::types::{Builder, ClusterHash, CustomCommand};
use std::future::Future;
use std::io::Read;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use std::{env, process, thread};

const WORKERS: usize = 4;
static STOPPED: AtomicBool = AtomicBool::new(false);

fn defaults() -> bool {
    env::var_os("DEFAULTS").is_some()
}

fn nodes() -> Vec<String> {
    env::var("NODES")
        .expect("NODES")
        .split(',')
        .map(str::to_owned)
        .collect()
}

/// Calls are the commands of a worker, with their keys.
struct Calls {
    worker: usize,
    i: usize,
    counters: bool,
}

impl Calls {
    fn new(worker: usize) -> Self {
        Calls {
            worker,
            i: 0,
            counters: env::var_os("COUNTERS").is_some(),
        }
    }

    /// Announces the next call, and returns its words.
    fn next(&mut self, name: &str) -> Vec<String> {
        let (worker, i) = (self.worker, self.i);
        self.i += 1;
        let words = if i % 4 == 3 && !self.counters {
            format!("CL.THROTTLE {name}:limit:{} 49 1 1000000", i / 4 % 10)
        } else {
            format!("INCR {name}:counter:{worker}:{}", i % 5)
        };
        let words: Vec<String> = words.split(' ').map(str::to_owned).collect();
        println!("{worker} call {}", words[1]);
        words
    }
}

/// Prints the outcome of a call, and returns how long the worker waits.
fn report<E: std::fmt::Display>(worker: usize, key: &str, reply: Result<i64, E>) -> Duration {
    match reply {
        Ok(n) => {
            println!("{worker} ok {key} {n}");
            Duration::from_millis(5)
        }
        Err(err) => {
            let text = err.to_string();
            println!(
                "{worker} error {key} {}",
                text.split_whitespace().collect::<Vec<_>>().join(" ")
            );
            Duration::from_millis(20)
        }
    }
}

fn redis_rs_client() -> redis::cluster::ClusterClient {
    let urls = nodes().into_iter().map(|node| format!("redis://{node}"));
    let mut builder = redis::cluster::ClusterClientBuilder::new(urls);
    if !defaults() {
        builder = builder
            .connection_timeout(Duration::from_millis(500))
            .response_timeout(Duration::from_millis(500))
            .min_retry_wait(50)
            .retries(1);
    }
    builder.build().expect("client")
}

fn command(words: &[String]) -> redis::Cmd {
    let mut command = redis::cmd(&words[0]);
    command.arg(&words[1..]);
    command
}

/// Runs the workers of redis-rs, each in a thread with a connection. A connection never asks again who
/// leads after the leader has died. So without the defaults a worker takes a new connection then.
fn redis_rs(name: &str) {
    let client = redis_rs_client();
    let work = |worker| {
        let mut connection = client.get_connection().expect("connection");
        let mut calls = Calls::new(worker);
        while !STOPPED.load(Ordering::Relaxed) {
            let words = calls.next(name);
            let reply = command(&words).query::<redis::Value>(&mut connection);
            if !defaults() && reply.as_ref().is_err_and(|err| err.is_io_error()) {
                if let Ok(new) = client.get_connection() {
                    connection = new;
                }
            }
            thread::sleep(report(worker, &words[1], reply.and_then(first)));
        }
    };
    thread::scope(|all| (0..WORKERS).for_each(|worker| drop(all.spawn(move || work(worker)))));
}

/// Runs the workers of redis-rs, which share an asynchronous connection.
async fn redis_rs_async(name: &str) {
    let client = redis_rs_client();
    let connection = client.get_async_connection().await.expect("connection");
    let work = |worker: usize| {
        let (client, mut connection) = (client.clone(), connection.clone());
        let name = name.to_owned();
        async move {
            let mut calls = Calls::new(worker);
            while !STOPPED.load(Ordering::Relaxed) {
                let words = calls.next(&name);
                let reply = command(&words)
                    .query_async::<redis::Value>(&mut connection)
                    .await;
                if !defaults() && reply.as_ref().is_err_and(|err| err.is_io_error()) {
                    if let Ok(new) = client.get_async_connection().await {
                        connection = new;
                    }
                }
                tokio::time::sleep(report(worker, &words[1], reply.and_then(first))).await;
            }
        }
    };
    join((0..WORKERS).map(work)).await;
}

/// Returns the number of a reply, or the first one of several.
fn first(reply: redis::Value) -> redis::RedisResult<i64> {
    match reply {
        redis::Value::Array(all) => redis::from_redis_value(all[0].clone()).map_err(Into::into),
        one => redis::from_redis_value(one).map_err(Into::into),
    }
}

/// Runs the workers of fred, which share a client.
async fn fred(name: &str) {
    let mut builder = Builder::from_config(fred::prelude::Config {
        server: ServerConfig::new_clustered(
            nodes()
                .iter()
                .map(|node| node.rsplit_once(':').expect("a port"))
                .map(|(host, port)| (host.to_owned(), port.parse().expect("a port")))
                .collect(),
        ),
        ..Default::default()
    });
    if !defaults() {
        builder.set_policy(ReconnectPolicy::new_constant(0, 100));
        builder.with_connection_config(|c| {
            c.connection_timeout = Duration::from_millis(500);
            c.internal_command_timeout = Duration::from_millis(500);
            c.unresponsive.max_timeout = Some(Duration::from_millis(500));
            c.unresponsive.interval = Duration::from_millis(100);
        });
        builder.with_performance_config(|c| c.default_command_timeout = Duration::from_millis(500));
    }
    let client = builder.build().expect("client");
    client.init().await.expect("connection");
    let work = |worker: usize| {
        let client = client.clone();
        let name = name.to_owned();
        async move {
            let mut calls = Calls::new(worker);
            while !STOPPED.load(Ordering::Relaxed) {
                let words = calls.next(&name);
                let command = CustomCommand::new(words[0].clone(), ClusterHash::FirstKey, false);
                let reply = client
                    .custom::<fred::types::Value, String>(command, words[1..].to_vec())
                    .await;
                tokio::time::sleep(report(worker, &words[1], reply.and_then(number))).await;
            }
        }
    };
    join((0..WORKERS).map(work)).await;
}

async fn join<F: Future<Output = ()> + Send + 'static>(work: impl Iterator<Item = F>) {
    let all: Vec<_> = work.map(tokio::spawn).collect();
    for one in all {
        one.await.expect("a worker");
    }
}

/// Returns the number of a reply, or the first one of several.
fn number(reply: fred::types::Value) -> Result<i64, fred::error::Error> {
    let one = if reply.is_array() {
        reply.into_array().swap_remove(0)
    } else {
        reply
    };
    one.convert()
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Runtime::new().expect("runtime")
}

fn main() {
    let name = env::args().nth(1).expect("the name of a library");
    thread::spawn(|| {
        let _ = std::io::stdin().read_to_end(&mut Vec::new());
        STOPPED.store(true, Ordering::Relaxed);
        thread::sleep(Duration::from_secs(30));
        process::exit(0);
    });
    match name.as_str() {
        "redis-rs-cluster" => redis_rs(&name),
        "redis-rs-async-cluster" => runtime().block_on(redis_rs_async(&name)),
        "fred-cluster" => runtime().block_on(fred(&name)),
        _ => panic!("unknown library {name}"),
    }
}
