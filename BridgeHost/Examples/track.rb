#!/usr/bin/env ruby
# Tracks from Ruby: the host runs as a child, one JSON-RPC message a line each way.
#
#     ruby track.rb .build/release/BridgeHost http://127.0.0.1:8123 any-key
require 'json'

class Tracker
  def initialize(host)
    @host = IO.popen([host], 'r+', encoding: 'UTF-8')
    @id = 0
  end

  def call(method, *params)
    @host.puts JSON.generate({ jsonrpc: '2.0', id: @id += 1, method: method, params: params })
    answer = JSON.parse(@host.gets || '{"error": {"message": "the host has ended"}}')
    abort "#{method}: #{answer['error']['message']}" if answer['error']

    answer['result']
  end

  # The host sends what it can within 1.5 s; what is left waits on disk.
  def close
    @host.close
    $?.exitstatus
  end
end

unless ARGV.size == 3 && File.executable?(ARGV[0])
  abort 'Usage: ruby track.rb HOST API_URL KEY, where HOST is the program that `make build` has made'
end
host, api_url, key = ARGV
tracker = Tracker.new(host)
tracker.call('init', '925', { apiUrl: api_url, xApiKey: key })
tracker.call('identify', 'customer-17', { email: 'mail@example.com' })
puts JSON.generate(tracker.call('track', 'PURCHASE', { total: 149.99 }, { flow_id: 'checkout_v2' }))
puts JSON.generate(tracker.call('flush'))
exit tracker.close
