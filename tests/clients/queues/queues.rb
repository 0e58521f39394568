# Sidekiq, as users run it: a worker waits before the jobs come, and each job is done once. Debian's package has it.
#
# With SENTINELS, half of the jobs come after the death of the leader. The test kills it when this program prints "half", and then
# writes a line.
require "sidekiq"
require "sidekiq/processor"
require "sidekiq/manager"

$stdout.sync = true
FAILOVER = ENV.key?("SENTINELS")
JOBS = FAILOVER ? 160 : 200
DONE = Queue.new
Sidekiq.logger.level = Logger::FATAL
Sidekiq.configure_client do |config|
  config.redis =
    if FAILOVER
      nodes = ENV.fetch("SENTINELS").split(",").map { |node| node.split(":") }
      { url: "redis://mymaster", sentinels: nodes.map { |host, port| { host:, port: port.to_i } }, role: :master }
    else
      { url: "redis://#{ENV.fetch('ADDR')}" }
    end
end

# A job that notes its number.
class Work
  include Sidekiq::Worker
  def perform(number)
    DONE << number
  end
end

# Repeats a call that finds no leader, as a program of a user does.
def surely(tries = FAILOVER ? 100 : 1)
  yield
rescue StandardError
  raise if (tries -= 1).zero?

  sleep(0.1)
  retry
end

# Waits until so many jobs are done, and returns their numbers.
def done(jobs)
  numbers = []
  400.times do
    numbers << DONE.pop until DONE.empty?
    return numbers if numbers.uniq.size >= jobs

    sleep(0.1)
  end
  raise "#{numbers.uniq.size} of #{jobs} are done"
end

begin
  Sidekiq.redis(&:flushall) unless FAILOVER
  options = Sidekiq::DEFAULTS.merge(queues: ["default"], concurrency: 4)
  options[:fetch] = Sidekiq::BasicFetch.new(options)
  workers = Sidekiq::Manager.new(options)
  workers.start
  parts = FAILOVER ? [0...JOBS / 2, JOBS / 2...JOBS] : [0...JOBS]
  parts.each do |part|
    if part.begin.positive?
      puts "half"
      $stdin.gets
    end
    part.each { |number| surely { Work.perform_async(number) } }
    numbers = done(part.size)
    sleep(0.3) # a job that is done twice would come now
    numbers += Array.new(DONE.size) { DONE.pop }
    raise "a job is done twice" unless FAILOVER || numbers.size == JOBS
    raise "other jobs are done" unless numbers.uniq.sort == part.to_a
  end
  workers.quiet
  puts "ok   sidekiq #{JOBS} jobs"
rescue StandardError => e
  puts "FAIL sidekiq #{JOBS} jobs: #{e.class} #{e.message}".tr("\n", " ")
end
exit!(true) # without the threads of the workers
