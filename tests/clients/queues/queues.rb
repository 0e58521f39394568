# Sidekiq, as users run it: a worker waits before the jobs come, and each job is done once. Debian's package has it.
require "sidekiq"
require "sidekiq/processor"
require "sidekiq/manager"

$stdout.sync = true
JOBS = 200
DONE = Queue.new
Sidekiq.logger.level = Logger::FATAL
Sidekiq.configure_client { |config| config.redis = { url: "redis://#{ENV.fetch('ADDR')}" } }

# A job that notes its number.
class Work
  include Sidekiq::Worker
  def perform(number)
    DONE << number
  end
end

begin
  Sidekiq.redis(&:flushall)
  options = Sidekiq::DEFAULTS.merge(queues: ["default"], concurrency: 4)
  options[:fetch] = Sidekiq::BasicFetch.new(options)
  workers = Sidekiq::Manager.new(options)
  workers.start
  JOBS.times { |number| Work.perform_async(number) }
  300.times { DONE.size < JOBS ? sleep(0.1) : break }
  sleep(0.3) # a job that is done twice would come now
  workers.quiet
  done = Array.new(DONE.size) { DONE.pop }.sort
  raise "#{done.size} of #{JOBS} are done, or twice" unless done == (0...JOBS).to_a

  puts "ok   sidekiq #{JOBS} jobs"
rescue StandardError => e
  puts "FAIL sidekiq #{JOBS} jobs: #{e.class} #{e.message}".tr("\n", " ")
end
exit!(true) # without the threads of the workers
