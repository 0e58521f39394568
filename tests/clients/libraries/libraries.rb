# Rate-limit libraries of Ruby, as users run them. Debian's packages have them: ruby-rack-attack and ruby-redis.
require "rack"
require "rack/attack"
require "redis"

$stdout.sync = true
URL = "redis://#{ENV.fetch('ADDR')}"
CLIENT = Redis.new(url: URL)
LONG = 1_000_000 # seconds: no window ends during a check

def check(name)
  CLIENT.flushall
  Rack::Attack.clear_configuration
  Rack::Attack.cache.store = Redis.new(url: URL)
  yield
  puts "ok   rack-attack #{name}"
rescue StandardError => e # a check that fails must not end the others
  puts "FAIL rack-attack #{name}: #{e.class} #{e.message}".tr("\n", " ")
end

def equal(want, got)
  raise "want #{want}, got #{got}" unless want == got
end

# Asks several times and returns the statuses.
def statuses(times, address = "192.0.2.1")
  app = Rack::Attack.new(->(_env) { [200, {}, ["ok"]] })
  Array.new(times) { Rack::MockRequest.new(app).get("/", "REMOTE_ADDR" => address).status }
end

check("throttle") do
  Rack::Attack.throttle("by address", limit: 3, period: LONG, &:ip)
  equal([200, 200, 200, 429, 429], statuses(5))
  equal([200], statuses(1, "192.0.2.2"))
  key = CLIENT.keys("*192.0.2.1").first
  equal("5", CLIENT.get(key))
  equal(true, CLIENT.ttl(key).positive?)
end

check("Fail2Ban") do
  Rack::Attack.blocklist("three strikes") do |request|
    Rack::Attack::Fail2Ban.filter(request.ip, maxretry: 3, findtime: LONG, bantime: LONG) { true }
  end
  equal([403, 403, 403, 403], statuses(4))
  equal(1, CLIENT.keys("*ban*192.0.2.1").count { |key| key.include?(":ban:") })
end

check("Allow2Ban") do
  Rack::Attack.blocklist("after three") do |request|
    Rack::Attack::Allow2Ban.filter(request.ip, maxretry: 3, findtime: LONG, bantime: LONG) { true }
  end
  equal([200, 200, 200, 403, 403], statuses(5))
  Rack::Attack::Allow2Ban.reset("192.0.2.1", findtime: LONG)
end
